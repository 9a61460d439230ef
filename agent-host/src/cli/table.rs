//! Columns for a person at a terminal, plain lines for a pipe.
//!
//! Is: a table as wide as the terminal, cells folded but for the first; where nobody looks, one line a row. No colour. Every cell is made
//! visible here, whoever wrote it. Clause: CAT-5.

use super::print::Out;
use super::{Exit, Failure};
use agent_core::safety::{is_hidden, visible};
use comfy_table::presets::NOTHING;
use comfy_table::{ColumnConstraint, ContentArrangement, Table};
use serde::Serialize;

/// A table as lines, its header first. None where it has no rows.
pub(super) fn table(header: &[&str], rows: &[Vec<String>], width: Option<u16>) -> Vec<String> {
    if rows.is_empty() {
        return Vec::new();
    }
    let mut table = Table::new();
    table.load_style(NOTHING).set_header(header);
    for row in rows {
        table.add_row(row.iter().map(|cell| visible(cell)));
    }
    match width {
        Some(width) => table.set_content_arrangement(ContentArrangement::Dynamic).set_width(width),
        None => table.set_content_arrangement(ContentArrangement::Disabled),
    };
    table.column_iter_mut().for_each(|column| {
        column.set_padding((0, 2));
    });
    // The first is an id or a name: whole, to be copied.
    if let Some(first) = table.column_mut(0) {
        first.set_constraint(ColumnConstraint::ContentWidth);
    }
    table.lines().map(|line| line.trim_end().to_owned()).collect()
}

/// Columns of the terminal at standard output, if it is one.
pub(super) fn width() -> Option<u16> {
    let size = rustix::termios::tcgetwinsize(std::io::stdout()).ok()?;
    Some(size.ws_col).filter(|columns| *columns > 0)
}

/// Prints lines for as long as somebody reads them.
pub(super) fn print(lines: &[String]) {
    let mut out = Out::new();
    // Where the reader is gone, the rest is nobody's.
    let _ = lines.iter().try_for_each(|line| out.line(line));
}

/// One JSON document, in which hidden characters are escaped.
pub(super) fn json(document: &impl Serialize) -> Result<Vec<String>, Failure> {
    let text = serde_json::to_string_pretty(document).map_err(|error| Failure::new(Exit::Failed, error.to_string()))?;
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        if is_hidden(character) && character != '\n' {
            out.extend(character.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")));
        } else {
            out.push(character);
        }
    }
    Ok(vec![out])
}
