//! What is recorded, what is known to be, and what is in effect.
//!
//! What widens is recorded first or doesn't happen. What narrows happens, and is offered to the ledger again with every
//! operation until it is recorded; till then its session is closed. Clause: AUD-1. Invariants: I-8, I-10.

use super::op::Commits;
use super::seen::{Recorded, Told};
use super::world::World;
use std::rc::Rc;

/// A change of what is kept.
pub(super) type Change = Rc<dyn Fn(&mut World)>;

/// What a change is a change of.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Stream {
    Host,
    Principal(usize),
    Session(usize),
}

/// A narrowing in effect that is not recorded, and what it closes.
struct Early {
    closes: Vec<Stream>,
    change: Change,
}

#[derive(Default)]
pub(super) struct Books {
    commits: Commits,
    /// What the ledger holds.
    kept: World,
    /// What the host knows that the ledger holds.
    known: World,
    early: Vec<Early>,
    /// What is in effect: what is known, and over it what is early.
    pub(super) live: World,
}

impl Books {
    pub(super) fn answer_with(&mut self, commits: Commits) -> Told {
        self.commits = commits;
        Told::Done
    }

    /// Records a change, then lets it happen.
    pub(super) fn widen(&mut self, change: &Change) -> Result<(), &'static str> {
        let done = self.commit(change);
        self.look();
        done
    }

    /// Lets a change happen, recorded or not.
    pub(super) fn narrow(&mut self, closes: &[Stream], change: Change) -> Recorded {
        let recorded = if self.commit(&change).is_ok() { Recorded::Yes } else { Recorded::No };
        if recorded == Recorded::No {
            self.early.push(Early { closes: closes.to_vec(), change });
        }
        self.look();
        recorded
    }

    /// Records that a call is about to start, which changes nothing here.
    pub(super) fn start(&mut self) -> Result<(), &'static str> {
        self.commit(&(Rc::new(|_: &mut World| {}) as Change))
    }

    /// The ledger's answer to a commit.
    fn commit(&mut self, change: &Change) -> Result<(), &'static str> {
        match self.commits {
            Commits::Work => {
                change(&mut self.kept);
                change(&mut self.known);
                Ok(())
            }
            Commits::Refuse => Err("not-recorded"),
            Commits::Unknown { written } => {
                if written {
                    change(&mut self.kept);
                }
                Err("record-unknown")
            }
        }
    }

    /// Whether something that the session's calls and requests rest on is not recorded.
    pub(super) fn closed(&self, session: usize, principal: usize) -> bool {
        let rests = [Stream::Host, Stream::Principal(principal), Stream::Session(session)];
        self.early.iter().any(|early| early.closes.iter().any(|stream| rests.contains(stream)))
    }

    /// Ends every doubt by reading the ledger, and offers again what is not recorded.
    pub(super) fn recover(&mut self) {
        self.known = self.kept.clone();
        for early in std::mem::take(&mut self.early) {
            self.narrow(&early.closes, early.change);
        }
        self.look();
    }

    /// Forgets everything but what the ledger holds.
    pub(super) fn restart(&mut self) {
        self.early.clear();
        self.known = self.kept.clone();
        self.look();
    }

    fn look(&mut self) {
        self.live = self.known.clone();
        self.early.iter().for_each(|early| (early.change)(&mut self.live));
    }
}
