//! The durable ledger: one SQLite file in a state folder that only its owner may use.
//!
//! Is: the engine's `Ledger` over one writer thread, and the read-only view beside it ([`audit`]). Is not: any decision
//! about what may be written. One process at a time writes; readers need no lock. Clauses: AUD-1, AUD-2, STO-1.
//! Invariants: I-2, I-8, I-10.

pub mod audit;
mod draft;
mod folder;
mod row;
mod schema;
mod writer;

use agent_core::transition::{Stream, Version};
use agent_engine::ledger::{Commit, CommitError, Ledger, Note, Stored};
use async_trait::async_trait;
use folder::{Folder, Marker};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;
use tokio::sync::oneshot;
use writer::{Request, Writer};

/// Notes that wait for the writer at one time; past it a note is dropped, and a log line says so.
const NOTES_QUEUED: usize = 65_536;

/// Why a store can't be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The folder or a file of it can't be used.
    #[error("`{}` can't be used: {why}", .path.display())]
    Unusable {
        /// Which.
        path: PathBuf,
        /// What the system says.
        why: std::io::Error,
    },
    /// Others may enter the folder or read a file of it.
    #[error("`{}` is open to others (mode {mode:03o})\nhint: `chmod {} {}`", .path.display(), .wanted, .path.display())]
    Open {
        /// Which.
        path: PathBuf,
        /// Its permission bits.
        mode: u32,
        /// What `chmod` is to be given.
        wanted: &'static str,
    },
    /// It belongs to somebody else.
    #[error("`{}` belongs to user {owner}, not to user {us} who runs this\nhint: name a state folder of your own", .path.display())]
    Foreign {
        /// Which.
        path: PathBuf,
        /// Its owner's number.
        owner: u32,
        /// Ours.
        us: u32,
    },
    /// It is a link or another thing that is not what belongs there.
    #[error("`{}` is not a plain {wanted}\nhint: move it away, or name another state folder", .path.display())]
    Kind {
        /// Which.
        path: PathBuf,
        /// What belongs there.
        wanted: &'static str,
    },
    /// Another process writes to this store.
    #[error("the store in `{}` is in use{}\nhint: stop that process, or name another state folder", .folder.display(), by(*.pid))]
    Locked {
        /// The state folder.
        folder: PathBuf,
        /// The process that holds it, where it said so.
        pid: Option<u32>,
    },
    /// No store is there to be read.
    #[error("no store in `{}`\nhint: name the state folder that the host was started with", .0.display())]
    Missing(PathBuf),
    /// A newer program wrote it.
    #[error("the store is of form {found}, and this program knows forms up to {known}\nhint: use the newer program that wrote it")]
    Newer {
        /// The form found.
        found: i64,
        /// The newest one known.
        known: i64,
    },
    /// Its chain does not end where its head says.
    #[error("the store is damaged: {0}\nhint: `agent-host audit verify` says where")]
    Damaged(String),
    /// SQLite can't do what it was asked.
    #[error("the store can't be used: {0}")]
    Sqlite(String),
}

fn by(pid: Option<u32>) -> String {
    pid.map(|pid| format!(" by process {pid}")).unwrap_or_default()
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error.to_string())
    }
}

/// The ledger of one state folder. Dropping it writes what was noted, closes the file and gives the lock back.
pub struct SqliteLedger {
    requests: Sender<Request>,
    queued: Arc<AtomicUsize>,
    marker: Marker,
    writer: Option<JoinHandle<()>>,
}

impl SqliteLedger {
    /// Opens the store of a state folder, making both where there are none, and takes the folder's lock.
    ///
    /// # Errors
    /// [`StoreError`] names what stands in the way, and the way out.
    pub fn open(folder: &Path) -> Result<Self, StoreError> {
        let folder = Folder::open(folder)?;
        let lock = folder.lock()?;
        let marker = folder.marker()?;
        let db = schema::open(&folder.database()?)?;
        folder.sync()?;
        let (requests, incoming) = channel();
        let queued = Arc::new(AtomicUsize::new(0));
        let writer = Writer::new(db, queued.clone())?;
        // The lock goes with the thread: it is given back once the connection is closed, not before.
        let run = move || {
            writer.run(&incoming);
            drop(lock);
        };
        let spawned = std::thread::Builder::new().name("ledger".to_owned()).spawn(run);
        let writer = Some(spawned.map_err(|why| StoreError::Unusable { path: folder.path().to_owned(), why })?);
        Ok(Self { requests, queued, marker, writer })
    }

    async fn ask<T>(&self, request: impl FnOnce(oneshot::Sender<Result<T, CommitError>>) -> Request) -> Result<T, CommitError> {
        let (reply, answer) = oneshot::channel();
        self.requests.send(request(reply)).map_err(|_| CommitError::Refused("the store is closed".to_owned()))?;
        answer.await.unwrap_or_else(|_| Err(CommitError::Unknown("the store's writer ended".to_owned())))
    }
}

impl Drop for SqliteLedger {
    fn drop(&mut self) {
        let closing = self.requests.send(Request::Close);
        if let (Ok(()), Some(writer)) = (closing, self.writer.take()) {
            drop(writer.join());
        }
    }
}

#[async_trait]
impl Ledger for SqliteLedger {
    async fn commit(&self, commit: Commit) -> Result<Vec<Version>, CommitError> {
        self.ask(|reply| Request::Commit(commit, reply)).await
    }

    fn note(&self, note: Note) {
        if self.queued.fetch_add(1, Ordering::Relaxed) < NOTES_QUEUED {
            // A closed store has nothing more to keep.
            drop(self.requests.send(Request::Note(note)));
        } else {
            self.queued.fetch_sub(1, Ordering::Relaxed);
            tracing::warn!(stream = %note.stream, "a note was dropped: too many wait to be recorded");
        }
    }

    async fn load(&self, stream: &Stream) -> Result<Stored, CommitError> {
        self.ask(|reply| Request::Load(stream.clone(), reply)).await
    }

    async fn streams(&self) -> Result<Vec<Stream>, CommitError> {
        self.ask(Request::Streams).await
    }

    fn mark(&self, raised: bool) -> bool {
        self.marker.set(raised)
    }

    fn marked(&self) -> bool {
        self.marker.raised()
    }
}
