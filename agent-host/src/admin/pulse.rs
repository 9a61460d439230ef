//! What of the sessions is another than before, by principal: numbers alone, never data.
//!
//! Is: one look over all sessions for everybody who follows them, cheap enough to be taken many times a second. Is not: what changed;
//! whoever wants that asks. What is not an operator's to see changes nothing of what is theirs. Clause: HOST-3 (see).

use super::handle::Office;
use super::operator::Operator;
use agent_core::session::PrincipalId;
use agent_engine::session::Cell;
use std::collections::BTreeMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

/// What an operator can be behind in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Beat {
    approvals: u64,
    sessions: u64,
    calls: u64,
    stop: u64,
}

impl Beat {
    /// What is another than before.
    pub(crate) fn others(&self, before: &Self) -> Vec<&'static str> {
        let parts = [
            ("approvals", self.approvals != before.approvals),
            ("sessions", self.sessions != before.sessions),
            ("calls", self.calls != before.calls),
            ("stop", self.stop != before.stop),
        ];
        parts.into_iter().filter(|(_, other)| *other).map(|(name, _)| name).collect()
    }

    fn note(&mut self, cell: &Cell) {
        let state = cell.state();
        let (id, waiting) = (&cell.asker().session, state.waiting.as_ref().map(|question| question.id));
        self.sessions = mixed(&(self.sessions, id, state.set, state.ended));
        if let Some(waiting) = waiting {
            self.approvals = mixed(&(self.approvals, waiting));
        }
        for inquiry in &state.inquiries.waiting {
            self.approvals = mixed(&(self.approvals, id, inquiry.index));
        }
        for call in cell.running() {
            self.calls = mixed(&(self.calls, call));
        }
    }

    fn add(&mut self, other: &Self) {
        let parts = [(&mut self.approvals, other.approvals), (&mut self.sessions, other.sessions), (&mut self.calls, other.calls)];
        // Where there is nothing, nothing came.
        for (mine, theirs) in parts.into_iter().filter(|(_, theirs)| *theirs != 0) {
            *mine = mixed(&(*mine, theirs));
        }
    }
}

fn mixed(parts: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    parts.hash(&mut hasher);
    hasher.finish()
}

/// One look.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Pulse {
    by: BTreeMap<PrincipalId, Beat>,
    stop: u64,
}

impl Pulse {
    /// What of it is an operator's to know.
    pub(crate) fn of(&self, operator: &Operator) -> Beat {
        let mut beat = Beat { stop: self.stop, ..Beat::default() };
        self.by.iter().filter(|(principal, _)| operator.sees(principal)).for_each(|(_, theirs)| beat.add(theirs));
        beat
    }
}

impl Office {
    /// Looks once.
    pub(crate) fn pulse(&self) -> Pulse {
        let mut by: BTreeMap<PrincipalId, Beat> = BTreeMap::new();
        for cell in self.desk.sessions() {
            match by.get_mut(&cell.asker().principal) {
                Some(beat) => beat.note(&cell),
                None => by.entry(cell.asker().principal.clone()).or_default().note(&cell),
            }
        }
        Pulse { by, stop: mixed(&self.stopped()) }
    }
}
