//! What happened lately, counted from the ledger's records as they come.
//!
//! Is: a memory of counts, by time and principal; each look reads what was recorded since the last one, so that a page opens at once.
//! Is not: a second truth: it starts anew with the host, from the last records alone. Clause: AUD-1 (records are what is counted).

use super::{Counts, Operator, Span};
use crate::store::StoreError;
use crate::store::audit::Audit;
use agent_core::outcome::End;
use agent_core::request::Decider;
use agent_core::session::{PrincipalId, SessionId};
use agent_core::transition::{Record, Stream, Transition};
use std::collections::BTreeMap;
use std::path::Path;

/// How fine it counts, in milliseconds.
const FINE: u64 = 2 * 60_000;
/// How long it remembers, in milliseconds: a week.
const KEPT: u64 = 7 * 24 * 3_600_000;
/// Sessions whose principal it remembers; past it they are looked up anew.
const OWNERS: usize = 65_536;

/// The counts.
#[derive(Debug, Default)]
pub(super) struct Tally {
    /// The last record that was counted.
    seq: u64,
    /// By when, then by whom; what is nobody's is the host's.
    counts: BTreeMap<u64, BTreeMap<Option<PrincipalId>, Counts>>,
    owners: BTreeMap<SessionId, Option<PrincipalId>>,
}

impl Tally {
    /// Counts what was recorded since the last look.
    pub(super) fn read(&mut self, state: &Path) -> Result<(), StoreError> {
        let audit = Audit::open(state)?;
        audit.after(self.seq, |record| self.count(&record, &audit))?;
        let newest = self.counts.last_key_value().map_or(0, |(at, _)| *at);
        self.counts = self.counts.split_off(&newest.saturating_sub(KEPT));
        Ok(())
    }

    fn count(&mut self, record: &Record, audit: &Audit) {
        self.seq = record.seq;
        let whose = match &record.stream {
            Stream::Host => None,
            Stream::Principal(principal) => Some(principal.clone()),
            Stream::Session(session) => self.owner(*session, &record.what, audit),
        };
        let counts = self.counts.entry(record.at.wall / FINE * FINE).or_default().entry(whose).or_default();
        match &record.what {
            Transition::Opened { .. } => counts.opened += 1,
            Transition::Granted { grants, .. } => {
                counts.activated += grants.len() as u64;
                counts.approved += u64::from(grants.first().is_some_and(|grant| matches!(grant.by, Decider::Person { .. })));
            }
            Transition::Answered { .. } => counts.denied += 1,
            Transition::Starting { .. } => counts.calls += 1,
            Transition::Ended { end, .. } => counts.errors += u64::from(*end != End::Ok),
            Transition::Searched { count, .. } => counts.searches += count,
            Transition::Refused { count, .. } => counts.refused += count,
            _ => {}
        }
    }

    fn owner(&mut self, session: SessionId, what: &Transition, audit: &Audit) -> Option<PrincipalId> {
        if self.owners.len() >= OWNERS {
            self.owners.clear();
        }
        let owner = || match what {
            Transition::Opened { asker, .. } => Some(asker.principal.clone()),
            _ => audit.owner(session),
        };
        self.owners.entry(session).or_insert_with(owner).clone()
    }

    /// What an operator may know of, by time up to now, and from when.
    pub(super) fn shown(&self, operator: &Operator, span: Span, now: u64) -> (u64, Vec<Counts>) {
        let (width, count) = span.buckets();
        let from = (now / width + 1).saturating_sub(count as u64) * width;
        let mut buckets = vec![Counts::default(); count];
        for (at, by) in self.counts.range(from..) {
            let place = usize::try_from((at - from) / width).unwrap_or(usize::MAX);
            let Some(bucket) = buckets.get_mut(place) else { break };
            by.iter().filter(|(whose, _)| sees(operator, whose.as_ref())).for_each(|(_, counts)| bucket.add(counts));
        }
        (from, buckets)
    }
}

/// Whether what is somebody's, or the host's, is an operator's to see.
pub(super) fn sees(operator: &Operator, whose: Option<&PrincipalId>) -> bool {
    whose.map_or(operator.over == super::Over::All, |principal| operator.sees(principal))
}
