//! A ledger in memory that fails when told to.

use agent_core::transition::{Record, Stream, Version};
use agent_engine::ledger::{Commit, CommitError, Ledger, MemoryLedger, Note, Stored};
use async_trait::async_trait;
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::watch;

/// How the next commit fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// None: the commit after it fails like the next.
    Passes,
    /// Nothing is written, and that is known.
    Refuse,
    /// It is written, and that is not known.
    Written,
    /// Nothing is written, and that is not known.
    Lost,
}

#[derive(Default)]
pub(crate) struct FaultyLedger {
    inner: MemoryLedger,
    faults: Mutex<VecDeque<Fault>>,
    full: AtomicBool,
    /// While set, nobody is told what was written.
    silent: watch::Sender<bool>,
}

impl FaultyLedger {
    /// The next commit fails like this.
    pub(crate) fn fail(&self, fault: Fault) {
        self.faults.lock().push_back(fault);
    }

    /// While full, every commit is refused.
    pub(crate) fn full(&self, full: bool) {
        self.full.store(full, Ordering::SeqCst);
    }

    /// While silent, what is written is not acknowledged.
    pub(crate) fn silent(&self, silent: bool) {
        self.silent.send_replace(silent);
    }

    pub(crate) fn records(&self) -> Vec<Record> {
        self.inner.records()
    }

    /// The kinds of records of one session, in order.
    pub(crate) fn kinds(&self, stream: &Stream) -> Vec<String> {
        let kind = |record: &Record| serde_json::to_value(&record.what).unwrap()["kind"].as_str().unwrap().to_owned();
        self.records().iter().filter(|record| record.stream == *stream).map(kind).collect()
    }
}

#[async_trait]
impl Ledger for FaultyLedger {
    async fn commit(&self, commit: Commit) -> Result<Vec<Version>, CommitError> {
        tokio::task::yield_now().await;
        if self.full.load(Ordering::SeqCst) {
            return Err(CommitError::Refused("the disk is full".into()));
        }
        let fault = self.faults.lock().pop_front();
        match fault {
            None | Some(Fault::Passes) => {
                let done = self.inner.commit(commit).await;
                self.silent.subscribe().wait_for(|silent| !silent).await.unwrap();
                done
            }
            Some(Fault::Refuse) => Err(CommitError::Refused("told to".into())),
            Some(Fault::Lost) => Err(CommitError::Unknown("told to".into())),
            Some(Fault::Written) => {
                self.inner.commit(commit).await?;
                Err(CommitError::Unknown("told to".into()))
            }
        }
    }

    fn note(&self, note: Note) {
        self.inner.note(note);
    }

    async fn load(&self, stream: &Stream) -> Result<Stored, CommitError> {
        self.inner.load(stream).await
    }

    async fn streams(&self) -> Result<Vec<Stream>, CommitError> {
        self.inner.streams().await
    }

    fn mark(&self, raised: bool) -> bool {
        self.inner.mark(raised)
    }

    fn marked(&self) -> bool {
        self.inner.marked()
    }
}
