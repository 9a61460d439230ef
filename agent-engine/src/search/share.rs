//! A server's share of a page.
//!
//! Is: a walk down the ranking that lets others pass where one server has had its share and they answer about as well, so that
//! a server of two hundred near copies can't fill a page. Is not: a bound where nobody else answers, nor one that a limit
//! moves: each place is filled by what stands before it alone. Clause: SRCH-7.

use super::hit::{Hit, Tier};
use agent_core::limits::HITS_MAX;
use std::collections::BTreeMap;

/// Hits that are looked at for a page.
pub(super) const LOOKED_AT: usize = 64;
/// Places that any server may have.
const FREE: usize = 3;
/// How well another has to answer, in hundredths of the points of who lets it pass.
const AS_WELL: u32 = 60;

/// The best of each server, as many as a page can hold, so that one can't fill what is looked at. Hits of a server stand together.
pub(super) fn bounded(found: &mut [Hit], server: impl Fn(&Hit) -> usize) -> Vec<Hit> {
    let mut kept = Vec::new();
    for some in found.chunk_by_mut(|a, b| server(a) == server(b)) {
        if some.len() > HITS_MAX {
            some.select_nth_unstable(HITS_MAX);
        }
        kept.extend(some.iter().take(HITS_MAX));
    }
    kept
}

/// The hits of a page, in its order.
pub(super) fn share(mut left: Vec<Hit>, server: impl Fn(&Hit) -> usize) -> Vec<Hit> {
    let mut had = BTreeMap::<usize, usize>::new();
    let mut page = Vec::with_capacity(HITS_MAX);
    let shared = |hit: &Hit| matches!(hit.tier, Tier::Words | Tier::Inner);
    while let Some(next) = left.first().copied().filter(|_| page.len() < HITS_MAX) {
        let full = |hit: &Hit| shared(hit) && had.get(&server(hit)).is_some_and(|had| *had >= FREE.max(page.len() / 2));
        let as_well = |hit: &Hit| hit.tier == next.tier && hit.points * 100 >= next.points * AS_WELL;
        let other = if full(&next) { left.iter().position(|hit| as_well(hit) && !full(hit)) } else { None };
        let hit = left.remove(other.unwrap_or(0));
        *had.entry(server(&hit)).or_default() += 1;
        page.push(hit);
    }
    page
}
