//! Sending a commit and publishing its acknowledgement, to the end, whoever asked for it and whether they still wait.
//!
//! Is not: a plan; what to write is decided before. Clauses: ACT-2, AUD-1. Invariant: I-10.

use super::{Commit, CommitError, Follow, Guard, Ledger, Write};
use agent_core::time::Instant;
use agent_core::transition::{Stream, Transition, Version};
use std::sync::Arc;

/// One write and the cell that follows it.
pub(crate) struct Entry {
    pub(crate) book: Arc<dyn Follow>,
    pub(crate) guard: Guard,
    pub(crate) what: Transition,
    /// Where it is a narrowing already in effect: its token.
    pub(crate) token: Option<u64>,
}

impl Entry {
    pub(crate) fn at(book: Arc<dyn Follow>, version: Version, what: Transition) -> Self {
        Self { book, guard: Guard::At(version), what, token: None }
    }

    pub(crate) fn follow(book: Arc<dyn Follow>, what: Transition) -> Self {
        Self { book, guard: Guard::Follow, what, token: None }
    }

    pub(crate) fn narrowed(book: Arc<dyn Follow>, what: Transition, token: u64) -> Self {
        Self { book, guard: Guard::Follow, what, token: Some(token) }
    }
}

/// Commits and publishes in a task of its own; dropping the caller drops only its waiting.
// INVARIANT: I-10
pub(crate) async fn commit(
    ledger: &Arc<dyn Ledger>,
    at: Instant,
    seen: Vec<(Stream, Version)>,
    entries: Vec<Entry>,
) -> Result<Vec<Version>, CommitError> {
    let ledger = ledger.clone();
    let task = tokio::spawn(async move { run(&ledger, at, seen, entries).await });
    task.await.unwrap_or_else(|error| Err(CommitError::Unknown(error.to_string())))
}

async fn run(
    ledger: &Arc<dyn Ledger>,
    at: Instant,
    seen: Vec<(Stream, Version)>,
    entries: Vec<Entry>,
) -> Result<Vec<Version>, CommitError> {
    let write = |entry: &Entry| Write { stream: entry.book.stream().clone(), guard: entry.guard, what: entry.what.clone() };
    let writes = entries.iter().map(write).collect();
    entries.iter().for_each(|entry| entry.book.change(&mut |fold| fold.flies()));
    let result = ledger.commit(Commit { at, seen, writes }).await;
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
    result
}

/// Ends a stream's doubt by reading the ledger, where nothing is on its way.
pub(crate) async fn reread(ledger: &Arc<dyn Ledger>, book: Arc<dyn Follow>) {
    let mut ready = false;
    book.change(&mut |fold| ready = fold.rereads());
    if ready {
        let ledger = ledger.clone();
        let task = tokio::spawn(async move {
            let mut stored = ledger.load(book.stream()).await.ok();
            book.change(&mut |fold| fold.reread(stored.take()));
        });
        drop(task.await);
    }
}
