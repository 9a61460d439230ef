//! Walking the chain: each record in its place, and what all of them add up to.
//!
//! Is not: the reading of rows (`row`). Clauses: AUD-2, STO-1.

use super::super::StoreError;
use super::super::row::{self, Head};
use super::{Broken, Fault};
use agent_core::transition::Record;
use agent_engine::ledger::Stored;
use rusqlite::Connection;
use std::collections::BTreeMap;

/// The chain as far as it was walked.
pub(super) struct Walk {
    head: Head,
    /// Each stream's fold, and its last record.
    streams: BTreeMap<String, (Stored, u64)>,
}

impl Default for Walk {
    fn default() -> Self {
        Self { head: Head { seq: 0, hash: Record::genesis() }, streams: BTreeMap::new() }
    }
}

impl Walk {
    /// Where the chain ends so far.
    pub(super) const fn head(&self) -> Head {
        self.head
    }

    /// How many streams it belongs to.
    pub(super) fn streams(&self) -> usize {
        self.streams.len()
    }

    /// Takes the next record.
    pub(super) fn step(&mut self, record: &Record) -> Result<(), Broken> {
        let broken = |fault| Err(Broken { seq: record.seq, fault });
        if record.seq != self.head.seq + 1 {
            return broken(Fault::Place);
        }
        if record.prev != self.head.hash {
            return broken(Fault::Link);
        }
        if !record.follows(self.head.seq, &self.head.hash) {
            return broken(Fault::Contents);
        }
        let new = || (Stored::empty(&record.stream), 0);
        let (stored, last) = self.streams.entry(record.stream.to_string()).or_insert_with(new);
        if record.version != stored.apply(record.at, &record.what) {
            return broken(Fault::Version);
        }
        *last = record.seq;
        self.head = Head { seq: record.seq, hash: record.hash };
        Ok(())
    }

    /// The first state, by its stream's last record, that is not the fold of its records, byte for byte.
    pub(super) fn states(&self, db: &Connection) -> Result<Option<Broken>, StoreError> {
        let mut kept = BTreeMap::new();
        let mut statement = db.prepare("SELECT stream, version, state FROM stream")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            kept.insert(row.get::<_, String>(0)?, (row.get::<_, i64>(1)?, row.get::<_, String>(2)?));
        }
        let wrong = |(name, (stored, last)): (&String, &(Stored, u64))| {
            let folded = (row::signed(stored.version.0), row::state(&stored.state).unwrap_or_default());
            (kept.get(name) != Some(&folded)).then(|| (*last, name.clone()))
        };
        let strange = kept.keys().filter(|name| !self.streams.contains_key(*name)).map(|name| (0, name.clone()));
        let first = self.streams.iter().filter_map(wrong).chain(strange).min();
        Ok(first.map(|(seq, name)| Broken { seq, fault: Fault::State(agent_core::safety::echo(&name)) }))
    }
}
