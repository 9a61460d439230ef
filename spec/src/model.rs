//! The reference model: one state in vectors and maps, one function per operation, every rule a scan.
//!
//! Is: a `System` that is stepped beside the engine. Is not: fast, concurrent or durable, nor made of the folds of
//! `agent-core`; a mistake there must not be made here too. It says nothing about ranking, texts or argument schemas.
//! Clauses: CAT-7, CAT-8, POL-1..4, AUTH-5..7, ACT-1, 2, 4, 5, 6, 7, 9, GATE-1, 2, 3, 6, REV-1, 2, 4, AUD-1.

mod ask;
mod call;
mod carry;
mod ledger;
mod op;
mod rules;
mod seen;
mod take;
mod world;

pub use op::{Answer, Commits, Decision, Id, Op, Policy, Scope, Which};
pub use seen::{Face, Recorded, Seen, System, Told};

use call::Call;
use ledger::Books;
use std::collections::BTreeMap;
use world::World;

/// The whole system as the rules have it.
#[derive(Default)]
pub struct Model {
    catalog: BTreeMap<Id, u32>,
    /// Whether there ever was a catalog.
    published: bool,
    policy: Policy,
    /// Milliseconds since the beginning.
    now: u64,
    books: Books,
    calls: Vec<Call>,
    numbers: u64,
    /// When each principal's questions were put, since the process started.
    asks: BTreeMap<usize, Vec<u64>>,
    /// Sessions that ended and that an operator can't name any more.
    forgotten: Vec<usize>,
    /// Sessions that ended before the last restart, which nobody can name any more.
    lost: Vec<usize>,
}

impl Model {
    /// What is in effect.
    const fn world(&self) -> &World {
        &self.books.live
    }

    /// Of a session that nobody can name there is nothing to be done.
    fn of(&mut self, session: usize, act: impl FnOnce(&mut Self) -> Told) -> Told {
        if self.session(session).is_some() { act(self) } else { Told::Nothing }
    }

    fn act(&mut self, op: &Op) -> Told {
        match op {
            Op::Publish(tools) => self.publish(tools),
            Op::SetPolicy(policy) => self.set_policy(policy),
            Op::Open { principal, profile } => self.open(*principal, *profile),
            Op::Search { session } => self.of(*session, |model| model.search(*session)),
            Op::Request { session, ids, dropped } => {
                let told = self.of(*session, |model| model.request(*session, ids));
                if *dropped { Told::Nothing } else { told }
            }
            Op::Answer { session, which, right, answer } => self.of(*session, |model| model.answer(*session, *which, *right, answer)),
            Op::Wait { session } => self.of(*session, |model| model.wait(*session)),
            Op::Deactivate { session, ids } => self.of(*session, |model| model.deactivate(*session, ids)),
            Op::Revoke(scope) => self.revoke(scope),
            Op::Forget { principal, id } => self.forget_standing(*principal, id.as_ref()),
            Op::Close { session } => self.of(*session, |model| model.close(*session)),
            Op::Accept(id) => self.accept(id),
            Op::Advance(ms) => self.advance(*ms),
            Op::Stop => self.stop(),
            Op::Resume => self.resume(),
            Op::Admit { session, id } => self.of(*session, |model| model.admit(*session, id)),
            Op::Permit(nth) => self.permit(*nth),
            Op::End(nth) => self.end(*nth),
            Op::DropCall(nth) => self.drop_call(*nth),
            Op::Commits(commits) => self.books.answer_with(*commits),
            Op::Restart => self.restart(),
        }
    }

    /// All that the session can find.
    fn search(&mut self, number: usize) -> Told {
        self.carry(number);
        let session = self.session(number).unwrap_or_default();
        Told::Found(self.catalog.keys().filter(|id| self.visible(&session, id)).cloned().collect())
    }
}

impl System for Model {
    fn step(&mut self, op: &Op) -> Seen {
        let told = self.act(op);
        let sessions = (0..self.world().sessions.len()).map(|session| self.face(session)).collect();
        let given = self.world().standing.iter().flat_map(|(principal, given)| given.keys().map(|id| (*principal, id.clone())));
        Seen { told, sessions, standing: given.collect() }
    }
}

#[cfg(test)]
mod tests;
