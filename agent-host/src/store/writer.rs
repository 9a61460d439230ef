//! The writer thread: a queue served in rounds.
//!
//! Is: all that a round brought as one transaction; nobody hears of it before it is durable, and loads of the round are
//! answered after it. Is not: the transaction itself (`chain`). Clauses: AUD-1, STO-1.

use super::chain::{Chain, Failed};
use super::draft::Draft;
use super::queue::Incoming;
use agent_core::transition::{Stream, Version};
use agent_engine::ledger::{Commit, CommitError, Note, Stored};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::oneshot::Sender;

/// How long a note waits for a commit whose transaction it can ride in.
const LINGER: Duration = Duration::from_millis(20);
/// How long notes wait that could not be written.
const RETRY: Duration = Duration::from_secs(1);
/// Notes kept for the next transaction, and requests of a round from which on it waits for no more; past it what can't be written
/// is dropped.
const NOTES: usize = 4096;

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

pub(super) struct Writer {
    chain: Chain,
    notes: Vec<Note>,
    /// When they are written at the latest, while there are any.
    due: Option<Instant>,
    /// Notes handed over and not yet received.
    queued: Arc<AtomicUsize>,
}

impl Writer {
    pub(super) const fn new(chain: Chain, queued: Arc<AtomicUsize>) -> Self {
        Self { chain, notes: Vec::new(), due: None, queued }
    }

    /// Serves until it is closed.
    pub(super) fn run(mut self, requests: &Incoming) {
        loop {
            let round = requests.take(self.due, NOTES);
            let busy = !round.is_empty();
            if !self.serve(round) {
                break;
            }
            if busy {
                // More will come, most likely: it is looked for then, and no note has to wake this thread.
                self.due.get_or_insert_with(|| Instant::now() + LINGER);
            }
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
        match self.chain.transact(|draft| fill(draft, &work)) {
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

    fn answer(&mut self, request: Request) {
        match request {
            Request::Load(stream, reply) => drop(reply.send(self.chain.load(&stream))),
            Request::Streams(reply) => drop(reply.send(self.chain.streams())),
            Request::Commit(..) | Request::Note(_) | Request::Close => {}
        }
    }
}

fn dropped(note: &Note) {
    tracing::warn!(stream = %note.stream, "a note was dropped: it can't be recorded");
}

/// Checks and writes all of it; a commit that can't be is answered and leaves nothing.
fn fill(draft: &mut Draft<'_>, work: &[Work]) -> Result<Vec<Versions>, String> {
    let mut answers = Vec::new();
    for work in work {
        match work {
            // It would never be written, and hold up all that comes with it.
            Work::Note(note) if draft.stored(&note.stream).is_err() => dropped(note),
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
    Ok(answers)
}

#[cfg(test)]
mod tests;
