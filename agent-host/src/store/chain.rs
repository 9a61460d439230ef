//! The chain as the file keeps it, and the one place that says COMMIT.
//!
//! Is: transactions, their outcome, and what is known of the file between them. Is not: a queue (`writer`) or the contents
//! of a transaction (`draft`). Clauses: STO-1. Invariants: I-2, I-8, I-10.

use super::StoreError;
use super::draft::{Cache, Draft, read};
use super::row::{self, Head};
use agent_core::transition::Stream;
use agent_engine::ledger::{CommitError, Stored};
use rusqlite::{Connection, ErrorCode};

/// States kept in memory; past it all are read anew.
const CACHED: usize = 4096;

/// Why a transaction was not acknowledged, and whether its parts may fare better apart.
pub(super) struct Failed {
    pub(super) error: CommitError,
    pub(super) apart: bool,
}

pub(super) struct Chain {
    pub(super) db: Connection,
    head: Head,
    cache: Cache,
    /// A COMMIT failed in a way that may have left it on the disk.
    pub(super) doubt: bool,
}

impl Chain {
    /// The chain of a file, if it ends where its head says.
    pub(super) fn new(db: Connection) -> Result<Self, StoreError> {
        let head = row::head(&db).map_err(StoreError::Damaged)?;
        if row::last(&db).map_err(StoreError::Damaged)? != head {
            return Err(StoreError::Damaged("the records don't end where the chain does".to_owned()));
        }
        Ok(Self { db, head, cache: Cache::new(), doubt: false })
    }

    /// One transaction: what `fill` returned, once what it wrote is durable.
    // INVARIANT: I-2 what failed is rolled back whole
    // INVARIANT: I-8 nothing is returned before COMMIT was
    pub(super) fn transact<T>(&mut self, fill: impl FnOnce(&mut Draft<'_>) -> Result<T, String>) -> Result<T, Failed> {
        let refused = |apart, why| Failed { error: CommitError::Refused(why), apart };
        self.settle().map_err(|why| refused(false, why))?;
        self.db.execute_batch("BEGIN IMMEDIATE").map_err(|error| refused(false, error.to_string()))?;
        let mut draft = Draft::new(&self.db, &mut self.cache, self.head);
        let filled = fill(&mut draft).and_then(|answer| Ok((answer, draft.finish()?)));
        let (answer, (touched, head)) = match filled {
            Ok(filled) => filled,
            Err(why) => {
                self.roll_back();
                return Err(refused(true, why));
            }
        };
        if let Err(error) = self.db.execute_batch("COMMIT") {
            self.roll_back();
            // Short of room, or locked out, the last frame was never written; of any other failure nobody can say.
            if matches!(error.sqlite_error_code(), Some(ErrorCode::DiskFull | ErrorCode::DatabaseBusy)) {
                return Err(refused(true, error.to_string()));
            }
            self.doubt = true;
            return Err(Failed { error: CommitError::Unknown(error.to_string()), apart: false });
        }
        self.cache.extend(touched);
        self.head = head;
        self.trim();
        Ok(answer)
    }

    /// A stream as it was committed.
    pub(super) fn load(&mut self, stream: &Stream) -> Result<Stored, CommitError> {
        self.settle().map_err(CommitError::Unknown)?;
        self.trim();
        read(&self.db, &mut self.cache, stream).cloned().map_err(CommitError::Refused)
    }

    /// Every stream ever written.
    pub(super) fn streams(&mut self) -> Result<Vec<Stream>, CommitError> {
        self.settle().map_err(CommitError::Unknown)?;
        row::streams(&self.db).map_err(CommitError::Refused)
    }

    fn trim(&mut self) {
        if self.cache.len() > CACHED {
            self.cache.clear();
        }
    }

    fn roll_back(&mut self) {
        self.doubt |= !self.db.is_autocommit() && self.db.execute_batch("ROLLBACK").is_err();
    }

    /// Ends a doubt. What a failed COMMIT left in the log could come back at the next start, as long as nothing was
    /// written over it; so something is, and only then is the chain's end read.
    // INVARIANT: I-10
    fn settle(&mut self) -> Result<(), String> {
        if self.doubt {
            self.doubt = false;
            self.roll_back();
            let settled = row::settle(&self.db).and_then(|()| row::head(&self.db));
            self.doubt |= settled.is_err();
            self.head = settled?;
            self.cache.clear();
        }
        Ok(())
    }
}
