//! Columns for a person at a terminal, plain lines for a pipe.
//!
//! Is: a table as wide as the terminal, cells folded between words but for the first; one line a row where nobody looks, and
//! where the terminal is too narrow for that. No colour. Every cell is made visible here, whoever wrote it. Clause: CAT-5.

use super::wrap::{columns, wide};
use agent_core::safety::visible;
use comfy_table::presets::NOTHING;
use comfy_table::{ColumnConstraint, ContentArrangement, Table, Width};

/// Between two columns.
const GAP: u16 = 2;

/// A table as lines, its header first. None where it has no rows.
pub(super) fn table(header: &[&str], rows: &[Vec<String>], width: Option<u16>) -> Vec<String> {
    if rows.is_empty() {
        return Vec::new();
    }
    let rows: Vec<Vec<String>> = rows.iter().map(|row| row.iter().map(|cell| visible(cell)).collect()).collect();
    let least: Vec<u16> = header.iter().enumerate().map(|(at, head)| least(at, head, &rows)).collect();
    let all = least.iter().fold(0_u16, |all, width| all.saturating_add(*width));
    let mut table = Table::new();
    table.load_style(NOTHING).set_header(header).add_rows(&rows);
    match width.filter(|width| all <= *width) {
        Some(width) => table.set_content_arrangement(ContentArrangement::Dynamic).set_width(width),
        None => table.set_content_arrangement(ContentArrangement::Disabled),
    };
    for (at, (column, least)) in table.column_iter_mut().zip(least).enumerate() {
        column.set_padding((0, GAP));
        // The first is an id or a name: whole, to be copied.
        let whole = ColumnConstraint::ContentWidth;
        column.set_constraint(if at == 0 { whole } else { ColumnConstraint::LowerBoundary(Width::Fixed(least)) });
    }
    table.lines().map(|line| line.trim_end().to_owned()).collect()
}

/// What a column needs at the least, so that no word of it is folded; of the first, no cell.
fn least(at: usize, head: &str, rows: &[Vec<String>]) -> u16 {
    let cells = std::iter::once(head).chain(rows.iter().filter_map(|row| row.get(at)).map(String::as_str));
    let columns = |text: &str| text.chars().map(wide).sum::<usize>();
    let longest = |cell: &str| if at == 0 { columns(cell) } else { cell.split(' ').map(columns).max().unwrap_or_default() };
    u16::try_from(cells.map(longest).max().unwrap_or_default()).unwrap_or(u16::MAX).saturating_add(GAP)
}

/// Columns of the terminal at standard output, if it is one.
pub(super) fn width() -> Option<u16> {
    columns(std::io::stdout()).and_then(|columns| u16::try_from(columns).ok())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn words_are_never_folded_and_a_narrow_terminal_gets_plain_lines() {
        let header = ["SERVER", "STATE", "REFUSED", "COMMAND"];
        let row = |cells: [&str; 4]| cells.map(str::to_owned).to_vec();
        let rows =
            [row(["everything", "not in the running host", "1", "npx -y @modelcontextprotocol/server"]), row(["a", "-", "12", "uvx x"])];
        let plain = table(&header, &rows, None);
        assert_eq!(plain.len(), 3);
        let mut folded = 0;
        for width in 1..120 {
            let lines = table(&header, &rows, Some(width));
            if lines == plain {
                continue;
            }
            folded += 1;
            assert!(lines.iter().all(|line| line.chars().count() <= width.into()), "{width}: {lines:#?}");
            let words: Vec<&str> = lines.iter().flat_map(|line| line.split_whitespace()).collect();
            for word in header.iter().copied().chain(rows.iter().flatten().flat_map(|cell| cell.split(' '))) {
                assert!(words.contains(&word), "{width}: {word}: {lines:#?}");
            }
        }
        assert!(folded > 10, "{folded}");
    }
}
