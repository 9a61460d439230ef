//! What the ledger keeps, as the model has it: a value that changes are functions of.

use super::op::{Id, Policy};
use agent_core::limits::SETTLED;
use std::collections::BTreeMap;

/// Everything that outlives a process.
#[derive(Debug, Clone, Default)]
pub(super) struct World {
    pub(super) host: Host,
    /// Every no of a person to each principal: tool, definition, until when.
    pub(super) noes: BTreeMap<usize, Vec<(Id, u32, u64)>>,
    /// What a person said always to, for each principal: the definition of each tool.
    pub(super) standing: BTreeMap<usize, BTreeMap<Id, u32>>,
    pub(super) sessions: Vec<Session>,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Host {
    pub(super) stopped: bool,
    /// The definition accepted of each tool.
    pub(super) pins: BTreeMap<Id, u32>,
    /// The policy last recorded as in force.
    pub(super) policy: Option<Policy>,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Session {
    pub(super) principal: usize,
    pub(super) profile: bool,
    pub(super) ended: bool,
    pub(super) set: u64,
    pub(super) active: Vec<Grant>,
    pub(super) waiting: Option<Question>,
    /// The last question that was put.
    pub(super) asked: Option<u64>,
    /// How the last requests ended that were granted or asked about; each question by its number.
    pub(super) settled: Vec<(Option<u64>, Settled)>,
    pub(super) noes: Vec<(Id, u32)>,
    /// How each tool went that was held once.
    pub(super) former: BTreeMap<Id, &'static str>,
}

#[derive(Debug, Clone)]
pub(super) struct Grant {
    pub(super) id: Id,
    pub(super) definition: u32,
    /// The batch it came with; no two have the same number.
    pub(super) batch: u64,
    pub(super) preset: bool,
    /// Whether a person answered the very question for it. All answers here are strong.
    pub(super) answered: bool,
    pub(super) end: Option<u64>,
    /// Calls it is good for, and calls that ran.
    pub(super) calls: Option<u32>,
    pub(super) used: u32,
    /// The code of why it was last found not to be usable.
    pub(super) suspended: Option<&'static str>,
}

#[derive(Debug, Clone)]
pub(super) struct Question {
    pub(super) number: u64,
    /// Sorted by id.
    pub(super) what: Vec<(Id, u32)>,
    pub(super) expires: u64,
    /// Whether a rule demanded strength, and how long each grant was to last, as it was shown.
    pub(super) strong: bool,
    pub(super) ttl: BTreeMap<Id, u64>,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Settled {
    Active { added: usize, set: u64 },
    Denied,
    Withdrawn,
    Expired,
}

impl Grant {
    /// Whether calls are left.
    pub(super) fn has_calls(&self) -> bool {
        self.calls.is_none_or(|most| self.used < most)
    }
}

impl World {
    /// Changes one session; there is nothing to change where it was never opened.
    pub(super) fn with(&mut self, session: usize, change: impl FnOnce(&mut Session)) {
        if let Some(session) = self.sessions.get_mut(session) {
            change(session);
        }
    }
}

impl Session {
    pub(super) fn held(&self, id: &Id) -> Option<&Grant> {
        self.active.iter().find(|grant| grant.id == *id)
    }

    /// A call of the grant that came with a batch ran.
    pub(super) fn count(&mut self, id: &Id, batch: u64) {
        self.active.iter_mut().filter(|grant| grant.id == *id && grant.batch == batch).for_each(|grant| grant.used += 1);
    }

    pub(super) fn ask(&mut self, question: &Question) {
        self.asked = Some(question.number);
        self.waiting = Some(question.clone());
    }

    /// One batch: one change of the set, or none where nothing was left to add.
    pub(super) fn grant(&mut self, batch: &[Grant], answered: Option<u64>) {
        for grant in batch {
            self.active.retain(|held| held.id != grant.id);
            self.former.remove(&grant.id);
            self.active.push(grant.clone());
        }
        self.set += u64::from(!batch.is_empty());
        self.settle(answered, Settled::Active { added: batch.len(), set: self.set });
    }

    /// Takes away what of these is held: one change of the set, or none.
    pub(super) fn lose(&mut self, ids: &[Id], how: &'static str) {
        let before = self.active.len();
        for id in ids {
            if self.held(id).is_some() {
                self.active.retain(|grant| grant.id != *id);
                self.former.insert(id.clone(), how);
            }
        }
        self.set += u64::from(self.active.len() < before);
    }

    /// Marks what of these is held: one change of the set, or none.
    pub(super) fn mark(&mut self, marks: &[(Id, Option<&'static str>)]) {
        let mut changed = false;
        for (id, why) in marks {
            for grant in self.active.iter_mut().filter(|grant| grant.id == *id && grant.suspended != *why) {
                grant.suspended = *why;
                changed = true;
            }
        }
        self.set += u64::from(changed);
    }

    /// Ends with all that is held and waits.
    pub(super) fn close(&mut self) {
        let held: Vec<Id> = self.active.iter().map(|grant| grant.id.clone()).collect();
        self.lose(&held, "ended");
        if let Some(question) = self.waiting.clone() {
            self.end(question.number, Settled::Withdrawn);
        }
        self.ended = true;
    }

    /// Ends this very question, if it waits, without a grant.
    pub(super) fn end(&mut self, question: u64, how: Settled) {
        if self.waiting.as_ref().is_some_and(|waiting| waiting.number == question) {
            self.settle(Some(question), how);
        }
    }

    /// Remembers how a request ended, for some time, and ends its question if it had one.
    fn settle(&mut self, question: Option<u64>, how: Settled) {
        self.waiting.take_if(|waiting| Some(waiting.number) == question);
        self.settled.push((question, how));
        if self.settled.len() > SETTLED {
            self.settled.remove(0);
        }
    }
}
