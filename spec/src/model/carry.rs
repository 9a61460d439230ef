//! What comes of a new catalog, a new policy, an accepted definition, a later instant and a new process.
//!
//! Clauses: ACT-4, ACT-5, POL-2, CAT-6, CAT-7, CAT-8, AUTH-5, AUD-1. Invariants: I-3, I-8.

use super::Model;
use super::call::Call;
use super::ledger::{Change, Stream};
use super::op::{Id, Policy};
use super::seen::{Recorded, Told};
use super::world::{Grant, Settled};
use std::collections::BTreeMap;

impl Model {
    /// A catalog that changes nothing is not published.
    pub(super) fn publish(&mut self, tools: &BTreeMap<Id, u32>) -> Told {
        if self.published && self.catalog == *tools {
            return Told::Nothing;
        }
        self.published = true;
        self.catalog.clone_from(tools);
        self.carry_all();
        Told::Done
    }

    /// In effect at once; recorded unless it is the one recorded last.
    pub(super) fn set_policy(&mut self, policy: &Policy) -> Told {
        self.policy.clone_from(policy);
        self.books.mend(&[Stream::Host]);
        let mut recorded = Recorded::Yes;
        if self.world().host.policy.as_ref() != Some(policy) {
            let policy = policy.clone();
            let change = Change::of(Stream::Host, move |world| world.host.policy = Some(policy.clone()));
            if self.books.widen(&[Stream::Host], &[change]).is_err() {
                recorded = Recorded::No;
            }
        }
        self.carry_all();
        Told::InEffect(recorded)
    }

    /// Accepts what a tool is now: grants of what it was are gone for good.
    pub(super) fn accept(&mut self, id: &Id) -> Told {
        let Some(live) = self.catalog.get(id).copied() else { return Told::Nothing };
        self.books.mend(&[Stream::Host]);
        let tool = id.clone();
        let pinned = Change::of(Stream::Host, move |world| world.host.pins.extend([(tool.clone(), live)]));
        let done = self.books.widen(&[Stream::Host], &[pinned]);
        self.carry_all();
        done.map_or_else(Told::Refused, |()| Told::Done)
    }

    pub(super) fn advance(&mut self, ms: u64) -> Told {
        self.now += ms;
        self.tick();
        Told::Done
    }

    /// Mends what can be mended, and ends what came to its end.
    fn tick(&mut self) {
        self.books.mend(&[Stream::Host]);
        for number in 0..self.world().sessions.len() {
            if self.is_there(number) {
                self.mended(number);
                self.forget(number);
            }
        }
        self.carry_all();
    }

    fn carry_all(&mut self) {
        for number in 0..self.world().sessions.len() {
            if self.is_there(number) {
                self.carry(number);
            }
        }
    }

    /// Brings a session in line with what is the case: what narrows is in effect whether it is recorded or not; a
    /// suspension is lifted if that can be recorded.
    pub(super) fn carry(&mut self, number: usize) {
        let session = self.session(number).unwrap_or_default();
        let (mut over, mut replaced, mut worse) = (Vec::new(), Vec::new(), Vec::new());
        for grant in &session.active {
            match self.unfit(&session, grant) {
                _ if self.over(grant) => over.push(grant.id.clone()),
                _ if self.replaced(grant) => replaced.push(grant.id.clone()),
                Some(why) if grant.suspended != Some(why) => worse.push((grant.id.clone(), Some(why))),
                _ => {}
            }
        }
        if !worse.is_empty() {
            self.books.narrow(&[Change::session(number, move |session| session.mark(&worse))]);
        }
        if !over.is_empty() {
            self.take(number, &over, "expired");
        }
        if !replaced.is_empty() {
            self.take(number, &replaced, "replaced");
        }
        match &session.waiting {
            Some(question) if self.now >= question.expires => drop(self.withdraw(number, question.number, Settled::Expired)),
            Some(question) if !self.stands(&session, question) => drop(self.withdraw(number, question.number, Settled::Withdrawn)),
            _ => {}
        }
        let session = self.session(number).unwrap_or_default();
        let fit_again = |grant: &&Grant| grant.suspended.is_some() && self.unfit(&session, grant).is_none();
        let better: Vec<_> = session.active.iter().filter(fit_again).map(|grant| (grant.id.clone(), None)).collect();
        if !better.is_empty() {
            let lifted = Change::session(number, move |session| session.mark(&better));
            self.books.widen(&Self::streams(number, &session), &[lifted]).unwrap_or_default();
        }
    }

    /// Sets are retained; no question waits and no call runs any longer. Where something was in effect that the ledger
    /// doesn't hold, everything is stopped.
    pub(super) fn restart(&mut self) -> Told {
        let forgotten = self.books.restart();
        self.asks.clear();
        self.calls.iter_mut().for_each(Call::forget);
        let ended = |session: &(usize, &super::world::Session)| session.1.ended;
        self.lost = self.world().sessions.iter().enumerate().filter(ended).map(|(number, _)| number).collect();
        self.forgotten.clone_from(&self.lost);
        for number in 0..self.world().sessions.len() {
            if let Some(question) = self.session(number).and_then(|session| session.waiting) {
                self.withdraw(number, question.number, Settled::Withdrawn);
            }
        }
        if forgotten {
            self.stop();
        }
        self.carry_all();
        self.tick();
        Told::Done
    }
}
