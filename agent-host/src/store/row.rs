//! Records, states and the chain's end as rows.
//!
//! Is: both directions, and nothing read that was not written so byte for byte. Clauses: AUD-2, STO-1.

use agent_core::digest::Digest;
use agent_core::state::State;
use agent_core::time::Instant;
use agent_core::transition::{Record, Stream, Transition, Version};
use agent_engine::ledger::Stored;
use rusqlite::{Connection, OptionalExtension, Row, params};
use serde::{Deserialize, Serialize};

/// The columns that [`record`] reads, in its order.
pub(super) const COLUMNS: &str = "seq, stream, version, body, prev, hash";

/// Where the chain ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) seq: u64,
    pub(super) hash: Digest,
}

#[derive(Serialize)]
struct Body<'a> {
    at: Instant,
    what: &'a Transition,
}

#[derive(Deserialize)]
struct OwnedBody {
    at: Instant,
    what: Transition,
}

fn body(at: Instant, what: &Transition) -> Result<String, String> {
    serde_json::to_string(&Body { at, what }).map_err(|error| error.to_string())
}

/// SQLite's integers have a sign; ours never reach it.
pub(super) fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn unsigned(number: i64) -> Result<u64, String> {
    u64::try_from(number).map_err(|_| format!("{number} is below zero"))
}

fn column<T: rusqlite::types::FromSql>(row: &Row<'_>, at: usize) -> Result<T, String> {
    row.get(at).map_err(|error| error.to_string())
}

/// Adds a record.
pub(super) fn insert(db: &Connection, record: &Record) -> Result<(), String> {
    let body = body(record.at, &record.what)?;
    let sql = "INSERT INTO record (seq, stream, version, body, prev, hash) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    let mut statement = db.prepare_cached(sql).map_err(|error| error.to_string())?;
    let values = params![
        signed(record.seq),
        record.stream.to_string(),
        signed(record.version.0),
        body,
        record.prev.to_string(),
        record.hash.to_string()
    ];
    statement.execute(values).map(drop).map_err(|error| error.to_string())
}

/// Reads a record of [`COLUMNS`], refusing what [`insert`] would not have written.
pub(super) fn record(row: &Row<'_>) -> Result<Record, String> {
    let text: String = column(row, 3)?;
    let read: OwnedBody = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    if body(read.at, &read.what)? != text {
        return Err("the body is not as it was written".to_owned());
    }
    let digest = |at| Digest::parse(&column::<String>(row, at)?).map_err(|error| error.to_string());
    Ok(Record {
        seq: unsigned(column(row, 0)?)?,
        stream: Stream::try_from(column::<String>(row, 1)?)?,
        version: Version(unsigned(column(row, 2)?)?),
        at: read.at,
        what: read.what,
        prev: digest(4)?,
        hash: digest(5)?,
    })
}

/// A state as its row keeps it.
pub(super) fn state(state: &State) -> Result<String, String> {
    serde_json::to_string(state).map_err(|error| error.to_string())
}

/// Writes a stream's folded state.
pub(super) fn upsert(db: &Connection, stream: &Stream, stored: &Stored) -> Result<(), String> {
    let state = state(&stored.state)?;
    let sql = "INSERT INTO stream (stream, version, state) VALUES (?1, ?2, ?3)
        ON CONFLICT (stream) DO UPDATE SET version = excluded.version, state = excluded.state";
    let mut statement = db.prepare_cached(sql).map_err(|error| error.to_string())?;
    statement.execute(params![stream.to_string(), signed(stored.version.0), state]).map(drop).map_err(|error| error.to_string())
}

/// A stream's folded state; an empty one where nothing was ever written.
pub(super) fn stored(db: &Connection, stream: &Stream) -> Result<Stored, String> {
    let mut statement = db.prepare_cached("SELECT version, state FROM stream WHERE stream = ?1").map_err(|error| error.to_string())?;
    let found: Option<(i64, String)> =
        statement.query_row([stream.to_string()], |row| Ok((row.get(0)?, row.get(1)?))).optional().map_err(|error| error.to_string())?;
    let empty = State::empty(stream);
    let Some((version, text)) = found else {
        return Ok(Stored { version: Version::default(), state: empty });
    };
    let state: State = serde_json::from_str(&text).map_err(|error| format!("the state of {stream} can't be read: {error}"))?;
    if std::mem::discriminant(&state) != std::mem::discriminant(&empty) {
        return Err(format!("the state of {stream} is one of another kind"));
    }
    Ok(Stored { version: Version(unsigned(version)?), state })
}

/// Every stream ever written.
pub(super) fn streams(db: &Connection) -> Result<Vec<Stream>, String> {
    let mut statement = db.prepare_cached("SELECT stream FROM stream ORDER BY stream").map_err(|error| error.to_string())?;
    let names = statement.query_map([], |row| row.get::<_, String>(0)).map_err(|error| error.to_string())?;
    names.map(|name| Ok(Stream::try_from(name.map_err(|error| error.to_string())?)?)).collect()
}

/// Where the chain ends, as the last commit said.
pub(super) fn head(db: &Connection) -> Result<Head, String> {
    let found: Option<(i64, String)> = db
        .query_row("SELECT seq, hash FROM head", [], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()
        .map_err(|error| error.to_string())?;
    match found {
        None => Ok(Head { seq: 0, hash: Record::genesis() }),
        Some((seq, hash)) => Ok(Head { seq: unsigned(seq)?, hash: Digest::parse(&hash).map_err(|error| error.to_string())? }),
    }
}

/// Where the records end.
pub(super) fn last(db: &Connection) -> Result<Head, String> {
    let sql = format!("SELECT {COLUMNS} FROM record ORDER BY seq DESC LIMIT 1");
    let mut statement = db.prepare(&sql).map_err(|error| error.to_string())?;
    let mut rows = statement.query([]).map_err(|error| error.to_string())?;
    match rows.next().map_err(|error| error.to_string())? {
        None => Ok(Head { seq: 0, hash: Record::genesis() }),
        Some(row) => record(row).map(|record| Head { seq: record.seq, hash: record.hash }),
    }
}

/// Says where the chain ends now.
pub(super) fn end(db: &Connection, head: Head) -> Result<(), String> {
    let sql = "INSERT INTO head (id, seq, hash) VALUES (1, ?1, ?2)
        ON CONFLICT (id) DO UPDATE SET seq = excluded.seq, hash = excluded.hash";
    let mut statement = db.prepare_cached(sql).map_err(|error| error.to_string())?;
    statement.execute(params![signed(head.seq), head.hash.to_string()]).map(drop).map_err(|error| error.to_string())
}

/// Writes something that no failed COMMIT wrote.
pub(super) fn settle(db: &Connection) -> Result<(), String> {
    let sql = "INSERT INTO head (id, seq, hash, settled) VALUES (1, 0, ?1, 1) ON CONFLICT (id) DO UPDATE SET settled = settled + 1";
    db.execute(sql, [Record::genesis().to_string()]).map(drop).map_err(|error| error.to_string())
}
