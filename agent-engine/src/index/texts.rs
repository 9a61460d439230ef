//! What a tool says, field by field, as it is indexed.
//!
//! Is not: what is shown of a tool (`projection`). Clauses: SRCH-5, SRCH-7.

use super::Field;
use crate::catalog::Tool;
use std::iter::once;

/// What a tool says in one field.
pub(super) fn text(tool: &Tool, field: Field) -> String {
    let definition = &tool.definition;
    let id = &tool.descriptor.id;
    match field {
        Field::Name => id.name().to_owned(),
        Field::Server => id.server().to_string(),
        Field::Title => definition.title.clone().unwrap_or_default(),
        Field::Description => definition.description.clone(),
        Field::Parameters => definition.parameters.iter().map(|one| one.name.as_str()).collect::<Vec<_>>().join(" "),
        // Texts stand before all values, which may be many and say less.
        Field::Details => {
            let texts = definition.parameters.iter().flat_map(|one| once(&one.description).chain(&one.inner));
            let values = definition.parameters.iter().flat_map(|one| one.values.iter().chain(&one.inner_values));
            texts.chain(values).map(String::as_str).collect::<Vec<_>>().join(" ")
        }
        Field::Tags => tool.descriptor.tags.join(" "),
        Field::Opening => opening(&definition.description).to_owned(),
    }
}

/// The first sentence of a description, or its first line where that ends sooner; of it no more than a line's bytes. A stop within a word,
/// as in `Node.js`, ends nothing.
fn opening(description: &str) -> &str {
    let text = description.trim_start();
    let ends = |(at, letter): (usize, char)| match letter {
        '.' => text.get(at + 1..).is_none_or(|rest| !rest.starts_with(|next: char| !next.is_whitespace())),
        letter => matches!(letter, '。' | '\n'),
    };
    let end = text.char_indices().find(|one| ends(*one)).map_or(text.len(), |(at, _)| at).min(text.floor_char_boundary(OPENING_BYTES));
    text.get(..end).unwrap_or_default()
}

/// Bytes of a first sentence that are read.
const OPENING_BYTES: usize = 200;

#[cfg(test)]
mod tests {
    use super::opening;

    #[test]
    fn srch_7_a_first_sentence_ends_where_a_sentence_does() {
        assert_eq!(opening(" Node.js static files of example.com. More"), "Node.js static files of example.com");
        assert_eq!(opening("One line\nTwo"), "One line");
        assert_eq!(opening("Ends."), "Ends");
        assert_eq!(opening("读取文件。写入"), "读取文件");
        assert_eq!(opening(""), "");
    }
}
