//! The reference model: one state in vectors and maps, one function per operation, every rule a scan.
//!
//! Is: a `System` that is stepped beside the engine. Is not: fast, concurrent or durable, nor made of the folds of
//! `agent-core`; a mistake there must not be made here too. It says nothing about ranking, texts or argument schemas.
//! Clauses: CAT-7, CAT-8, POL-1..3, AUTH-5..7, ACT-1, 2, 4, 5, 6, 7, 9, GATE-1, 2, 3, 6, REV-1, 2, 4, AUD-1.

mod ask;
mod call;
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
    policy: Policy,
    /// Milliseconds since the beginning.
    now: u64,
    books: Books,
    calls: Vec<Call>,
    /// Questions put so far, so that each has a number of its own.
    questions: u64,
}

impl Model {
    /// What is in effect.
    const fn world(&self) -> &World {
        &self.books.live
    }
}

impl System for Model {
    fn step(&mut self, op: &Op) -> Seen {
        self.books.recover();
        let told = match op {
            Op::Publish(tools) => self.publish(tools),
            Op::SetPolicy(policy) => self.set_policy(policy),
            Op::Open { principal, profile, presets } => self.open(*principal, *profile, presets),
            Op::Search { session } => self.search(*session),
            Op::Request { session, ids, dropped } => {
                let told = self.request(*session, ids);
                if *dropped { Told::Nothing } else { told }
            }
            Op::Answer { session, which, right, answer } => self.answer(*session, *which, *right, answer),
            Op::Wait { session } => self.wait(*session),
            Op::Deactivate { session, ids } => self.deactivate(*session, ids),
            Op::Revoke(scope) => self.revoke(scope),
            Op::Accept(id) => self.accept(id),
            Op::Advance(ms) => self.advance(*ms),
            Op::Stop => self.stop(),
            Op::Resume => self.resume(),
            Op::Admit { session, id } => self.admit(*session, id),
            Op::Permit(nth) => self.permit(*nth),
            Op::End(nth) => self.end(*nth),
            Op::DropCall(nth) => self.drop_call(*nth),
            Op::Commits(commits) => self.books.answer_with(*commits),
            Op::Restart => self.restart(),
        };
        Seen { told, sessions: (0..self.world().sessions.len()).map(|session| self.face(session)).collect() }
    }
}

#[cfg(test)]
mod tests;
