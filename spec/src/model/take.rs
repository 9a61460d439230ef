//! What narrows, and what comes of a new catalog, policy, pin or instant: giving up, taking back, carrying over, stopping.
//!
//! Clauses: ACT-5, ACT-7, REV-1, REV-2, REV-4, POL-2, CAT-8, AUD-1. Invariants: I-7, I-8.

use super::Model;
use super::call;
use super::ledger::{Change, Stream};
use super::op::{Id, Policy, Scope};
use super::seen::{Recorded, Told};
use super::world::{Session, Settled, World};
use std::collections::BTreeMap;
use std::rc::Rc;

impl Model {
    pub(super) fn deactivate(&mut self, number: usize, ids: &[Id]) -> Told {
        match self.world().sessions.get(number) {
            None => Told::Nothing,
            Some(session) if session.ended => Told::Refused("session-ended"),
            Some(_) => self.take(&[number], Some(ids), "deactivated"),
        }
    }

    pub(super) fn revoke(&mut self, scope: &Scope) -> Told {
        let every: Vec<usize> = (0..self.world().sessions.len()).collect();
        match scope {
            Scope::One(number, _) | Scope::Session(number) if !every.contains(number) => Told::Nothing,
            Scope::One(number, id) => self.take(&[*number], Some(std::slice::from_ref(id)), "revoked"),
            Scope::Everywhere(id) => self.take(&every, Some(std::slice::from_ref(id)), "revoked"),
            Scope::Session(number) => self.close(*number),
        }
    }

    /// Takes these ids, or all, from these sessions; those that hold none of them are untouched.
    fn take(&mut self, numbers: &[usize], ids: Option<&[Id]>, how: &'static str) -> Told {
        let mut taken = Vec::new();
        let mut recorded = Recorded::Yes;
        for number in numbers.iter().copied() {
            let held = self.holds(number, |id| ids.is_none_or(|ids| ids.contains(id)));
            if held.is_empty() {
                continue;
            }
            taken.push((number, held.clone(), call::running(&self.calls, number, Some(&held))));
            let lost: Change = Rc::new(move |world| world.with(number, |session| session.lose(&held, how)));
            if self.books.narrow(&[Stream::Session(number)], lost) == Recorded::No {
                recorded = Recorded::No;
            }
        }
        Told::Taken(taken, recorded)
    }

    /// Ends a session with all that it holds and waits for.
    fn close(&mut self, number: usize) -> Told {
        let held = self.holds(number, |_| true);
        let ended = self.world().sessions.get(number).is_none_or(|session| session.ended);
        if ended {
            return Told::Taken(Vec::new(), Recorded::Yes);
        }
        let running = call::running(&self.calls, number, None);
        let lost = held.clone();
        let closed: Change = Rc::new(move |world| {
            world.with(number, |session| {
                session.lose(&lost, "ended");
                session.ended = true;
                if let Some(question) = session.waiting.clone() {
                    session.settle(Some(question.number), Settled::Withdrawn);
                }
            });
        });
        let recorded = self.books.narrow(&[Stream::Session(number)], closed);
        Told::Taken(vec![(number, held, running)], recorded)
    }

    /// What the session holds of a kind, sorted.
    fn holds(&self, number: usize, which: impl Fn(&Id) -> bool) -> Vec<Id> {
        let session = self.world().sessions.get(number).cloned().unwrap_or_default();
        let mut ids: Vec<Id> = session.active.into_iter().map(|grant| grant.id).filter(|id| which(id)).collect();
        ids.sort();
        ids
    }

    pub(super) fn publish(&mut self, tools: &BTreeMap<Id, u32>) -> Told {
        self.catalog.clone_from(tools);
        self.carry_over();
        Told::Done
    }

    pub(super) fn set_policy(&mut self, policy: &Policy) -> Told {
        self.policy.clone_from(policy);
        self.carry_over();
        Told::Done
    }

    /// Accepts what a tool is now: grants of what it was are gone for good.
    pub(super) fn accept(&mut self, id: &Id) -> Told {
        let Some(live) = self.catalog.get(id).copied() else { return Told::Refused("unknown-ids") };
        let tool = id.clone();
        let pinned: Change = Rc::new(move |world| world.pin(&tool, live));
        if let Err(code) = self.books.widen(&pinned) {
            return Told::Refused(code);
        }
        for number in 0..self.world().sessions.len() {
            let old = |session: &Session| session.held(id).is_some_and(|grant| grant.definition != live);
            if self.world().sessions.get(number).is_some_and(old) {
                self.take(&[number], Some(std::slice::from_ref(id)), "replaced");
            }
        }
        self.carry_over();
        Told::Done
    }

    /// Writes down of every grant whether it can be used now: at most one change that suspends and one that lifts.
    fn carry_over(&mut self) {
        for number in 0..self.world().sessions.len() {
            let session = self.world().sessions.get(number).cloned().unwrap_or_default();
            let (mut worse, mut better) = (Vec::new(), Vec::new());
            for grant in &session.active {
                match self.unfit(&session, grant) {
                    why if why == grant.suspended => {}
                    None => better.push((grant.id.clone(), None)),
                    why => worse.push((grant.id.clone(), why)),
                }
            }
            if !worse.is_empty() {
                let lowered = Rc::new(move |world: &mut World| world.with(number, |session| session.mark(&worse)));
                self.books.narrow(&[Stream::Session(number)], lowered);
            }
            if !better.is_empty() {
                let lifted: Change = Rc::new(move |world| world.with(number, |session| session.mark(&better)));
                self.books.widen(&lifted).unwrap_or_default();
            }
        }
    }

    pub(super) fn advance(&mut self, ms: u64) -> Told {
        self.now += ms;
        self.tick();
        Told::Done
    }

    /// Ends what came to its end.
    fn tick(&mut self) {
        for number in 0..self.world().sessions.len() {
            let session = self.world().sessions.get(number).cloned().unwrap_or_default();
            let over: Vec<Id> = session.active.iter().filter(|grant| self.over(grant)).map(|grant| grant.id.clone()).collect();
            if !over.is_empty() {
                self.take(&[number], Some(&over), "expired");
            }
            if let Some(question) = session.waiting.filter(|question| self.now >= question.expires) {
                self.withdraw(number, question.number, Settled::Expired);
            }
        }
        self.carry_over();
    }

    pub(super) fn stop(&mut self) -> Told {
        self.books.narrow(&[Stream::Host], Rc::new(|world: &mut World| world.stopped = true));
        Told::Done
    }

    /// Lifting a stop widens: it is recorded first, or doesn't happen.
    pub(super) fn resume(&mut self) -> Told {
        let resumed: Change = Rc::new(|world| world.stopped = false);
        match self.books.widen(&resumed) {
            Ok(()) => Told::Done,
            Err(code) => Told::Refused(code),
        }
    }

    /// Sets are retained; no question waits and no call runs any longer.
    pub(super) fn restart(&mut self) -> Told {
        self.books.restart();
        self.calls.iter_mut().for_each(call::Call::forget);
        for number in 0..self.world().sessions.len() {
            let waiting = self.world().sessions.get(number).and_then(|session| session.waiting.clone());
            if let Some(question) = waiting {
                self.withdraw(number, question.number, Settled::Withdrawn);
            }
        }
        self.tick();
        Told::Done
    }
}
