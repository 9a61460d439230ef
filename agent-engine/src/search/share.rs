//! A server's share of a page.
//!
//! Is: a walk down the ranking that lets others pass where one server has had its share and they answer about as well, so that
//! a server of two hundred near copies can't fill a page. Is not: a bound where nobody else answers, nor one that a limit
//! moves: each place is filled by what stands before it alone. Clause: SRCH-7.

use super::{Hit, Tier};
use agent_core::id::Alias;
use std::collections::BTreeMap;

/// Hits that are looked at for a page.
pub(super) const LOOKED_AT: usize = 64;
/// Places that any server may have.
const FREE: usize = 3;
/// How well another has to answer, in hundredths of the points of who lets it pass.
const AS_WELL: u64 = 60;

/// Brings hits into the order of their page.
pub(super) fn share(mut left: Vec<Hit>, server: impl Fn(&Hit) -> Option<Alias>) -> Vec<Hit> {
    let mut had = BTreeMap::<Option<Alias>, usize>::new();
    let mut page = Vec::with_capacity(left.len());
    while let Some(next) = left.first().copied() {
        let full = |hit: &Hit| hit.tier == Tier::Words && had.get(&server(hit)).is_some_and(|had| *had >= FREE.max(page.len() / 2));
        let as_well = |hit: &Hit| hit.tier == Tier::Words && hit.points * 100 >= next.points * AS_WELL;
        let other = if full(&next) { left.iter().position(|hit| as_well(hit) && !full(hit)) } else { None };
        let hit = left.remove(other.unwrap_or(0));
        *had.entry(server(&hit)).or_default() += 1;
        page.push(hit);
    }
    page
}
