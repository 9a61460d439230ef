//! A tool host that counts, waits and lies when told to.

use agent_core::digest::Digest;
use agent_core::id::ToolId;
use agent_core::outcome::{Outcome, ToolResult};
use agent_core::session::{Asker, SessionId};
use agent_engine::call::{Absent, Lease, LeaseFacts, Sent, ToolHost};
use async_trait::async_trait;
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::sync::Semaphore;

pub(crate) struct TestHost {
    /// Leases asked for.
    pub(crate) reserved: AtomicUsize,
    /// Messages that left, in order.
    pub(crate) sent: Arc<Mutex<Vec<ToolId>>>,
    /// Outcomes to give instead of success, in order.
    pub(crate) outcomes: Arc<Mutex<VecDeque<Outcome>>>,
    /// Batches that it was told were activated, each with its session.
    pub(crate) activated: Mutex<Vec<(SessionId, Vec<ToolId>)>>,
    /// Servers that can't be used, and never could.
    pub(crate) absent: Mutex<Vec<Absent>>,
    /// What the server says the tool's definition is.
    pub(crate) live: Mutex<Option<Digest>>,
    reserving: Semaphore,
    answering: Arc<Semaphore>,
}

const OPEN: usize = 1 << 20;

impl Default for TestHost {
    fn default() -> Self {
        Self {
            reserved: AtomicUsize::default(),
            sent: Arc::default(),
            outcomes: Arc::default(),
            activated: Mutex::default(),
            absent: Mutex::default(),
            live: Mutex::default(),
            reserving: Semaphore::new(OPEN),
            answering: Arc::new(Semaphore::new(OPEN)),
        }
    }
}

impl TestHost {
    /// Leases, or answers, wait until they are released.
    pub(crate) fn hold(&self, leases: bool) {
        let semaphore = if leases { &self.reserving } else { &*self.answering };
        semaphore.forget_permits(OPEN);
    }

    pub(crate) fn release(&self, leases: bool) {
        let semaphore = if leases { &self.reserving } else { &*self.answering };
        semaphore.add_permits(OPEN);
    }

    pub(crate) fn sent(&self) -> usize {
        self.sent.lock().len()
    }
}

struct TestLease {
    live: Option<Digest>,
    sent: Arc<Mutex<Vec<ToolId>>>,
    outcomes: Arc<Mutex<VecDeque<Outcome>>>,
    answering: Arc<Semaphore>,
}

impl Lease for TestLease {
    fn facts(&self) -> LeaseFacts {
        LeaseFacts { live: self.live }
    }

    fn start(self: Box<Self>, sent: Sent) -> Pin<Box<dyn Future<Output = Outcome> + Send>> {
        self.sent.lock().push(sent.id().clone());
        sent.progress().tell(1.0, None, Some("under way"));
        let (_, mut cancel) = sent.into_parts();
        Box::pin(async move {
            tokio::select! {
                permit = self.answering.acquire() => drop(permit.unwrap()),
                () = cancel.cancelled() => return Outcome::Lost("cancelled".into()),
            }
            self.outcomes.lock().pop_front().unwrap_or_else(|| Outcome::Ok(ToolResult::text("ok")))
        })
    }
}

#[async_trait]
impl ToolHost for TestHost {
    async fn reserve(&self, _: &Asker, _: &ToolId) -> Result<Box<dyn Lease>, Outcome> {
        self.reserved.fetch_add(1, Ordering::SeqCst);
        drop(self.reserving.acquire().await.unwrap());
        Ok(Box::new(TestLease {
            live: *self.live.lock(),
            sent: self.sent.clone(),
            outcomes: self.outcomes.clone(),
            answering: self.answering.clone(),
        }))
    }

    fn activated(&self, asker: &Asker, ids: &[ToolId]) {
        self.activated.lock().push((asker.session, ids.to_vec()));
    }

    fn absent(&self) -> Vec<Absent> {
        self.absent.lock().clone()
    }
}
