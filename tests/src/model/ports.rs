//! What the engine is given here: a ledger that answers as it is told, and tools that end when they are told.

use agent_core::id::ToolId;
use agent_core::outcome::{Outcome, ToolResult};
use agent_core::request::Question;
use agent_core::session::{Asker, CallId, SessionId};
use agent_core::transition::{Stream, Transition, Version};
use agent_engine::call::{Lease, LeaseFacts, Sent, ToolHost};
use agent_engine::ledger::{Commit, CommitError, Ledger, MemoryLedger, Note, Stored};
use agent_spec::model::Commits;
use async_trait::async_trait;
use parking_lot::Mutex;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use tokio::sync::oneshot;

/// What outlives every process.
#[derive(Default)]
pub(super) struct Disk {
    ledger: MemoryLedger,
    commits: Mutex<Commits>,
    /// Every question that was written, in order.
    questions: Mutex<Vec<Question>>,
}

impl Disk {
    pub(super) fn answer_with(&self, commits: Commits) {
        *self.commits.lock() = commits;
    }

    /// The session's last question but `back`.
    pub(super) fn question(&self, session: SessionId, back: usize) -> Option<Question> {
        self.questions.lock().iter().rev().filter(|question| question.asker.session == session).nth(back).cloned()
    }

    async fn write(&self, commit: Commit) -> Result<Vec<Version>, CommitError> {
        let asked = commit.writes.iter().filter_map(|write| match &write.what {
            Transition::Requested { question } => Some((**question).clone()),
            _ => None,
        });
        let asked: Vec<_> = asked.collect();
        let written = self.ledger.commit(commit).await;
        if written.is_ok() {
            self.questions.lock().extend(asked);
        }
        written
    }
}

/// One process's hand on the disk. A dead process's hand writes nothing more.
pub(super) struct Hand {
    disk: Arc<Disk>,
    dead: AtomicBool,
    /// Whether a widening is to be held up, and whether one is.
    holds: AtomicBool,
    held: AtomicBool,
}

impl Hand {
    pub(super) fn new(disk: Arc<Disk>) -> Self {
        Self { disk, dead: AtomicBool::default(), holds: AtomicBool::default(), held: AtomicBool::default() }
    }

    pub(super) fn die(&self) {
        self.dead.store(true, SeqCst);
    }

    /// From now on a widening that comes to be committed is seen before it is written.
    pub(super) fn hold(&self, holds: bool) {
        self.holds.store(holds, SeqCst);
        self.held.store(false, SeqCst);
    }

    pub(super) fn held(&self) -> bool {
        self.held.load(SeqCst)
    }
}

#[async_trait]
impl Ledger for Hand {
    async fn commit(&self, commit: Commit) -> Result<Vec<Version>, CommitError> {
        let widens = |what: &Transition| matches!(what, Transition::Granted { .. } | Transition::Requested { .. });
        if self.holds.load(SeqCst) && commit.writes.iter().any(|write| widens(&write.what)) {
            self.held.store(true, SeqCst);
            tokio::task::yield_now().await;
            tokio::task::yield_now().await;
        }
        let commits = *self.disk.commits.lock();
        match commits {
            _ if self.dead.load(SeqCst) => Err(CommitError::Refused("dead".to_owned())),
            Commits::Work => self.disk.write(commit).await,
            Commits::Refuse => Err(CommitError::Refused("told to".to_owned())),
            Commits::Unknown { written } => {
                if written {
                    self.disk.write(commit).await.unwrap_or_default();
                }
                Err(CommitError::Unknown("told to".to_owned()))
            }
        }
    }

    fn note(&self, note: Note) {
        if !self.dead.load(SeqCst) {
            self.disk.ledger.note(note);
        }
    }

    async fn load(&self, stream: &Stream) -> Result<Stored, CommitError> {
        self.disk.ledger.load(stream).await
    }

    async fn streams(&self) -> Result<Vec<Stream>, CommitError> {
        self.disk.ledger.streams().await
    }

    fn mark(&self, raised: bool) -> bool {
        self.dead.load(SeqCst) || self.disk.ledger.mark(raised)
    }

    fn marked(&self) -> bool {
        self.disk.ledger.marked()
    }
}

/// Tools whose calls run until they are told to end.
#[derive(Default, Clone)]
pub(super) struct Tools(Arc<Mutex<Vec<Flying>>>);

/// A call that was handed over, and what ends it.
type Flying = (CallId, oneshot::Sender<Outcome>);

impl Tools {
    /// The call that was started since this was asked last.
    pub(super) fn started(&self) -> Option<(CallId, oneshot::Sender<Outcome>)> {
        self.0.lock().pop()
    }

    pub(super) fn well() -> Outcome {
        Outcome::Ok(ToolResult::text("done"))
    }
}

impl Lease for Tools {
    fn facts(&self) -> LeaseFacts {
        LeaseFacts { live: None }
    }

    fn start(self: Box<Self>, sent: Sent) -> Pin<Box<dyn Future<Output = Outcome> + Send>> {
        let (end, ended) = oneshot::channel();
        self.0.lock().push((sent.call(), end));
        Box::pin(async move { ended.await.unwrap_or_else(|_| Outcome::Lost("never ended".to_owned())) })
    }
}

#[async_trait]
impl ToolHost for Tools {
    async fn reserve(&self, _: &Asker, _: &ToolId) -> Result<Box<dyn Lease>, Outcome> {
        Ok(Box::new(self.clone()))
    }
}
