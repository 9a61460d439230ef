//! Words that mean about the same in the names of tools.
//!
//! Is: a table for the reader of `synonyms.txt`, by stem. Is not: a thesaurus. Clause: SRCH-5.

use crate::index::words;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

const TEXT: &str = include_str!("synonyms.txt");

static TABLE: LazyLock<BTreeMap<String, BTreeSet<String>>> = LazyLock::new(|| {
    let mut table = BTreeMap::<String, BTreeSet<String>>::new();
    for line in TEXT.lines().filter(|line| !line.starts_with('#')) {
        let stems: Vec<String> = words(line, usize::MAX).into_iter().map(|word| word.stem).collect();
        for stem in &stems {
            table.entry(stem.clone()).or_default().extend(stems.iter().filter(|other| *other != stem).cloned());
        }
    }
    table
});

/// The stems that may stand in for a stem.
pub(super) fn synonyms(stem: &str) -> impl Iterator<Item = &'static String> {
    TABLE.get(stem).into_iter().flatten()
}
