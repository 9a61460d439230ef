//! Whether the text of a lock file shows a reviewer what it holds.
//!
//! Is: a look at the characters, and at white space and escapes that are never written. Is not: a comparison with what would be
//! written; members in another order or on one line can be read all the same. Clause: CAT-7 (lock, sync).

use agent_core::safety::{is_blank, is_hidden};

/// White space in a row that is read. Indentation is shorter, however deep a definition is.
const WHITE: usize = 100;
/// White space in a row inside of a string that is written as it is.
const WRITTEN: usize = 32;

/// The first line, from 1, on which something could be overlooked, and what it is.
pub(super) fn check(text: &str) -> Result<(), (usize, String)> {
    let (mut line, mut white, mut feeds) = (1, 0, 0);
    let mut characters = text.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '\\' => {
                (white, feeds) = (0, 0);
                characters.next();
                escape(text.get(at..).unwrap_or_default()).map_err(|what| (line, what))?;
            }
            '!'..='~' => (white, feeds) = (0, 0),
            ' ' => white += 1,
            '\n' => (white, feeds) = (white + 1, feeds + 1),
            hidden if is_hidden(hidden) => {
                return Err((line, format!("a character that can't be seen, `{}`", hidden.escape_unicode())));
            }
            blank if is_blank(blank) => white += 1,
            _ => (white, feeds) = (0, 0),
        }
        if white > WHITE || feeds > 1 {
            return Err((line, "more white space in a row than is ever written".to_owned()));
        }
        line += usize::from(character == '\n');
    }
    Ok(())
}

/// What can be seen stands there as it is.
fn escape(text: &str) -> Result<(), String> {
    match escaped(text) {
        Some(character) if !is_hidden(character) && !is_blank(character) => {
            Err(format!("`{}` is written in numbers, which hides it", character.escape_default()))
        }
        _ => Ok(()),
    }
}

/// The character that a text begins with as `\uXXXX`, or as two of them.
fn escaped(text: &str) -> Option<char> {
    let unit = |at: usize| text.get(at..at + 2).filter(|mark| *mark == "\\u").and(text.get(at + 2..at + 6));
    let number = |digits: &str| u16::from_str_radix(digits, 16).ok();
    let units = [unit(0).and_then(number)?].into_iter().chain(unit(6).and_then(number));
    char::decode_utf16(units).next()?.ok()
}

/// A string of JSON in which white space in a row past what is written as it is stands in numbers.
pub(super) fn counted(json: &str, out: &mut String) {
    let mut white = 0;
    for character in json.chars() {
        white = if is_blank(character) { white + 1 } else { 0 };
        if white > WRITTEN {
            units(character, out);
        } else {
            out.push(character);
        }
    }
}

/// A character by its UTF-16 units.
pub(super) fn units(character: char, out: &mut String) {
    out.extend(character.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")));
}
