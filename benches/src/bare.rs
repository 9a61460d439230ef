//! What one synced commit costs on a disk, with nothing round it.
//!
//! Is: one row of one table in a store's own file, by a connection set up as the store's. Is not: a ledger.

use crate::measure::{Samples, millis};
use anyhow::Context as _;
use rusqlite::{Connection, params};
use std::path::Path;
use std::time::Instant;

/// A second writer of a store's file, for commits of nothing but bytes.
pub(crate) struct Bare(Connection);

impl Bare {
    pub(crate) fn new(folder: &Path) -> anyhow::Result<Self> {
        let db = Connection::open(folder.join("ledger.sqlite"))?;
        let mode: String = db.pragma_query_value(None, "journal_mode", |row| row.get(0))?;
        anyhow::ensure!(mode == "wal", "the store's file is in mode `{mode}`");
        db.pragma_update(None, "synchronous", "full")?;
        db.pragma_update(None, "fullfsync", true)?;
        db.pragma_update(None, "checkpoint_fullfsync", true)?;
        db.execute_batch("CREATE TABLE bare (id INTEGER PRIMARY KEY, bytes BLOB NOT NULL) STRICT")?;
        Ok(Self(db))
    }

    /// The number of the last record.
    pub(crate) fn last(&self) -> anyhow::Result<i64> {
        Ok(self.0.query_row("SELECT coalesce(max(seq), 0) FROM record", [], |row| row.get(0))?)
    }

    /// Bytes of the records after one, and of the states that they changed.
    pub(crate) fn bytes_since(&self, seq: i64) -> anyhow::Result<usize> {
        let records = "SELECT sum(length(stream) + length(body) + length(prev) + length(hash)) FROM record WHERE seq > ?1";
        let states = "SELECT sum(length(stream) + length(state)) FROM stream WHERE stream IN (SELECT stream FROM record WHERE seq > ?1)";
        let sql = format!("SELECT ({records}) + ({states})");
        let bytes: i64 = self.0.query_row(&sql, [seq], |row| row.get(0))?;
        usize::try_from(bytes).context("nothing was written")
    }

    /// Commits so many bytes, each by itself.
    pub(crate) fn turn(&self, sizes: &[usize], samples: &mut Samples) -> anyhow::Result<()> {
        let mut insert = self.0.prepare("INSERT INTO bare (bytes) VALUES (?1)")?;
        for size in sizes {
            let bytes = vec![7u8; *size];
            let start = Instant::now();
            self.0.execute_batch("BEGIN IMMEDIATE")?;
            insert.execute(params![bytes])?;
            self.0.execute_batch("COMMIT")?;
            samples.add(millis(start));
        }
        Ok(())
    }
}
