//! Lines no wider than the terminal.
//!
//! Is: cut by columns, at a space where there is one, what goes on begun as the caller says. So no text goes on at the
//! terminal's left edge, where our own lines begin. Clause: CAT-8 (diff). Neighbours: `drift` quotes strangers by it, `demo`
//! tells its story.

use std::os::fd::AsFd;

/// Columns of a terminal that doesn't say how many it has.
const USUAL: usize = 72;

/// Columns that a line has at the least, however narrow the terminal.
const LEAST: usize = 16;

/// The columns of a file that is a terminal.
pub(super) fn columns(file: impl AsFd) -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(file).ok()?;
    Some(if size.ws_col == 0 { USUAL } else { usize::from(size.ws_col) })
}

/// Columns of a character at the most: terminals differ about what is not ASCII.
pub(super) const fn wide(character: char) -> usize {
    if character.is_ascii() { 1 } else { 2 }
}

/// A line in parts that a terminal of so many columns does not wrap itself; the later ones start with `more`.
pub(super) fn wrap(line: &str, columns: usize, more: &str) -> Vec<String> {
    let mut out = Vec::new();
    let (mut rest, mut start) = (line, "");
    // Room for one character at the least, or this would not end.
    while let Some(end) = overflow(rest, columns.max(LEAST).saturating_sub(start.len()).max(2)) {
        let (part, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
        out.push(format!("{start}{part}"));
        (rest, start) = (after, more);
    }
    out.push(format!("{start}{rest}"));
    out
}

/// Where to cut a text that is wider than it may be: after its last space that fits and follows a word.
fn overflow(text: &str, columns: usize) -> Option<usize> {
    let (mut used, mut space) = (0, None);
    for (at, character) in text.char_indices() {
        used += wide(character);
        if used > columns {
            return Some(space.unwrap_or(at));
        }
        if character == ' ' && text.get(..at).is_some_and(|before| !before.trim_start().is_empty()) {
            space = Some(at + 1);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_is_broken_at_spaces() {
        assert_eq!(wrap("one two three four five", 16, "  "), ["one two three ", "  four five"]);
        assert_eq!(wrap("    one two three", 16, ""), ["    one two ", "three"]);
        assert_eq!(wrap("averylongwordthatfits", 16, "  "), ["averylongwordtha", "  tfits"]);
        assert_eq!(wrap("", 16, "  "), [""]);
        assert_eq!(wrap("averylongwordthatfits", 16, &" ".repeat(20)).len(), 4);
    }
}
