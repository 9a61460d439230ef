//! The writer thread: the one owner of the connection, and the one place that says COMMIT.
//!
//! Is: a queue served in rounds. All that a round brought is one transaction; nobody hears of it before it is durable,
//! and loads of the round are answered after it. Clauses: AUD-1, STO-1. Invariants: I-2, I-8, I-10.

use super::StoreError;
use super::draft::{Cache, Draft, read};
use super::row::{self, Head};
use agent_core::transition::{Stream, Version};
use agent_engine::ledger::{Commit, CommitError, Note, Stored};
use rusqlite::{Connection, ErrorCode};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};
use tokio::sync::oneshot::Sender;

/// Requests of one round, so of one transaction.
const ROUND: usize = 256;
/// How long a note waits for a commit whose transaction it can ride in.
const LINGER: Duration = Duration::from_millis(20);
/// How long notes wait that could not be written.
const RETRY: Duration = Duration::from_secs(1);
/// Notes kept for the next transaction; past it they no longer wait, and what can't be written is dropped.
const NOTES: usize = 4096;
/// States kept in memory; past it all are read anew.
const CACHED: usize = 4096;

type Reply<T> = Sender<Result<T, CommitError>>;

/// What the thread is asked for.
pub(super) enum Request {
    Commit(Commit, Reply<Vec<Version>>),
    Note(Note),
    Load(Stream, Reply<Stored>),
    Streams(Reply<Vec<Stream>>),
    /// Nothing comes after it.
    Close,
}

/// What is to be written, in the order in which it was handed over.
enum Work {
    Commit(Commit, Reply<Vec<Version>>),
    Note(Note),
}

impl Work {
    const fn is_commit(&self) -> bool {
        matches!(self, Self::Commit(..))
    }
}

type Versions = Result<Vec<Version>, CommitError>;

/// Why a transaction was not acknowledged, and whether its parts may fare better apart.
struct Failed {
    error: CommitError,
    apart: bool,
}

pub(super) struct Writer {
    db: Connection,
    head: Head,
    cache: Cache,
    notes: Vec<Note>,
    /// When they are written at the latest, while there are any.
    due: Option<Instant>,
    /// Notes handed over and not yet received.
    queued: Arc<AtomicUsize>,
    /// A COMMIT failed in a way that may have left it on the disk.
    doubt: bool,
}

impl Writer {
    pub(super) fn new(db: Connection, queued: Arc<AtomicUsize>) -> Result<Self, StoreError> {
        let head = row::head(&db).map_err(StoreError::Damaged)?;
        if row::last(&db).map_err(StoreError::Damaged)? != head {
            return Err(StoreError::Damaged("the records don't end where the chain does".to_owned()));
        }
        Ok(Self { db, head, cache: Cache::new(), notes: Vec::new(), due: None, queued, doubt: false })
    }

    /// Serves until it is closed.
    pub(super) fn run(mut self, requests: &Receiver<Request>) {
        while let Some(round) = self.gather(requests) {
            if !self.serve(round) {
                break;
            }
        }
    }

    /// The next round: empty where notes have waited long enough, none where nobody can ask any more.
    fn gather(&self, requests: &Receiver<Request>) -> Option<Vec<Request>> {
        let first = match self.due {
            None => requests.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some(due) => requests.recv_timeout(due.saturating_duration_since(Instant::now())),
        };
        match first {
            Ok(first) => Some(std::iter::once(first).chain(requests.try_iter().take(ROUND - 1)).collect()),
            Err(RecvTimeoutError::Timeout) => Some(Vec::new()),
            Err(RecvTimeoutError::Disconnected) => None,
        }
    }

    /// Serves one round; says whether another may come.
    fn serve(&mut self, round: Vec<Request>) -> bool {
        let mut work: Vec<_> = self.notes.drain(..).map(Work::Note).collect();
        let mut reads = Vec::new();
        let mut waits = self.due.is_none_or(|due| Instant::now() < due);
        let mut open = true;
        for request in round {
            waits &= matches!(request, Request::Note(_));
            match request {
                Request::Note(note) => {
                    self.queued.fetch_sub(1, Ordering::Relaxed);
                    work.push(Work::Note(note));
                }
                Request::Commit(commit, reply) => work.push(Work::Commit(commit, reply)),
                Request::Close => open = false,
                read => reads.push(read),
            }
        }
        if waits && work.len() < NOTES {
            let due = self.due.unwrap_or_else(|| Instant::now() + LINGER);
            work.into_iter().for_each(|work| self.keep(work, due));
        } else {
            self.due = None;
            self.write(work);
        }
        reads.into_iter().for_each(|read| self.answer(read));
        if self.cache.len() > CACHED {
            self.cache.clear();
        }
        open
    }

    /// Keeps a note for a later transaction.
    fn keep(&mut self, work: Work, due: Instant) {
        match work {
            Work::Note(note) if self.notes.len() < NOTES => {
                self.notes.push(note);
                self.due = Some(due);
            }
            Work::Note(note) => dropped(&note),
            Work::Commit(..) => {}
        }
    }

    /// Writes in one transaction; where that can't be done, each commit by itself and the notes last, so that none is
    /// refused for the size of another.
    fn write(&mut self, work: Vec<Work>) {
        if work.is_empty() {
            return;
        }
        match self.attempt(&work) {
            Ok(answers) => {
                let commits = work.into_iter().filter_map(|work| if let Work::Commit(_, reply) = work { Some(reply) } else { None });
                // Whoever no longer waits misses nothing that `load` would not say.
                commits.zip(answers).for_each(|(reply, answer)| drop(reply.send(answer)));
            }
            Err(Failed { apart: true, .. }) if work.len() > 1 && work.iter().any(Work::is_commit) => {
                let (commits, notes): (Vec<_>, _) = work.into_iter().partition(Work::is_commit);
                commits.into_iter().for_each(|commit| self.write(vec![commit]));
                self.write(notes);
            }
            Err(Failed { error, .. }) => {
                let unknown = matches!(error, CommitError::Unknown(_));
                for work in work {
                    match work {
                        Work::Commit(_, reply) => drop(reply.send(Err(error.clone()))),
                        Work::Note(note) if unknown => dropped(&note),
                        note => self.keep(note, Instant::now() + RETRY),
                    }
                }
            }
        }
    }

    /// One transaction: the answers to its commits, in their order, once it is durable.
    // INVARIANT: I-8 no answer before COMMIT returned
    fn attempt(&mut self, work: &[Work]) -> Result<Vec<Versions>, Failed> {
        let refused = |apart, why| Failed { error: CommitError::Refused(why), apart };
        self.settle().map_err(|why| refused(false, why))?;
        self.db.execute_batch("BEGIN IMMEDIATE").map_err(|error| refused(false, error.to_string()))?;
        let (answers, touched, head) = match fill(Draft::new(&self.db, &mut self.cache, self.head), work) {
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
        Ok(answers)
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

    fn answer(&mut self, request: Request) {
        let settled = self.settle().map_err(CommitError::Unknown);
        match request {
            Request::Load(stream, reply) => {
                let found = settled.and_then(|()| read(&self.db, &mut self.cache, &stream).cloned().map_err(CommitError::Refused));
                drop(reply.send(found));
            }
            Request::Streams(reply) => {
                drop(reply.send(settled.and_then(|()| row::streams(&self.db).map_err(CommitError::Refused))));
            }
            Request::Commit(..) | Request::Note(_) | Request::Close => {}
        }
    }
}

fn dropped(note: &Note) {
    tracing::warn!(stream = %note.stream, "a note was dropped: it can't be recorded");
}

/// Checks and writes all of it; a commit that can't be is answered and leaves nothing.
fn fill(mut draft: Draft<'_>, work: &[Work]) -> Result<(Vec<Versions>, Cache, Head), String> {
    let mut answers = Vec::new();
    for work in work {
        match work {
            Work::Note(note) => drop(draft.write(note.at, &note.stream, &note.what)?),
            Work::Commit(commit, _) => match draft.check(commit) {
                Err(error) => answers.push(Err(error)),
                Ok(()) => {
                    let versions = commit.writes.iter().map(|write| draft.write(commit.at, &write.stream, &write.what));
                    answers.push(Ok(versions.collect::<Result<_, _>>()?));
                }
            },
        }
    }
    let (touched, head) = draft.finish()?;
    Ok((answers, touched, head))
}

#[cfg(test)]
mod tests;
