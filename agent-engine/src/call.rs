//! One call from admission to its end: admit, reserve, record, permit, send, end.
//!
//! Is: the only place that sends. Is not: a decision; `gate` decides, twice. Clauses: GATE-6, UP-3, UP-4, AUD-1.
//! Invariants: I-7, I-8, I-10.

mod port;
mod router;

pub use port::{Cancel, Lease, LeaseFacts, Sent, ToolHost};
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
use std::sync::Arc;

/// Starts of one call at the most: the first, and one more where the first did not happen or may be repeated.
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

    /// Runs one call.
    ///
    /// # Errors
    /// Why it was refused; nothing was sent then.
    pub async fn call(self: &Arc<Self>, cell: &Arc<Cell>, target: Target<'_>, arguments: Map<String, Value>) -> Result<Ran, Refusal> {
        let mut starts = 1;
        loop {
            let admission = self.admit(cell, target, arguments.clone()).await?;
            let repeatable = admission.repeatable();
            let ran = self.start(cell, admission).await?;
            let again = match ran.outcome.happened() {
                Happened::No => true,
                Happened::Unknown => repeatable && !ran.revoked,
                Happened::Yes => false,
            };
            if !again || starts == STARTS {
                return Ok(ran);
            }
            starts += 1;
        }
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
        // In a task that runs to its end: an end is never noted before its start (I-10).
        let (calls, session, admitted, facts) = (self.clone(), cell.clone(), admission.clone(), lease.facts());
        let task = tokio::spawn(async move { calls.permitted(&session, &admitted, facts).await });
        let running = task.await.unwrap_or(Err(Refusal::RecordUnknown))?;
        let (call, id, arguments, cancel) = running.permit.into_parts();
        let mut ending = running.ending;
        if *cancel.borrow() {
            ending.end(End::NotStarted);
            return Ok(Ran { outcome: Outcome::Unreachable("cancelled before it was sent".to_owned()), revoked: true });
        }
        let revoked = cancel.clone();
        ending.left = End::OutcomeUnknown;
        let outcome = lease.start(Sent::new(call, id, arguments, Cancel::new(cancel))).await;
        let outcome = self.judged(&admission, outcome);
        ending.end(outcome.end());
        let held = cell.state().held(&bound.id).is_some_and(|held| held.grant.request == admission.request());
        Ok(Ran { outcome, revoked: !held || *revoked.borrow() })
    }

    /// A result whose structured content contradicts its schema can't be used; one without any passes (UP-4).
    fn judged(&self, admission: &Admission, outcome: Outcome) -> Outcome {
        let Outcome::Ok(ToolResult { structured: Some(structured), .. }) = &outcome else { return outcome };
        match self.schemas.check_output(admission.definition(), structured) {
            Ok(()) => outcome,
            Err(why) => Outcome::Malformed(format!("structured content does not satisfy its schema: {why}")),
        }
    }

    /// Records the start, then asks the gate again.
    // INVARIANT: I-8 what runs is recorded first
    async fn permitted(&self, cell: &Arc<Cell>, admission: &Admission, facts: LeaseFacts) -> Result<Running, Refusal> {
        let call = CallId::new(self.entropy.bits());
        let mut ending = Ending { cell: cell.clone(), journal: self.journal.clone(), call: Some(call), left: End::NotStarted };
        let (bound, request) = (admission.bound(), admission.request());
        let about = bound.id.clone();
        let starting = Transition::Starting { call, bound, request, arguments: admission.digest() };
        if let Err(error) = cell.starting(&self.journal, starting, self.starts).await {
            ending.end(End::NotStarted);
            return Err(error.into());
        }
        match permit(&self.views, cell, admission, call, facts.live) {
            Ok(permit) => Ok(Running { permit, ending }),
            Err(refusal) => {
                ending.end(End::NotStarted);
                self.journal.refused(cell.stream(), &refusal, about.as_str());
                Err(refusal)
            }
        }
    }
}

struct Running {
    permit: crate::gate::Permit,
    ending: Ending,
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
