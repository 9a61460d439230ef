//! Tools whose names hold a query's words within them, for where nothing better fills a page.
//!
//! Is not: a match of words; these hits stand below all others. Clauses: SRCH-3, SRCH-5.

use super::at;
use super::hit::{Hit, Tier};
use super::query::Query;
use crate::index::Index;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Tools that hold no word of the query, and more than half of its words within their names; notes the words that they answer.
pub(super) fn inner(index: &Index, query: &Query, within: &Range<usize>, points: &[f32], answered: &mut BTreeSet<usize>) -> Vec<Hit> {
    let mut parts = BTreeMap::<usize, (usize, Vec<usize>)>::new();
    for (word, part) in query.inner() {
        for doc in index.names().holding(part).into_iter().filter(|doc| within.contains(doc) && at(points, *doc) == 0.0) {
            let (bytes, words) = parts.entry(doc).or_default();
            *bytes += part.len();
            words.push(word);
        }
    }
    let asked = query.asked().count();
    parts.retain(|_, (_, words)| words.len() * 2 > asked);
    answered.extend(parts.values().flat_map(|(_, words)| words));
    let hit = |(doc, (bytes, _)): (usize, (usize, _))| {
        Some(Hit { tier: Tier::Inner, points: u32::try_from(bytes).ok()?, meaning: 0, clause: 0, doc: u32::try_from(doc).ok()? })
    };
    parts.into_iter().filter_map(hit).collect()
}
