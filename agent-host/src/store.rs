//! The durable ledger: one SQLite file in a state folder that only its owner may use.
//!
//! Is: the engine's `Ledger` over one writer thread, the read-only views beside it ([`audit`], [`pins`]), and the texts of
//! definitions that are in no lock file any more. Is not: any decision about what may be written. One process at a time
//! writes; readers need no lock. Clauses: AUD-1, AUD-2, CAT-7 (pins), CAT-8 (diff), STO-1.
//! Invariants: I-2, I-8, I-10.

pub mod audit;
mod chain;
mod definitions;
mod draft;
mod error;
mod folder;
mod pins;
mod queue;
mod row;
mod schema;
mod writer;

pub use definitions::Definitions;
pub use error::StoreError;
pub use pins::{kept, pins};

use agent_core::transition::{Stream, Version};
use agent_engine::ledger::{Commit, CommitError, Ledger, Note, Stored};
use async_trait::async_trait;
use chain::Chain;
use folder::{Folder, Marker};
use queue::{Queue, queue};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::JoinHandle;
use tokio::sync::oneshot;
use writer::{Request, Writer};

/// Notes that wait for the writer at one time; past it a note is dropped, and a log line says so.
const NOTES_QUEUED: usize = 65_536;

/// The ledger of one state folder. Dropping it writes what was noted, closes the file and gives the lock back.
pub struct SqliteLedger {
    requests: Queue,
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
        let chain = Chain::new(schema::open(&folder.database()?)?)?;
        folder.sync()?;
        let (requests, incoming) = queue();
        let queued = Arc::new(AtomicUsize::new(0));
        let writer = Writer::new(chain, queued.clone());
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
        if !self.requests.send(request(reply)) {
            return Err(CommitError::Refused("the store is closed".to_owned()));
        }
        answer.await.unwrap_or_else(|_| Err(CommitError::Unknown("the store's writer ended".to_owned())))
    }
}

impl Drop for SqliteLedger {
    fn drop(&mut self) {
        let closing = self.requests.send(Request::Close);
        if let (true, Some(writer)) = (closing, self.writer.take()) {
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
            self.requests.send(Request::Note(note));
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
