//! The page of what is not there yet has a row for each row of the spec's table that says *later*, and no other.

use super::pages::text;
use std::collections::BTreeSet;

/// The first cells of a table's rows, where the second passes.
fn rows(page: &str, passes: impl Fn(&str) -> bool) -> BTreeSet<String> {
    let cells = page.lines().filter_map(|line| line.strip_prefix("| ")?.split_once(" | "));
    let clause = |cell: &str| cell.split_once('-').is_some_and(|(letters, _)| letters.bytes().all(|byte| byte.is_ascii_uppercase()));
    cells.filter(|(cell, rest)| clause(cell) && passes(rest)).map(|(cell, _)| cell.to_owned()).collect()
}

#[test]
fn what_the_spec_calls_later_is_what_the_book_calls_absent() {
    let later = rows(&text("spec/README.md"), |rest| rest.starts_with("later"));
    assert!(!later.is_empty(), "no row of the spec's table says `later`");
    let told = rows(&text("docs/src/absent.md"), |_| true);
    let (unsaid, gone) = (later.difference(&told).collect::<Vec<_>>(), told.difference(&later).collect::<Vec<_>>());
    assert!(unsaid.is_empty() && gone.is_empty(), "docs/src/absent.md lacks {unsaid:?}, and has {gone:?}, which are there");
}
