//! The engine's one hand on the ledger: commits run to their end and are published, whoever waits for them.
//!
//! Is not: a plan; what to write is decided before. Clauses: ACT-2, AUD-1. Invariants: I-8, I-10.

use super::{Commit, CommitError, Follow, Guard, Ledger, Note, Stored, Write, notes::Floods};
use agent_core::refusal::Refusal;
use agent_core::time::{Clock, Instant};
use agent_core::transition::{Stream, Transition, Version};
use parking_lot::Mutex;
use std::collections::BTreeSet;
use std::sync::Arc;

/// One write and the cell that follows it.
pub(crate) struct Entry {
    book: Arc<dyn Follow>,
    guard: Guard,
    what: Transition,
    /// Where it is a narrowing already in effect: its token.
    token: Option<u64>,
}

impl Entry {
    /// A widening: only if the stream stands where the plan saw it.
    pub(crate) fn at(book: Arc<dyn Follow>, version: Version, what: Transition) -> Self {
        Self { book, guard: Guard::At(version), what, token: None }
    }

    /// A start: it follows.
    pub(crate) fn follow(book: Arc<dyn Follow>, what: Transition) -> Self {
        Self { book, guard: Guard::Follow, what, token: None }
    }

    /// A narrowing already in effect.
    pub(crate) fn narrowed(book: Arc<dyn Follow>, what: Transition, token: u64) -> Self {
        Self { book, guard: Guard::Follow, what, token: Some(token) }
    }

    /// The token of a narrowing.
    pub(crate) const fn token(&self) -> Option<u64> {
        self.token
    }
}

/// A ledger, the clock it is written by, and what of it is owed.
pub(crate) struct Journal {
    ledger: Arc<dyn Ledger>,
    clock: Arc<dyn Clock>,
    floods: Floods,
    /// Narrowings in effect that the ledger could not take.
    owed: Mutex<BTreeSet<(Stream, u64)>>,
}

impl Journal {
    pub(crate) fn new(ledger: Arc<dyn Ledger>, clock: Arc<dyn Clock>) -> Arc<Self> {
        Arc::new(Self { ledger, clock, floods: Floods::default(), owed: Mutex::default() })
    }

    pub(crate) fn now(&self) -> Instant {
        self.clock.now()
    }

    /// Commits and publishes in a task of its own; dropping the caller drops only its waiting.
    // INVARIANT: I-10
    pub(crate) async fn commit(self: &Arc<Self>, seen: Vec<(Stream, Version)>, entries: Vec<Entry>) -> Result<Vec<Version>, CommitError> {
        let at = self.now();
        let journal = self.clone();
        let task = tokio::spawn(async move { journal.run(at, seen, entries).await });
        task.await.unwrap_or_else(|error| Err(CommitError::Unknown(error.to_string())))
    }

    /// Commits and publishes for who runs to its end whoever stops waiting.
    pub(crate) async fn commit_here(&self, entries: Vec<Entry>) -> Result<Vec<Version>, CommitError> {
        self.run(self.now(), Vec::new(), entries).await
    }

    async fn run(&self, at: Instant, seen: Vec<(Stream, Version)>, entries: Vec<Entry>) -> Result<Vec<Version>, CommitError> {
        let write = |entry: &Entry| Write { stream: entry.book.stream().clone(), guard: entry.guard, what: entry.what.clone() };
        let writes = entries.iter().map(write).collect();
        entries.iter().for_each(|entry| entry.book.change(&mut |fold| fold.flies()));
        let result = self.ledger.commit(Commit { at, seen, writes }).await;
        let unknown = matches!(result, Err(CommitError::Unknown(_)));
        let versions = result.as_ref().map_or(&[][..], Vec::as_slice);
        for (place, entry) in entries.iter().enumerate() {
            entry.book.change(&mut |fold| {
                match (versions.get(place), entry.token) {
                    (Some(version), token) => fold.committed(*version, at, entry.what.clone(), token),
                    (None, Some(token)) => fold.unrecorded(token),
                    (None, None) => {}
                }
                fold.landed(unknown);
            });
        }
        let owing = entries.iter().filter_map(|entry| Some((entry.book.stream().clone(), entry.token?)));
        self.owe(owing.collect(), result.is_err());
        result
    }

    /// Raises the ledger's marker with the first debt, lowers it with the last.
    // INVARIANT: I-8 a restart comes up closed while a narrowing is not recorded
    fn owe(&self, narrowings: Vec<(Stream, u64)>, failed: bool) {
        let mut owed = self.owed.lock();
        let before = owed.is_empty();
        for narrowing in narrowings {
            if failed {
                owed.insert(narrowing)
            } else {
                owed.remove(&narrowing)
            };
        }
        if owed.is_empty() != before && !self.ledger.mark(before) {
            tracing::error!("the marker of unrecorded narrowings can't be written: a restart now would forget them");
        }
    }

    /// Ends a stream's closure if it can: reads it anew where a commit is in doubt, records what is owed.
    pub(crate) async fn mend(self: &Arc<Self>, book: Arc<dyn Follow>) {
        let mut ready = false;
        book.change(&mut |fold| ready = fold.rereads());
        let journal = self.clone();
        let task = tokio::spawn(async move {
            if ready {
                let mut stored = journal.ledger.load(book.stream()).await.ok();
                book.change(&mut |fold| fold.reread(stored.take()));
            }
            let mut failed = Vec::new();
            book.change(&mut |fold| failed = fold.failed());
            let mut failing = false;
            for (token, at, what) in failed {
                if failing {
                    book.change(&mut |fold| fold.unrecorded(token));
                } else {
                    failing = journal.run(at, Vec::new(), vec![Entry::narrowed(book.clone(), what, token)]).await.is_err();
                }
            }
        });
        drop(task.await);
    }

    /// Records an event without waiting.
    pub(crate) fn note(&self, stream: Stream, what: Transition) {
        self.ledger.note(Note { at: self.now(), stream, what });
    }

    /// Records a refusal without waiting; the same one over and over is counted.
    pub(crate) fn refused(&self, stream: Stream, refusal: &Refusal, about: &str) {
        self.floods.refused(self.now(), stream, refusal, about, &|stream, what| self.note(stream, what));
    }

    /// Records a search without waiting; one after another are counted.
    pub(crate) fn searched(&self, stream: Stream, hits: usize) {
        self.floods.searched(self.now(), stream, hits, &|stream, what| self.note(stream, what));
    }

    /// Records the counts whose window is over.
    pub(crate) fn flush(&self) {
        self.floods.flush(self.now(), &|stream, what| self.note(stream, what));
    }

    pub(crate) async fn load(&self, stream: &Stream) -> Result<Stored, CommitError> {
        self.ledger.load(stream).await
    }

    pub(crate) async fn streams(&self) -> Result<Vec<Stream>, CommitError> {
        self.ledger.streams().await
    }

    /// Whether an earlier run left a narrowing unrecorded.
    pub(crate) fn marked(&self) -> bool {
        self.ledger.marked()
    }

    /// Lowers the marker once an earlier run's debt was answered for, unless this run has one of its own.
    pub(crate) fn unmark(&self) -> bool {
        let owed = self.owed.lock();
        !owed.is_empty() || self.ledger.mark(false)
    }
}
