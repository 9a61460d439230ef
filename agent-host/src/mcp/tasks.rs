//! The tasks that calls of clients became, by ids of ours.
//!
//! Is: a bounded table; an id is random, of one session, and no other's client finds it. Each runs its call to the end, and is
//! kept for a while so that the end can be read. Is not: the call, which the engine admitted, recorded and ends as any (`call`), nor
//! the server's task (`upstream::task`): giving one up here gives up that. Clause: UP-8.

use agent_core::limits::{TASK_BYTES, TASK_KEPT_MS, TASKS};
use agent_core::session::{Asker, SessionId};
use agent_core::time::{Clock, Entropy, Instant};
use agent_engine::call::{Follower, Stage};
use parking_lot::Mutex;
use rmcp::model::{DetailedTask, InputRequests, JsonObject, Task, TaskPayload, TaskStatus};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;
use tokio::task::AbortHandle;

/// All tasks of this process. A restart forgets them; their calls are then on record as ones whose outcome nobody knows.
pub struct Tasks {
    entropy: Arc<dyn Entropy>,
    clock: Arc<dyn Clock>,
    kept: Mutex<HashMap<SessionId, Vec<Arc<Kept>>>>,
}

/// One task.
pub(super) struct Kept {
    id: String,
    asker: Asker,
    began: Instant,
    life: Duration,
    follower: Follower,
    state: Mutex<State>,
}

enum State {
    Runs(Option<AbortHandle>),
    /// With the result and its bytes, and when that was.
    Done(JsonObject, usize, Instant),
    Cancelled(Instant),
}

impl Tasks {
    /// No tasks.
    #[must_use]
    pub fn new(entropy: Arc<dyn Entropy>, clock: Arc<dyn Clock>) -> Self {
        Self { entropy, clock, kept: Mutex::default() }
    }

    /// Keeps a call that became a task, and runs it to its end; it is given up once `gone` is done. None where as many of the
    /// session's run as may be; the call is given up then.
    pub(super) fn keep(
        self: &Arc<Self>,
        asker: &Asker,
        (follower, stage): (Follower, &Stage),
        call: impl Future<Output = JsonObject> + Send + 'static,
        gone: impl Future<Output = ()> + Send + 'static,
    ) -> Option<Arc<Kept>> {
        let task = Arc::new(Kept {
            id: format!("task_{:032x}", self.entropy.bits()),
            asker: asker.clone(),
            began: self.clock.now(),
            life: stage.age + Duration::from_millis(TASK_KEPT_MS),
            follower,
            state: Mutex::new(State::Runs(None)),
        });
        {
            let mut kept = self.kept.lock();
            let its = kept.entry(asker.session).or_default();
            if its.len() >= TASKS {
                let oldest = its.iter().position(|task| !task.runs())?;
                its.remove(oldest);
            }
            its.push(task.clone());
        }
        let (tasks, running) = (self.clone(), task.clone());
        let run = tokio::spawn(async move {
            let result = call.await;
            running.end(result, tasks.clock.now());
            tasks.trim(&running.asker);
        });
        if let State::Runs(abort) = &mut *task.state.lock() {
            *abort = Some(run.abort_handle());
        }
        let (tasks, over) = (self.clone(), task.clone());
        tokio::spawn(async move {
            tokio::select! {
                () = gone => {}
                () = tokio::time::sleep(over.life) => {}
            }
            over.cancel(tasks.clock.now());
            tasks.forget(&over);
        });
        Some(task)
    }

    /// The task of an id, for the session whose it is.
    pub(super) fn find(&self, asker: &Asker, id: &str) -> Option<Arc<Kept>> {
        let kept = self.kept.lock();
        kept.get(&asker.session)?.iter().find(|task| task.id == id && task.asker == *asker).cloned()
    }

    /// Whose task it is. It says nothing of whether it may be seen.
    pub(crate) fn asker(&self, id: &str) -> Option<Asker> {
        let kept = self.kept.lock();
        kept.values().flatten().find(|task| task.id == id).map(|task| task.asker.clone())
    }

    /// Whether one of a session's runs.
    pub(super) fn run_of(&self, asker: &Asker) -> bool {
        self.kept.lock().get(&asker.session).is_some_and(|its| its.iter().any(|task| task.runs()))
    }

    /// Ends one, as its client asked.
    pub(super) fn cancel(&self, task: &Kept) {
        task.cancel(self.clock.now());
    }

    /// Forgets the oldest results of a session until the others are within bounds.
    fn trim(&self, asker: &Asker) {
        let mut kept = self.kept.lock();
        let Some(its) = kept.get_mut(&asker.session) else { return };
        let mut bytes = 0;
        let over: Vec<_> = its
            .iter()
            .rev()
            .filter(|task| {
                task.bytes().is_some_and(|more| {
                    let first = bytes == 0;
                    bytes += more;
                    bytes > TASK_BYTES && !first
                })
            })
            .cloned()
            .collect();
        its.retain(|task| !over.iter().any(|over| Arc::ptr_eq(over, task)));
    }

    fn forget(&self, task: &Arc<Kept>) {
        let mut kept = self.kept.lock();
        if let Some(its) = kept.get_mut(&task.asker.session) {
            its.retain(|other| !Arc::ptr_eq(other, task));
            if its.is_empty() {
                kept.remove(&task.asker.session);
            }
        }
    }
}

impl Kept {
    fn runs(&self) -> bool {
        matches!(*self.state.lock(), State::Runs(_))
    }

    fn bytes(&self) -> Option<usize> {
        match &*self.state.lock() {
            State::Done(_, bytes, _) => Some(*bytes),
            State::Runs(_) | State::Cancelled(_) => None,
        }
    }

    fn end(&self, result: JsonObject, now: Instant) {
        let mut state = self.state.lock();
        if matches!(*state, State::Runs(_)) {
            let bytes = serde_json::to_vec(&result).map_or(0, |text| text.len());
            *state = State::Done(result, bytes, now);
        }
    }

    /// Gives its call up, where it runs.
    fn cancel(&self, now: Instant) {
        let mut state = self.state.lock();
        if let State::Runs(abort) = &mut *state {
            if let Some(abort) = abort.take() {
                abort.abort();
            }
            *state = State::Cancelled(now);
        }
    }

    /// Answers what it asks. Gives the server whose question it was, and the keys that were taken.
    pub(super) fn answer(&self, answers: BTreeMap<String, Value>) -> Option<(Stage, Vec<String>)> {
        let taken = if self.runs() { self.follower.answer(answers) } else { Vec::new() };
        self.follower.stage().map(|stage| (stage, taken))
    }

    /// How it stands; `forms` says that its client can be asked.
    pub(super) fn detailed(&self, forms: bool) -> DetailedTask {
        let stage = self.follower.stage();
        let (payload, last) = match &*self.state.lock() {
            State::Done(result, _, at) => (TaskPayload::Completed { result: result.clone() }, *at),
            State::Cancelled(at) => (TaskPayload::Cancelled, *at),
            State::Runs(_) => (stage.as_ref().map_or(TaskPayload::Working, |stage| asking(stage, forms)), self.began),
        };
        let mut task = Task::new(&self.id, TaskStatus::Working, self.began.utc(), last.utc());
        task.ttl_ms = Some(u64::try_from(self.life.as_millis()).unwrap_or(u64::MAX));
        if let (Some(stage), TaskPayload::Working | TaskPayload::InputRequired { .. }) = (stage, &payload) {
            task.poll_interval_ms = u64::try_from(stage.pause.as_millis()).ok();
            task.status_message = match &payload {
                TaskPayload::Working if !stage.asks.is_empty() => Some("its server asks something; this client shows no forms".to_owned()),
                _ => stage.message,
            };
        }
        DetailedTask::new(task, payload)
    }
}

fn asking(stage: &Stage, forms: bool) -> TaskPayload {
    let form = |(key, form): (&String, &Value)| Some((key.clone(), serde_json::from_value(form.clone()).ok()?));
    let input_requests: InputRequests = stage.asks.iter().filter(|_| forms).filter_map(form).collect();
    if input_requests.is_empty() { TaskPayload::Working } else { TaskPayload::InputRequired { input_requests } }
}
