//! What is recorded, what is known to be, and what is in effect.
//!
//! What widens is recorded first or doesn't happen. What narrows happens, recorded or not; what is not, or is in doubt,
//! closes its stream until the stream is mended. Clauses: AUD-1, ACT-2. Invariants: I-8, I-10.

use super::op::{Commits, Id};
use super::seen::{Recorded, Told};
use super::world::{Session, World};
use std::rc::Rc;

/// What a change is a change of.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Stream {
    Host,
    Principal(usize),
    Session(usize),
}

/// A change of one stream.
#[derive(Clone)]
pub(super) struct Change {
    stream: Stream,
    change: Rc<dyn Fn(&mut World)>,
}

impl Change {
    pub(super) fn of(stream: Stream, change: impl Fn(&mut World) + 'static) -> Self {
        Self { stream, change: Rc::new(change) }
    }

    pub(super) fn session(number: usize, change: impl Fn(&mut Session) + 'static) -> Self {
        Self::of(Stream::Session(number), move |world| world.with(number, &change))
    }
}

#[derive(Default)]
pub(super) struct Books {
    commits: Commits,
    /// What the ledger holds.
    pub(super) kept: World,
    /// What the host knows that the ledger holds.
    known: World,
    /// What is in effect: what is known, and over it what is early.
    pub(super) live: World,
    /// Narrowings in effect that are not recorded.
    early: Vec<Change>,
    /// Streams of which the host doesn't know what the ledger holds, and whether it holds more than is known.
    doubts: Vec<(Stream, bool)>,
}

impl Books {
    pub(super) fn answer_with(&mut self, commits: Commits) -> Told {
        self.commits = commits;
        Told::Done
    }

    /// Records changes, then lets them happen, if every stream of the plan stands as it was seen.
    pub(super) fn widen(&mut self, plan: &[Stream], changes: &[Change]) -> Result<(), &'static str> {
        let done = self.commit(plan, changes);
        self.look();
        done
    }

    /// Lets changes happen, recorded or not.
    pub(super) fn narrow(&mut self, changes: &[Change]) -> Recorded {
        let recorded = if self.commit(&[], changes).is_ok() { Recorded::Yes } else { Recorded::No };
        if recorded == Recorded::No {
            self.early.extend_from_slice(changes);
        }
        self.look();
        recorded
    }

    /// Opens a session; where that is not known to be recorded, nobody will ever name it.
    pub(super) fn open(&mut self, session: &Session) -> Result<usize, &'static str> {
        self.commit(&[], &[])?;
        for world in [&mut self.kept, &mut self.known, &mut self.live] {
            world.sessions.push(session.clone());
        }
        Ok(self.live.sessions.len() - 1)
    }

    /// Records that a call is about to start, which changes nothing here.
    pub(super) fn start(&mut self, session: usize) -> Result<(), &'static str> {
        let done = self.commit(&[], &[]);
        if done == Err("record-unknown") {
            self.doubts.push((Stream::Session(session), false));
        }
        done
    }

    /// Counts a call whose start is recorded.
    pub(super) fn count(&mut self, session: usize, id: &Id, batch: u64) {
        for world in [&mut self.kept, &mut self.known, &mut self.live] {
            world.with(session, |session| session.count(id, batch));
        }
    }

    fn commit(&mut self, plan: &[Stream], changes: &[Change]) -> Result<(), &'static str> {
        let moved = plan.iter().any(|stream| self.doubts.contains(&(*stream, true)));
        match self.commits {
            Commits::Refuse => Err("not-recorded"),
            Commits::Work if moved => Err("contended"),
            Commits::Work => {
                for change in changes {
                    (change.change)(&mut self.kept);
                    (change.change)(&mut self.known);
                }
                Ok(())
            }
            Commits::Unknown { written } => {
                for change in changes {
                    if written && !moved {
                        (change.change)(&mut self.kept);
                    }
                    self.doubts.push((change.stream, written && !moved));
                }
                Err("record-unknown")
            }
        }
    }

    /// Whether something of these streams is not recorded, or in doubt.
    pub(super) fn closed(&self, streams: &[Stream]) -> bool {
        self.early
            .iter()
            .map(|change| change.stream)
            .chain(self.doubts.iter().map(|(stream, _)| *stream))
            .any(|found| streams.contains(&found))
    }

    /// Ends the doubts of these streams by reading the ledger, and offers it again what of them is not recorded.
    pub(super) fn mend(&mut self, streams: &[Stream]) {
        for stream in streams {
            self.reread(*stream);
            let (mut again, others): (Vec<_>, Vec<_>) =
                std::mem::take(&mut self.early).into_iter().partition(|early| early.stream == *stream);
            self.early = others;
            while let Some(change) = again.first().cloned()
                && self.commit(&[], &[change]).is_ok()
            {
                again.remove(0);
            }
            self.early.extend(again);
        }
        self.look();
    }

    /// Forgets everything but what the ledger holds, and whether something was in effect that it doesn't.
    pub(super) fn restart(&mut self) -> bool {
        let forgotten = !self.early.is_empty();
        self.early.clear();
        self.doubts.clear();
        self.known = self.kept.clone();
        self.look();
        forgotten
    }

    fn reread(&mut self, stream: Stream) {
        if !self.doubts.iter().any(|(doubt, _)| *doubt == stream) {
            return;
        }
        self.doubts.retain(|(doubt, _)| *doubt != stream);
        match stream {
            Stream::Host => self.known.host = self.kept.host.clone(),
            Stream::Principal(principal) => {
                let noes = self.kept.noes.get(&principal).cloned().unwrap_or_default();
                self.known.noes.insert(principal, noes);
                let standing = self.kept.standing.get(&principal).cloned().unwrap_or_default();
                self.known.standing.insert(principal, standing);
            }
            Stream::Session(session) => {
                let kept = self.kept.sessions.get(session).cloned().unwrap_or_default();
                self.known.with(session, |known| *known = kept);
            }
        }
    }

    fn look(&mut self) {
        self.live = self.known.clone();
        self.early.iter().for_each(|early| (early.change)(&mut self.live));
    }
}
