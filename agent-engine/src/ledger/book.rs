//! One stream's cell: its lock, its state in effect, and whatever must change in the same lock.
//!
//! Is: the one file in which a commit's acknowledgement, a narrowing and a start meet. It is written over `crate::sync`
//! and core alone, so that a checker of interleavings runs it as shipped. Invariants: I-4, I-7, I-8, I-10.

use super::{Folded, Stored};
use crate::sync::{Bell, Listener, Mutex};
use agent_core::state::Kept;
use agent_core::time::Instant;
use agent_core::transition::{Stream, Transition, Version};
use std::sync::Arc;

/// A stream's cell. `X` is what its owner keeps under the same lock.
pub(crate) struct Book<S, X = ()> {
    stream: Stream,
    inner: Mutex<(Folded<S>, X)>,
    bell: Bell,
}

impl<S: Kept, X: Send> Book<S, X> {
    pub(crate) fn new(stream: Stream, stored: Stored, extra: X) -> Self {
        Self { stream, inner: Mutex::new((Folded::new(stored), extra)), bell: Bell::new() }
    }

    /// Runs under the lock.
    pub(crate) fn locked<R>(&self, run: impl FnOnce(&Folded<S>, &mut X) -> R) -> R {
        self.inner.with(|(folded, extra)| run(folded, extra))
    }

    /// The state in effect.
    pub(crate) fn state(&self) -> Arc<S> {
        self.locked(|folded, _| folded.state().clone())
    }

    /// Lets a narrowing take effect, and looks at what it meets in the same lock.
    pub(crate) fn narrow<R>(&self, at: Instant, what: Transition, look: impl FnOnce(&Folded<S>, &mut X) -> R) -> (u64, R) {
        let done = self.inner.with(|(folded, extra)| {
            let found = look(folded, extra);
            (folded.narrow(at, what), found)
        });
        self.bell.ring();
        done
    }

    /// Folds an event that doesn't advance the stream, and changes what goes with it in the same lock.
    pub(crate) fn event(&self, at: Instant, what: Transition, also: impl FnOnce(&mut X)) {
        self.inner.with(|(folded, extra)| {
            folded.committed(folded.version(), at, what, None);
            also(extra);
        });
        self.bell.ring();
    }

    /// A receiver that wakes whenever the state changed.
    pub(crate) fn listen(&self) -> Listener {
        self.bell.listen()
    }
}

/// A stream that follows its commits.
pub(crate) trait Follow: Send + Sync {
    /// Which stream.
    fn stream(&self) -> &Stream;
    /// Changes the fold under the lock, then rings.
    fn change(&self, run: &mut dyn FnMut(&mut dyn Following));
}

/// What a commit does to a fold on its way.
pub(crate) trait Following {
    /// A commit was sent off.
    fn flies(&mut self);
    /// It came back.
    fn landed(&mut self, unknown: bool);
    /// One of its writes was acknowledged; `token` where it was a narrowing in effect before.
    fn committed(&mut self, version: Version, at: Instant, what: Transition, token: Option<u64>);
    /// A narrowing could not be recorded.
    fn unrecorded(&mut self, token: u64);
    /// The narrowings that could not be recorded, with their tokens.
    fn failed(&mut self) -> Vec<(u64, Instant, Transition)>;
    /// A reading of the ledger can begin.
    fn rereads(&mut self) -> bool;
    /// It ended.
    fn reread(&mut self, stored: Option<Stored>);
}

impl<S: Kept> Following for Folded<S> {
    fn flies(&mut self) {
        Self::flies(self);
    }
    fn landed(&mut self, unknown: bool) {
        Self::landed(self, unknown);
    }
    fn committed(&mut self, version: Version, at: Instant, what: Transition, token: Option<u64>) {
        Self::committed(self, version, at, what, token);
    }
    fn unrecorded(&mut self, token: u64) {
        Self::unrecorded(self, token);
    }
    fn failed(&mut self) -> Vec<(u64, Instant, Transition)> {
        Self::failed(self)
    }
    fn rereads(&mut self) -> bool {
        Self::rereads(self)
    }
    fn reread(&mut self, stored: Option<Stored>) {
        Self::reread(self, stored);
    }
}

impl<S: Kept, X: Send> Follow for Book<S, X> {
    fn stream(&self) -> &Stream {
        &self.stream
    }

    fn change(&self, run: &mut dyn FnMut(&mut dyn Following)) {
        self.inner.with(|(folded, _)| run(folded));
        self.bell.ring();
    }
}
