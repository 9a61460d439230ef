//! A stranger's text as lines of ours may hold it.
//!
//! Is: each character seen, white space that could push text about counted, brackets that look like our marks taken apart.
//! Is not: a judgement of what the text says. Clauses: CAT-5, CAT-8 (diff). Neighbours: `cli::drift` and `console` show with it.

use agent_core::canon::Node;
use agent_core::limits::{DEFINITION_DEPTH, DEFINITION_NODES};
use agent_core::safety::{is_blank, is_hidden, visible};

/// A name, a type or a value. Quoted as JSON unless it is letters, digits and signs that no line of ours is made with.
pub(crate) fn name(text: &str) -> String {
    let plain = |character: char| character.is_ascii_alphanumeric() || "_-$/".contains(character);
    if !text.is_empty() && text.chars().all(plain) { text.to_owned() } else { exact(&serde_json::Value::from(text).to_string()) }
}

/// Prose to be read: white space folded, its line feeds kept, one of those in a row.
pub(crate) fn folded(text: &str) -> String {
    let lines = text.split('\n').map(|line| line.split(is_blank).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" "));
    let lines: Vec<_> = lines.filter(|line| !line.is_empty()).map(|line| visible(&line)).collect();
    unmarked(&lines.join("\n"))
}

/// The same text, its line feeds kept, with nothing folded.
pub(crate) fn exact(text: &str) -> String {
    let lines: Vec<_> = text.split('\n').map(|line| counted(&visible(line))).collect();
    unmarked(&lines.join("\n"))
}

/// A part that moved, on one line: tabs and line feeds are what moved too.
pub(crate) fn shown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        if is_hidden(character) { out.extend(character.escape_unicode()) } else { out.push(character) }
    }
    edged(&unmarked(&counted(&out)))
}

/// Spaces in a row by their count, and every other white space by its number.
fn counted(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            ' ' => {
                let mut spaces = 1;
                while characters.next_if_eq(&' ').is_some() {
                    spaces += 1;
                }
                out.push_str(&if spaces == 1 { " ".to_owned() } else { format!("\\u{{20 ×{spaces}}}") });
            }
            blank if is_blank(blank) => out.extend(blank.escape_unicode()),
            other => out.push(other),
        }
    }
    out
}

/// A stranger's own brackets do not look like ours.
fn unmarked(text: &str) -> String {
    text.replace("[-", "[\\u{2d}").replace("-]", "\\u{2d}]").replace("{+", "{\\u{2b}").replace("+}", "\\u{2b}}")
}

/// Nor do they together with the marks around them.
fn edged(text: &str) -> String {
    let mut out = text.to_owned();
    if let Some(bracket) = text.chars().next().filter(|first| "]}".contains(*first)) {
        out.replace_range(..1, &bracket.escape_unicode().to_string());
    }
    if let Some(bracket) = text.chars().next_back().filter(|last| "[{".contains(*last)) {
        out.truncate(out.len() - 1);
        out.extend(bracket.escape_unicode());
    }
    out
}

/// A definition, every member on a line of its own, in the source's order. Empty where it is none.
pub(crate) fn definition(raw: &str) -> String {
    let mut text = String::new();
    if let Ok(node) = Node::parse(raw, DEFINITION_DEPTH, DEFINITION_NODES) {
        pretty(&node, 2, &mut text);
    }
    text
}

/// JSON with every member on a line of its own, in the source's order, numbers as they were written, hidden characters as
/// `\u{…}`.
fn pretty(node: &Node, depth: usize, out: &mut String) {
    let (open, close, members): (char, char, Vec<(Option<&str>, &Node)>) = match node {
        Node::Array(items) => ('[', ']', items.iter().map(|item| (None, item)).collect()),
        Node::Object(members) => ('{', '}', members.iter().map(|(key, value)| (Some(key.as_str()), value)).collect()),
        scalar => return out.push_str(&exact(&scalar.text())),
    };
    out.push(open);
    for (at, (key, value)) in members.iter().enumerate() {
        out.push_str(if at == 0 { "\n" } else { ",\n" });
        out.push_str(&" ".repeat(depth));
        if let Some(key) = key {
            out.push_str(&exact(&serde_json::Value::from(*key).to_string()));
            out.push_str(": ");
        }
        pretty(value, depth + 2, out);
    }
    if !members.is_empty() {
        out.push('\n');
        out.push_str(&" ".repeat(depth.saturating_sub(2)));
    }
    out.push(close);
}
