//! Durable state: streams of transitions, committed whole or not at all.
//!
//! Is: the port, the fold that follows it in memory, and a ledger without a disk. Is not: SQL (the host's `store`), nor
//! any decision about what may be written. Clauses: AUD-1, AUD-2, STO-1, ACT-2. Invariants: I-2, I-8, I-10.

mod book;
mod fold;
mod journal;
mod memory;
mod notes;

pub(crate) use book::{Book, Follow};
pub use fold::Folded;
pub(crate) use journal::{Entry, Journal};
pub use memory::MemoryLedger;

use agent_core::refusal::Refusal;
use agent_core::state::State;
use agent_core::time::Instant;
use agent_core::transition::{Stream, Transition, Version};
use async_trait::async_trait;
use std::sync::Arc;

/// What a write demands of its stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Guard {
    /// The stream stands at this version: compare and set, for what widens.
    At(Version),
    /// Nothing: for narrowings, starts and ends, which never conflict.
    Follow,
}

/// One transition to be written to one stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Write {
    /// The stream.
    pub stream: Stream,
    /// What must hold of it.
    pub guard: Guard,
    /// The change.
    pub what: Transition,
}

/// One transaction over several streams. Every guard and every `seen` is checked before the first write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    /// When.
    pub at: Instant,
    /// Streams that must still stand at these versions.
    pub seen: Vec<(Stream, Version)>,
    /// What is written, in this order.
    pub writes: Vec<Write>,
}

impl Commit {
    /// Every stream that must stand at a version, and the version.
    pub fn expected(&self) -> impl Iterator<Item = (&Stream, Version)> {
        let guarded = self.writes.iter().filter_map(|write| match write.guard {
            Guard::At(version) => Some((&write.stream, version)),
            Guard::Follow => None,
        });
        self.seen.iter().map(|(stream, version)| (stream, *version)).chain(guarded)
    }
}

/// One transition recorded without waiting: it follows, and its loss loses no authority.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// When.
    pub at: Instant,
    /// The stream.
    pub stream: Stream,
    /// The event. One that does not advance its stream.
    pub what: Transition,
}

/// Why a commit was not acknowledged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CommitError {
    /// A guard or a `seen` no longer held. Nothing was written.
    #[error("{0} stands at version {v}", v = .1.0)]
    Conflict(Stream, Version),
    /// Nothing was written, and that is certain.
    #[error("not recorded: {0}")]
    Refused(String),
    /// Nobody knows whether it was written.
    #[error("not known to be recorded: {0}")]
    Unknown(String),
}

/// A stream as a ledger keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    /// Its version.
    pub version: Version,
    /// Its folded state.
    pub state: State,
}

impl Stored {
    /// A stream without records.
    #[must_use]
    pub fn empty(stream: &Stream) -> Self {
        Self { version: Version::default(), state: State::empty(stream) }
    }

    /// Folds one transition; gives the version after it.
    pub fn apply(&mut self, at: Instant, what: &Transition) -> Version {
        if what.advances() {
            self.version = self.version.next();
        }
        self.state.apply(at, what);
        self.version
    }
}

impl From<CommitError> for Refusal {
    fn from(error: CommitError) -> Self {
        match error {
            CommitError::Conflict(..) => Self::Contended,
            CommitError::Refused(_) => Self::NotRecorded,
            CommitError::Unknown(_) => Self::RecordUnknown,
        }
    }
}

/// Where transitions are kept. One writer at a time owns a ledger.
#[async_trait]
pub trait Ledger: Send + Sync {
    /// Writes one transaction; acknowledged only once it is as durable as the ledger gets. The versions are those of
    /// each write's stream after it, in the order of the writes.
    ///
    /// # Errors
    /// [`CommitError`] says whether anything was written.
    async fn commit(&self, commit: Commit) -> Result<Vec<Version>, CommitError>;

    /// Hands over a note; never blocks. Commits and loads that come later see it, unless it could not be kept at all.
    fn note(&self, note: Note);

    /// A stream with everything handed over before; an empty one where nothing was ever written.
    ///
    /// # Errors
    /// [`CommitError`] where it can't be read.
    async fn load(&self, stream: &Stream) -> Result<Stored, CommitError>;

    /// Every stream ever written.
    ///
    /// # Errors
    /// [`CommitError`] where they can't be read.
    async fn streams(&self) -> Result<Vec<Stream>, CommitError>;

    /// Raises or lowers the marker that something in effect could not be recorded, where it survives a restart even
    /// with a full disk. Returns whether the marker stands as asked (AUD-1).
    fn mark(&self, raised: bool) -> bool;

    /// Whether the marker was found raised.
    fn marked(&self) -> bool;
}

#[async_trait]
impl<T: Ledger + ?Sized> Ledger for Arc<T> {
    async fn commit(&self, commit: Commit) -> Result<Vec<Version>, CommitError> {
        (**self).commit(commit).await
    }
    fn note(&self, note: Note) {
        (**self).note(note);
    }
    async fn load(&self, stream: &Stream) -> Result<Stored, CommitError> {
        (**self).load(stream).await
    }
    async fn streams(&self) -> Result<Vec<Stream>, CommitError> {
        (**self).streams().await
    }
    fn mark(&self, raised: bool) -> bool {
        (**self).mark(raised)
    }
    fn marked(&self) -> bool {
        (**self).marked()
    }
}

#[cfg(test)]
mod tests;
