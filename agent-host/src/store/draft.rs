//! One transaction being written: what several commits and notes add to the states and to the chain.
//!
//! Is: checks and writes inside the transaction. Is not: the transaction's begin and end (`chain`), so a draft that is
//! dropped has changed nothing. Clauses: AUD-2, STO-1. Invariant: I-2.

use super::row::{self, Head};
use agent_core::time::Instant;
use agent_core::transition::{Record, Stream, Transition, Version};
use agent_engine::ledger::{Commit, CommitError, Stored};
use rusqlite::Connection;
use std::collections::HashMap;

/// States as the last transaction left them.
pub(super) type Cache = HashMap<Stream, Stored>;

/// What a transaction will have changed.
pub(super) struct Draft<'a> {
    db: &'a Connection,
    cache: &'a mut Cache,
    touched: Cache,
    head: Head,
}

impl<'a> Draft<'a> {
    pub(super) fn new(db: &'a Connection, cache: &'a mut Cache, head: Head) -> Self {
        Self { db, cache, touched: Cache::new(), head }
    }

    /// A stream as this transaction leaves it so far. No row of a state is written before [`Draft::finish`], so what is
    /// read into the cache here is what was committed.
    pub(super) fn stored(&mut self, stream: &Stream) -> Result<&Stored, String> {
        if let Some(stored) = self.touched.get(stream) {
            return Ok(stored);
        }
        read(self.db, self.cache, stream)
    }

    /// Whether everything the commit demands holds; asked before its first write.
    // INVARIANT: I-2
    pub(super) fn check(&mut self, commit: &Commit) -> Result<(), CommitError> {
        for (stream, expected) in commit.expected() {
            let found = self.stored(stream).map_err(CommitError::Refused)?.version;
            if found != expected {
                return Err(CommitError::Conflict(stream.clone(), found));
            }
        }
        // A stream that can't be read is found here, where it hurts nobody else.
        for write in &commit.writes {
            self.stored(&write.stream).map_err(CommitError::Refused)?;
        }
        Ok(())
    }

    /// Adds one record and folds it.
    pub(super) fn write(&mut self, at: Instant, stream: &Stream, what: &Transition) -> Result<Version, String> {
        let mut stored = match self.touched.remove(stream) {
            Some(stored) => stored,
            None => self.stored(stream)?.clone(),
        };
        let version = stored.apply(at, what);
        self.touched.insert(stream.clone(), stored);
        let record = Record::link(self.head.seq + 1, stream.clone(), version, at, what.clone(), self.head.hash);
        row::insert(self.db, &record)?;
        self.head = Head { seq: record.seq, hash: record.hash };
        Ok(version)
    }

    /// Writes each changed state once, and the chain's end.
    pub(super) fn finish(self) -> Result<(Cache, Head), String> {
        if self.touched.is_empty() {
            return Ok((self.touched, self.head));
        }
        for (stream, stored) in &self.touched {
            row::upsert(self.db, stream, stored)?;
        }
        row::end(self.db, self.head)?;
        Ok((self.touched, self.head))
    }
}

/// A stream as it was committed.
pub(super) fn read<'a>(db: &Connection, cache: &'a mut Cache, stream: &Stream) -> Result<&'a Stored, String> {
    match cache.entry(stream.clone()) {
        std::collections::hash_map::Entry::Occupied(entry) => Ok(entry.into_mut()),
        std::collections::hash_map::Entry::Vacant(entry) => Ok(entry.insert(row::stored(db, stream)?)),
    }
}
