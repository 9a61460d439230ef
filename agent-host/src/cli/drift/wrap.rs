//! Lines no wider than the terminal, so that no text goes on at its left edge, where ours begin.
//!
//! Is: cut by columns, at a space where there is one; what goes on is quoted. Where nobody looks, lines stay whole.
//! Clause: CAT-8 (diff).

use super::QUOTE;
use std::os::fd::AsFd;

/// Columns of a terminal that doesn't say how many it has.
const USUAL: usize = 72;

/// Columns that a line has at the least, however narrow the terminal.
const LEAST: usize = 16;

/// The columns of a file that is a terminal.
pub(in crate::cli) fn columns(file: impl AsFd) -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(file).ok()?;
    Some(if size.ws_col == 0 { USUAL } else { usize::from(size.ws_col) })
}

/// Lines that a terminal of so many columns does not wrap itself.
pub(in crate::cli) fn wrapped(lines: Vec<String>, columns: Option<usize>) -> Vec<String> {
    let Some(columns) = columns else { return lines };
    lines.iter().flat_map(|line| wrap(line, columns.max(LEAST))).collect()
}

fn wrap(line: &str, columns: usize) -> Vec<String> {
    let mut out = Vec::new();
    let (mut rest, mut start) = (line, "");
    while let Some(end) = overflow(rest, columns - start.len()) {
        let (part, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
        out.push(format!("{start}{part}"));
        (rest, start) = (after, QUOTE);
    }
    out.push(format!("{start}{rest}"));
    out
}

/// Where to cut a text that is wider than it may be: after its last space that fits and follows a word.
fn overflow(text: &str, columns: usize) -> Option<usize> {
    let (mut used, mut space) = (0, None);
    for (at, character) in text.char_indices() {
        // Terminals differ about the rest. Two is the most that one of them gives.
        used += if character.is_ascii() { 1 } else { 2 };
        if used > columns {
            return Some(space.unwrap_or(at));
        }
        if character == ' ' && text.get(..at).is_some_and(|before| !before.trim_start().is_empty()) {
            space = Some(at + 1);
        }
    }
    None
}
