//! Making foreign text harmless to read: nothing invisible stays invisible.
//!
//! Is: escaping and cutting of text that we did not write. Is not: a judgement of what a text says.
//! Clauses: CAT-5, ID-4, AUTH-2. Source: Unicode 18, general categories; UTS 39 for the kinds of trouble.

use unicode_general_category::{GeneralCategory, get_general_category};

/// Whether a character can change what a reader sees without being seen: control, bidi, zero-width, tag, private use
/// or unassigned characters, line and paragraph separators, and variation selectors.
#[must_use]
pub fn is_hidden(character: char) -> bool {
    use GeneralCategory::{Control, Format, LineSeparator, ParagraphSeparator, PrivateUse, Surrogate, Unassigned};
    matches!(get_general_category(character), Control | Format | LineSeparator | ParagraphSeparator | PrivateUse | Surrogate | Unassigned)
        || matches!(character, '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' | '\u{034f}' | '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}')
}

/// Whether a character is white space, or looks like it.
#[must_use]
pub fn is_blank(character: char) -> bool {
    character.is_whitespace() || character == '\u{2800}'
}

/// Whether a text holds anything that [`visible`] would change; tabs and line feeds are ordinary in prose.
#[must_use]
pub fn has_hidden(text: &str) -> bool {
    text.chars().any(|character| is_hidden(character) && !matches!(character, '\n' | '\t'))
}

/// The text with every hidden character as `\u{…}`; tabs and line feeds become spaces.
#[must_use]
pub fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\n' | '\t' => out.push(' '),
            character if is_hidden(character) => out.extend(character.escape_unicode()),
            character => out.push(character),
        }
    }
    out
}

/// As [`visible`], with its line ends kept: the text is shown on lines of its own.
#[must_use]
pub fn visible_lines(text: &str) -> String {
    text.lines().map(visible).collect::<Vec<_>>().join("\n")
}

/// The first `bytes` bytes of a text at the most, cut on a character boundary and marked with `…` where cut.
/// The mark's three bytes count.
#[must_use]
pub fn cut(text: &str, bytes: usize) -> String {
    if text.len() <= bytes {
        return text.to_owned();
    }
    let room = bytes.saturating_sub('…'.len_utf8());
    let mut out = text.get(..text.floor_char_boundary(room)).unwrap_or_default().to_owned();
    out.push('…');
    out
}

/// Foreign prose on one line: white space folded, hidden characters shown, at most `bytes` bytes.
#[must_use]
pub fn prose(text: &str, bytes: usize) -> String {
    let folded = text.split_whitespace().collect::<Vec<_>>().join(" ");
    cut(&visible(&folded), bytes)
}

/// A hostile string as an error echoes it: cut to [`crate::limits::ECHO_BYTES`], then escaped (ID-4).
#[must_use]
pub fn echo(text: &str) -> String {
    visible(&cut(text, crate::limits::ECHO_BYTES))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cat_5_hidden_characters_become_visible() {
        for hidden in ['\u{1b}', '\u{7f}', '\u{9b}', '\u{200b}', '\u{202e}', '\u{2066}', '\u{feff}', '\u{e0041}', '\u{fe0f}', '\u{ad}'] {
            let shown = visible(&format!("a{hidden}b"));
            assert!(!shown.contains(hidden) && shown.contains("\\u{"), "{shown}");
        }
        assert_eq!(visible("名前 é 🙂"), "名前 é 🙂");
    }

    #[test]
    fn attack_30_lines_end_where_they_ended_and_nowhere_else() {
        assert_eq!(visible_lines("one\n  two \u{1b}[2J\u{202e}\r\n\rthree\r"), "one\n  two \\u{1b}[2J\\u{202e}\n\\u{d}three\\u{d}");
        assert_eq!(visible_lines(&visible_lines("\u{9b}\n")), visible_lines("\u{9b}"));
        assert_eq!(visible_lines(""), "");
    }

    #[test]
    fn id_4_echo_is_cut_and_escaped() {
        assert!(echo(&"é".repeat(1000)).len() <= crate::limits::ECHO_BYTES);
        assert_eq!(echo("a\u{1b}[2J"), "a\\u{1b}[2J");
    }

    #[test]
    fn cuts_fall_on_character_boundaries() {
        assert_eq!(cut("abcdef", 6), "abcdef");
        assert_eq!(cut("abcdefg", 6), "abc…");
        assert_eq!(cut("ééé", 5), "é…");
    }
}
