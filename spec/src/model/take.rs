//! What an operator or the session itself takes away, and stopping everything.
//!
//! Clauses: ACT-7, POL-4, REV-1, REV-2, REV-4, AUD-1. Invariants: I-7, I-8.

use super::Model;
use super::call;
use super::ledger::{Change, Stream};
use super::op::{Id, Scope};
use super::seen::{Recorded, Told};

impl Model {
    pub(super) fn deactivate(&mut self, number: usize, ids: &[Id]) -> Told {
        self.carry(number);
        let held = self.holds(number, |id| ids.contains(id));
        if !held.is_empty() {
            self.take(number, &held, "deactivated");
        }
        Told::GivenUp(held)
    }

    /// One tool of one session, whether it is held or not; or what a wider scope meets, held or running. Calls of it that run
    /// are named.
    pub(super) fn revoke(&mut self, scope: &Scope) -> Told {
        let mut taken = Vec::new();
        let mut recorded = Recorded::Yes;
        for number in 0..self.world().sessions.len() {
            if !self.is_there(number) || !self.is_about(scope, number) {
                continue;
            }
            let held = self.holds(number, |id| takes(scope, id));
            let named = if let Scope::One(_, id) = scope {
                vec![id.clone()]
            } else {
                let runs = call::tools(&self.calls, number).into_iter().filter(|id| takes(scope, id));
                held.iter().cloned().chain(runs).collect()
            };
            if named.is_empty() {
                continue;
            }
            let running = call::running(&self.calls, number, Some(&named));
            if self.take(number, &named, "revoked") == Recorded::No {
                recorded = Recorded::No;
            }
            taken.push((number, held, running));
        }
        Told::Taken(taken, recorded)
    }

    fn is_about(&self, scope: &Scope, number: usize) -> bool {
        match scope {
            Scope::One(session, _) | Scope::Session(session) => *session == number,
            Scope::Principal(principal) => self.world().sessions.get(number).is_some_and(|session| session.principal == *principal),
            Scope::Everywhere(_) | Scope::Server(_) => true,
        }
    }

    /// What stands of a person's always is taken back; what sessions hold they keep.
    pub(super) fn forget_standing(&mut self, principal: usize, id: Option<&Id>) -> Told {
        let given = self.world().standing.get(&principal).cloned().unwrap_or_default();
        let gone: Vec<Id> = given.into_keys().filter(|given| id.is_none_or(|id| id == given)).collect();
        if gone.is_empty() {
            return Told::Nothing;
        }
        let id = id.cloned();
        let taken = Change::of(Stream::Principal(principal), move |world| {
            let given = world.standing.entry(principal).or_default();
            given.retain(|given, _| id.as_ref().is_some_and(|id| id != given));
        });
        Told::Forgotten(gone, self.books.narrow(&[taken]))
    }

    pub(super) fn take(&mut self, number: usize, ids: &[Id], how: &'static str) -> Recorded {
        let ids = ids.to_vec();
        self.books.narrow(&[Change::session(number, move |session| session.lose(&ids, how))])
    }

    /// Ends a session with all that it holds and waits for, and names every call of it that runs.
    pub(super) fn close(&mut self, number: usize) -> Told {
        let held = self.holds(number, |_| true);
        let running = call::running(&self.calls, number, None);
        let recorded = self.books.narrow(&[Change::session(number, super::world::Session::close)]);
        self.forget(number);
        Told::Taken(vec![(number, held, running)], recorded)
    }

    /// A session that ended is forgotten once nothing of it is left to record.
    pub(super) fn forget(&mut self, number: usize) {
        let ended = self.session(number).is_some_and(|session| session.ended);
        if ended && !self.books.closed(&[Stream::Session(number)]) {
            self.forgotten.push(number);
        }
    }

    /// What the session holds of a kind, sorted.
    fn holds(&self, number: usize, which: impl Fn(&Id) -> bool) -> Vec<Id> {
        let session = self.session(number).unwrap_or_default();
        let mut ids: Vec<Id> = session.active.into_iter().map(|grant| grant.id).filter(|id| which(id)).collect();
        ids.sort();
        ids
    }

    /// Whether an operator can still name the session.
    pub(super) fn is_there(&self, number: usize) -> bool {
        number < self.world().sessions.len() && !self.forgotten.contains(&number)
    }

    pub(super) fn stop(&mut self) -> Told {
        Told::InEffect(self.books.narrow(&[Change::of(Stream::Host, |world| world.host.stopped = true)]))
    }

    /// Lifting a stop widens: it is recorded first, or doesn't happen.
    pub(super) fn resume(&mut self) -> Told {
        self.books.mend(&[Stream::Host]);
        match self.books.widen(&[Stream::Host], &[Change::of(Stream::Host, |world| world.host.stopped = false)]) {
            Ok(()) => Told::Done,
            Err(code) => Told::Refused(code),
        }
    }
}

fn takes(scope: &Scope, id: &Id) -> bool {
    match scope {
        Scope::One(_, tool) | Scope::Everywhere(tool) => id == tool,
        Scope::Session(_) | Scope::Principal(_) => true,
        Scope::Server(alias) => id.starts_with(&format!("mcp:{alias}/")),
    }
}
