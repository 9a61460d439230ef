//! The database's form, and how a connection to it is set up.
//!
//! Is: tables and migrations. `record` is the chain, `stream` each stream's folded state, `head` the chain's end; `record_of` finds one
//! stream's records.
//! Clauses: AUD-2, STO-1.

use super::StoreError;
use rusqlite::{Connection, OpenFlags};
use std::path::Path;
use std::time::Duration;

/// Each step brings the form before it to the next; `user_version` counts the steps taken.
const STEPS: [&str; 2] = [
    "
    CREATE TABLE record (
        seq INTEGER PRIMARY KEY,
        stream TEXT NOT NULL,
        version INTEGER NOT NULL,
        body TEXT NOT NULL,
        prev TEXT NOT NULL,
        hash TEXT NOT NULL
    ) STRICT;
    CREATE TABLE stream (stream TEXT PRIMARY KEY NOT NULL, version INTEGER NOT NULL, state TEXT NOT NULL) STRICT;
    CREATE TABLE head (
        id INTEGER PRIMARY KEY CHECK (id = 1),
        seq INTEGER NOT NULL,
        hash TEXT NOT NULL,
        settled INTEGER NOT NULL DEFAULT 0
    ) STRICT;
",
    "CREATE INDEX record_of ON record (stream, seq);",
];

/// How long a lock that somebody else holds on the file for a moment is waited for.
const BUSY: Duration = Duration::from_secs(5);

fn form(db: &Connection) -> Result<i64, StoreError> {
    let known = i64::try_from(STEPS.len()).unwrap_or(i64::MAX);
    let found: i64 = db.pragma_query_value(None, "user_version", |row| row.get(0))?;
    if found > known { Err(StoreError::Newer { found, known }) } else { Ok(found) }
}

/// The writer's connection. The file is there already, with its mode.
pub(super) fn open(path: &Path) -> Result<Connection, StoreError> {
    let db = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    db.busy_timeout(BUSY)?;
    let found = form(&db)?;
    db.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(()))?;
    // INVARIANT: I-8 every COMMIT that returns is on the disk; on macOS only the full sync is one.
    db.pragma_update(None, "synchronous", "full")?;
    db.pragma_update(None, "fullfsync", true)?;
    db.pragma_update(None, "checkpoint_fullfsync", true)?;
    for (done, step) in STEPS.iter().enumerate().skip(usize::try_from(found).unwrap_or_default()) {
        db.execute_batch(&format!("BEGIN IMMEDIATE; {step} PRAGMA user_version = {}; COMMIT;", done + 1))?;
    }
    Ok(db)
}

/// A reader's connection, beside a writer or without one.
pub(super) fn view(path: &Path) -> Result<Option<Connection>, StoreError> {
    if !path.is_file() {
        return Ok(None);
    }
    let db = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    db.busy_timeout(BUSY)?;
    Ok((form(&db)? > 0).then_some(db))
}
