//! Columns for a person at a terminal, plain lines for a pipe.
//!
//! Is: a table as wide as the terminal, cells folded but for the first; where nobody looks, one line a row. No colour. Every cell is made
//! visible here, whoever wrote it. Clause: CAT-5.

use agent_core::safety::visible;
use comfy_table::presets::NOTHING;
use comfy_table::{ColumnConstraint, ContentArrangement, Table};

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
