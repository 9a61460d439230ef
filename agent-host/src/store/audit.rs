//! The chain as anybody with the folder can read it, beside the running host.
//!
//! Is: read-only, each answer from one moment of the file. Is not: an anchor: whoever can write the file can write a
//! whole chain anew (signed checkpoints come later). Clauses: AUD-2, STO-1.

mod slice;
mod walk;

pub use slice::{SCAN, Slice, Wanted};

use super::folder::DATABASE;
use super::row;
use super::{StoreError, schema};
use agent_core::digest::Digest;
use agent_core::transition::{Record, Stream};
use rusqlite::{Connection, Row};
use std::ops::ControlFlow;
use std::path::Path;
use walk::Walk;

/// A view of one store.
pub struct Audit(Connection);

/// Which records are shown. By default all.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Those of one stream.
    pub stream: Option<Stream>,
    /// The last so many of them.
    pub last: Option<u64>,
}

/// What is wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// A record can't be read, or is not as a writer writes it.
    #[error("can't be read: {0}")]
    Unreadable(String),
    /// A record is missing before this one, or it stands in another's place.
    #[error("is not the next record of the chain")]
    Place,
    /// Its link is not the hash of the record before it.
    #[error("does not link to the record before it")]
    Link,
    /// Its contents are not those it was hashed with.
    #[error("was changed after it was written")]
    Contents,
    /// Its stream's version is not what its records add up to.
    #[error("carries a version that its stream did not have")]
    Version,
    /// The state kept of its stream is not the fold of the stream's records. Found at the stream's last record.
    #[error("does not lead to the state kept of `{0}`")]
    State(String),
    /// The chain ends before its head, or goes on after it.
    #[error("is not where the chain was said to end")]
    End,
}

/// The first thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("record {seq} {fault}")]
pub struct Broken {
    /// At which record; for a state that no record led to, 0.
    pub seq: u64,
    /// What.
    pub fault: Fault,
}

/// What a verification found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// Records read, up to the first that is broken.
    pub records: u64,
    /// Streams they belong to.
    pub streams: usize,
    /// The hash of the last of them.
    pub head: Digest,
    /// The first thing that is wrong.
    pub broken: Option<Broken>,
}

impl Audit {
    /// Opens the store of a state folder for reading.
    ///
    /// # Errors
    /// [`StoreError`] where there is none, or it can't be read.
    pub fn open(folder: &Path) -> Result<Self, StoreError> {
        let view = schema::view(&folder.join(DATABASE))?;
        view.map(Self).ok_or_else(|| StoreError::Missing(folder.to_owned()))
    }

    /// Hands over records in the chain's order, until told to stop. What can't be read is handed over as such.
    ///
    /// # Errors
    /// [`StoreError`] where the file can't be read on.
    pub fn show(&self, filter: &Filter, mut each: impl FnMut(Result<Record, Broken>) -> ControlFlow<()>) -> Result<(), StoreError> {
        let columns = row::COLUMNS;
        let chosen = format!("SELECT {columns} FROM record WHERE ?1 IS NULL OR stream = ?1");
        let sql = match filter.last {
            None => format!("{chosen} ORDER BY seq"),
            Some(last) => format!("SELECT {columns} FROM ({chosen} ORDER BY seq DESC LIMIT {}) ORDER BY seq", row::signed(last)),
        };
        let mut statement = self.0.prepare(&sql)?;
        let mut rows = statement.query([filter.stream.as_ref().map(Stream::to_string)])?;
        while let Some(row) = rows.next()? {
            if each(read(row)).is_break() {
                break;
            }
        }
        Ok(())
    }

    /// Reads the whole chain: places, links, contents, versions; then whether each stream's state is the fold of its
    /// records, and whether the chain ends where it should.
    ///
    /// # Errors
    /// [`StoreError`] where the file can't be read on. What is wrong with its contents is in the report.
    pub fn verify(&self) -> Result<Report, StoreError> {
        // One read transaction, so that the states are those of the records.
        let moment = self.0.unchecked_transaction()?;
        let mut walk = Walk::default();
        let mut broken = None;
        self.show(&Filter::default(), |read| match read.and_then(|record| walk.step(&record)) {
            Ok(()) => ControlFlow::Continue(()),
            Err(found) => {
                broken = Some(found);
                ControlFlow::Break(())
            }
        })?;
        if broken.is_none() {
            broken = walk.states(&moment)?;
        }
        if broken.is_none() && row::head(&moment) != Ok(walk.head()) {
            broken = Some(Broken { seq: walk.head().seq, fault: Fault::End });
        }
        Ok(Report { records: walk.head().seq, streams: walk.streams(), head: walk.head().hash, broken })
    }
}

fn read(row: &Row<'_>) -> Result<Record, Broken> {
    row::record(row).map_err(|why| {
        let seq = row.get::<_, i64>(0).ok().and_then(|seq| u64::try_from(seq).ok()).unwrap_or_default();
        Broken { seq, fault: Fault::Unreadable(why) }
    })
}
