//! A ledger that lasts as long as its process: for tests, benches and hosts that keep nothing.
//!
//! Is: the whole contract but durability, chain included. Clauses: AUD-2, STO-1.

use super::{Commit, CommitError, Ledger, Note, Stored};
use agent_core::digest::Digest;
use agent_core::time::Instant;
use agent_core::transition::{Record, Stream, Transition, Version};
use async_trait::async_trait;
use parking_lot::Mutex;
use std::collections::BTreeMap;

/// A ledger in memory.
pub struct MemoryLedger(Mutex<Kept>);

struct Kept {
    streams: BTreeMap<Stream, Stored>,
    records: Vec<Record>,
    head: Digest,
    marked: bool,
}

impl Default for MemoryLedger {
    fn default() -> Self {
        Self(Mutex::new(Kept { streams: BTreeMap::new(), records: Vec::new(), head: Record::genesis(), marked: false }))
    }
}

impl MemoryLedger {
    /// The chain so far.
    #[must_use]
    pub fn records(&self) -> Vec<Record> {
        self.0.lock().records.clone()
    }
}

impl Kept {
    fn version(&self, stream: &Stream) -> Version {
        self.streams.get(stream).map_or(Version::default(), |stored| stored.version)
    }

    fn write(&mut self, at: Instant, stream: Stream, what: Transition) -> Version {
        let version = self.streams.entry(stream.clone()).or_insert_with(|| Stored::empty(&stream)).apply(at, &what);
        let record = Record::link(self.records.len() as u64 + 1, stream, version, at, what, self.head);
        self.head = record.hash;
        self.records.push(record);
        version
    }
}

#[async_trait]
impl Ledger for MemoryLedger {
    // INVARIANT: I-2
    async fn commit(&self, commit: Commit) -> Result<Vec<Version>, CommitError> {
        let mut kept = self.0.lock();
        for (stream, expected) in commit.expected() {
            let found = kept.version(stream);
            if found != expected {
                return Err(CommitError::Conflict(stream.clone(), found));
            }
        }
        Ok(commit.writes.into_iter().map(|write| kept.write(commit.at, write.stream, write.what)).collect())
    }

    fn note(&self, note: Note) {
        self.0.lock().write(note.at, note.stream, note.what);
    }

    async fn load(&self, stream: &Stream) -> Result<Stored, CommitError> {
        Ok(self.0.lock().streams.get(stream).cloned().unwrap_or_else(|| Stored::empty(stream)))
    }

    async fn streams(&self) -> Result<Vec<Stream>, CommitError> {
        Ok(self.0.lock().streams.keys().cloned().collect())
    }

    fn mark(&self, raised: bool) -> bool {
        self.0.lock().marked = raised;
        true
    }

    fn marked(&self) -> bool {
        self.0.lock().marked
    }
}
