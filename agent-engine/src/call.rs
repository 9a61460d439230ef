//! One call from admission to its end: admit, reserve, record, permit, send, end.
//!
//! Is: the only place that sends. Is not: a decision; `gate` decides, twice. Clauses: GATE-6, UP-3, UP-4,
//! UP-6 (progress), UP-8, AUD-1.
//! Invariants: I-7, I-8, I-10.

mod later;
mod port;
mod progress;
mod router;

pub use later::{Follower, Later, Stage, later};
pub use port::{Absent, Cancel, Lease, LeaseFacts, Sent, ToolHost};
pub use progress::{Progress, Step, Steps};
pub use router::{Router, RouterError};

use crate::gate::{Admission, Guard, Target, admit, permit};
use crate::ledger::Journal;
use crate::schema::Schemas;
use crate::session::{Cell, Starts};
use crate::view::Views;
use agent_core::outcome::{End, Happened, Outcome, ToolResult};
use agent_core::refusal::Refusal;
use agent_core::session::CallId;
use agent_core::time::Entropy;
use agent_core::transition::Transition;
use serde_json::{Map, Value};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use tokio::sync::watch;
use tokio::task::JoinError;

/// Starts of one call at the most: the first, and one more where the first never left or may be repeated.
const STARTS: usize = 2;

/// What came of a call that was not refused.
#[derive(Debug, Clone, PartialEq)]
pub struct Ran {
    /// What came of it.
    pub outcome: Outcome,
    /// Whether the tool was taken back while it ran.
    pub revoked: bool,
}

/// The maker of calls.
pub struct Calls {
    views: Arc<Views>,
    journal: Arc<Journal>,
    host: Arc<dyn ToolHost>,
    guards: Vec<Arc<dyn Guard>>,
    schemas: Schemas,
    entropy: Arc<dyn Entropy>,
    starts: Starts,
}

impl Calls {
    pub(crate) fn new(
        views: Arc<Views>,
        journal: Arc<Journal>,
        host: Arc<dyn ToolHost>,
        guards: Vec<Arc<dyn Guard>>,
        entropy: Arc<dyn Entropy>,
        starts: Starts,
    ) -> Self {
        Self { views, journal, host, guards, schemas: Schemas::default(), entropy, starts }
    }

    /// The servers of which nobody knows what they list.
    pub(crate) fn absent(&self) -> Vec<Absent> {
        self.host.absent()
    }

    /// Runs one call.
    ///
    /// # Errors
    /// Why it was refused; nothing was sent then.
    pub async fn call(
        self: &Arc<Self>,
        cell: &Arc<Cell>,
        target: Target<'_>,
        arguments: Map<String, Value>,
        progress: &Progress,
    ) -> Result<Ran, Refusal> {
        let mut last: Option<Ran> = None;
        for _ in 0..STARTS {
            let once = async {
                let admission = self.admit(cell, target, arguments.clone()).await?;
                let repeatable = admission.repeatable();
                self.run(cell, admission, progress).await.map(|ran| (ran, repeatable))
            };
            let (ran, repeatable) = match (once.await, last) {
                (Ok(done), _) => done,
                // What is known of the first start is not lost to the refusal of a second.
                (Err(_), Some(ran)) => return Ok(ran),
                (Err(refusal), None) => return Err(refusal),
            };
            let never_left = matches!(ran.outcome, Outcome::Unreachable(_));
            let again = never_left || (ran.outcome.happened() == Happened::Unknown && repeatable && !ran.revoked);
            if !again {
                return Ok(ran);
            }
            last = Some(ran);
        }
        last.ok_or(Refusal::Busy)
    }

    /// The first of three steps: decides with nothing reserved.
    ///
    /// # Errors
    /// Why the call may not run.
    pub async fn admit(&self, cell: &Arc<Cell>, target: Target<'_>, arguments: Map<String, Value>) -> Result<Admission, Refusal> {
        self.views.standing.mend(&self.journal, &cell.asker().principal).await;
        cell.mend(&self.journal).await;
        let admitted = admit(&self.views, &self.schemas, &self.guards, cell, target, arguments);
        admitted.inspect_err(|refusal| self.journal.refused(cell.stream(), refusal, target.text()))
    }

    /// The other two: gets everything ready, records the start, permits it, sends, and records the end.
    ///
    /// # Errors
    /// Why it did not start.
    pub async fn start(self: &Arc<Self>, cell: &Arc<Cell>, admission: Admission) -> Result<Ran, Refusal> {
        self.run(cell, admission, &Progress::none()).await
    }

    async fn run(self: &Arc<Self>, cell: &Arc<Cell>, admission: Admission, progress: &Progress) -> Result<Ran, Refusal> {
        let admission = Arc::new(admission);
        let bound = admission.bound();
        let lease = match self.host.reserve(cell.asker(), &bound.id).await {
            Ok(lease) => lease,
            Err(outcome) => {
                let what = Transition::Refused { code: "unreachable".to_owned(), about: bound.id.to_string(), count: 1 };
                self.journal.note(cell.stream(), what);
                return Ok(Ran { outcome, revoked: false });
            }
        };
        // To its end, whoever stops waiting: an end is never noted before its start (I-10).
        let (calls, session, admitted, progress) = (self.clone(), cell.clone(), admission.clone(), progress.clone());
        let started = to_its_end(async move { calls.started(&session, &admitted, lease, progress).await }).await;
        let mut running = started.unwrap_or(Err(Refusal::RecordUnknown))?;
        let outcome = self.judged(&admission, running.outcome.await).await;
        running.ending.end(outcome.end());
        let held = cell.state().held(&bound.id).is_some_and(|held| held.grant.request == admission.request());
        Ok(Ran { outcome, revoked: !held || *running.cancelled.borrow() })
    }

    /// A result whose structured content contradicts its schema can't be used; one without any passes (UP-4). A server
    /// chooses both, so what holds one against the other is no thread that others wait for.
    async fn judged(self: &Arc<Self>, admission: &Arc<Admission>, outcome: Outcome) -> Outcome {
        let Outcome::Ok(result) = &outcome else { return outcome };
        if admission.definition().output().is_none() {
            return outcome;
        }
        if result.structured.is_none() {
            tracing::info!(tool = %admission.bound().id, "its definition promises structured content, and its result has none");
            return outcome;
        }
        let (calls, admission) = (self.clone(), admission.clone());
        let judged = tokio::task::spawn_blocking(move || {
            let Outcome::Ok(ToolResult { structured: Some(structured), .. }) = &outcome else { return outcome };
            match calls.schemas.check_output(admission.definition(), structured) {
                Ok(()) => outcome,
                Err(why) => Outcome::Malformed(format!("structured content does not satisfy its schema: {why}")),
            }
        });
        judged.await.unwrap_or_else(|_| Outcome::Malformed("structured content could not be held against its schema".to_owned()))
    }

    /// Records the start, asks the gate again, and hands the message over with nothing awaited after the permit.
    // INVARIANT: I-8 what runs is recorded first
    async fn started(
        &self,
        cell: &Arc<Cell>,
        admission: &Admission,
        lease: Box<dyn Lease>,
        progress: Progress,
    ) -> Result<Running, Refusal> {
        let call = CallId::new(self.entropy.bits());
        let mut ending = Ending { cell: cell.clone(), journal: self.journal.clone(), call: Some(call), left: End::NotStarted };
        let (bound, request) = (admission.bound(), admission.request());
        let about = bound.id.clone();
        let starting = Transition::Starting { call, bound, request, arguments: admission.digest() };
        if let Err(error) = cell.starting(&self.journal, starting, self.starts).await {
            ending.end(End::NotStarted);
            return Err(error.into());
        }
        let permit = permit(&self.views, cell, admission, call, lease.facts().live).inspect_err(|refusal| {
            ending.end(End::NotStarted);
            self.journal.refused(cell.stream(), refusal, about.as_str());
        })?;
        let (call, id, arguments, cancelled) = permit.into_parts();
        if *cancelled.borrow() {
            ending.end(End::NotStarted);
            let never = std::future::ready(Outcome::Unreachable("cancelled before it was sent".to_owned()));
            return Ok(Running { outcome: Box::pin(never), ending, cancelled });
        }
        ending.left = End::OutcomeUnknown;
        let outcome = lease.start(Sent::new(call, id, arguments, Cancel::new(cancelled.clone()), progress));
        Ok(Running { outcome, ending, cancelled })
    }
}

/// Does work that runs to its end whoever stops waiting for it: here and now where it waits for nothing, as a buffered start
/// does, else in a task of its own.
async fn to_its_end<T: Send + 'static>(work: impl Future<Output = T> + Send + 'static) -> Result<T, JoinError> {
    let mut work = Box::pin(work);
    let begun = work.as_mut().poll(&mut Context::from_waker(Waker::noop()));
    match begun {
        Poll::Ready(done) => Ok(done),
        // The task asks it again, and is who it wakes from then on.
        Poll::Pending => tokio::spawn(work).await,
    }
}

/// A call that was handed over.
struct Running {
    outcome: Pin<Box<dyn Future<Output = Outcome> + Send>>,
    ending: Ending,
    cancelled: watch::Receiver<bool>,
}

/// Ends a recorded start, whatever becomes of the caller.
// INVARIANT: I-10 a running call whose caller is gone is ended by its guard
struct Ending {
    cell: Arc<Cell>,
    journal: Arc<Journal>,
    call: Option<CallId>,
    /// How it ends where nobody says.
    left: End,
}

impl Ending {
    fn end(&mut self, end: End) {
        if let Some(call) = self.call.take() {
            self.cell.ended(&self.journal, call, end);
        }
    }
}

impl Drop for Ending {
    fn drop(&mut self) {
        self.end(self.left);
    }
}
