//! A call in its three steps: admitted, permitted and so running, ended.
//!
//! Clauses: GATE-1, GATE-3, GATE-6, REV-2, AUD-1. Invariants: I-3, I-7, I-8.

use super::Model;
use super::op::Id;
use super::seen::Told;

/// One call that somebody tried to make.
pub(super) struct Call {
    session: usize,
    id: Id,
    /// The batch of the grant that it was admitted by.
    batch: u64,
    stage: Stage,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Admitted,
    Running,
    Over,
}

impl Call {
    /// What the end of the process does to it.
    pub(super) const fn forget(&mut self) {
        self.stage = Stage::Over;
    }
}

/// The running calls of a session, of these tools where some are named, by number.
pub(super) fn running(calls: &[Call], session: usize, of: Option<&[Id]>) -> Vec<usize> {
    let runs = |call: &Call| call.stage == Stage::Running && call.session == session;
    let wanted = |call: &Call| of.is_none_or(|ids| ids.contains(&call.id));
    calls.iter().enumerate().filter(|(_, call)| runs(call) && wanted(call)).map(|(number, _)| number).collect()
}

/// The tools of a session's running calls.
pub(super) fn tools(calls: &[Call], session: usize) -> Vec<Id> {
    let runs = calls.iter().filter(|call| call.stage == Stage::Running && call.session == session);
    runs.map(|call| call.id.clone()).collect()
}

impl Model {
    /// Decides first, with nothing reserved.
    pub(super) fn admit(&mut self, session: usize, id: &Id) -> Told {
        self.mended(session);
        let decided = self.gate(session, id);
        let told = decided.as_ref().map_or_else(|code| Told::Refused(code), |_| Told::Admitted);
        let stage = if decided.is_ok() { Stage::Admitted } else { Stage::Over };
        self.calls.push(Call { session, id: id.clone(), batch: decided.map_or(0, |grant| grant.batch), stage });
        told
    }

    /// Records the start, then decides again: the same grant must still hold.
    pub(super) fn permit(&mut self, nth: usize) -> Told {
        let Some(number) = self.pick(nth, |stage| stage == Stage::Admitted) else { return Told::Nothing };
        let Some((session, id, batch)) = self.calls.get(number).map(|call| (call.session, call.id.clone(), call.batch)) else {
            return Told::Nothing;
        };
        let started = self.books.start(session);
        let again = started.and_then(|()| self.gate(session, &id));
        let decided = again.and_then(|grant| if grant.batch == batch { Ok(()) } else { Err("drifted") });
        if decided.is_ok() {
            self.books.count(session, &id, batch);
        }
        self.set_stage(number, if decided.is_ok() { Stage::Running } else { Stage::Over });
        decided.map_or_else(Told::Refused, |()| Told::Running)
    }

    pub(super) fn end(&mut self, nth: usize) -> Told {
        self.finish(nth, |stage| stage == Stage::Running)
    }

    /// A call whose caller went away doesn't start, and doesn't run on.
    pub(super) fn drop_call(&mut self, nth: usize) -> Told {
        self.finish(nth, |stage| stage != Stage::Over)
    }

    fn finish(&mut self, nth: usize, which: fn(Stage) -> bool) -> Told {
        let Some(number) = self.pick(nth, which) else { return Told::Nothing };
        self.set_stage(number, Stage::Over);
        Told::Done
    }

    fn set_stage(&mut self, number: usize, stage: Stage) {
        self.calls.get_mut(number).into_iter().for_each(|call| call.stage = stage);
    }

    fn pick(&self, nth: usize, which: fn(Stage) -> bool) -> Option<usize> {
        let found: Vec<usize> = self.calls.iter().enumerate().filter(|(_, call)| which(call.stage)).map(|(number, _)| number).collect();
        found.get(nth.checked_rem(found.len())?).copied()
    }
}
