//! A call that its server goes on with as a task, or asks something before it goes on: followed to its one outcome.
//!
//! Is: MCP's Tasks extension as its client, for a call whose own client takes tasks; such calls alone offer it to the server, and
//! forms with it where that client shows them. What is asked says whose question it is. A task that is given up, or too old, is
//! cancelled there. Is not: what the client is told (`mcp::tasks`), nor a second call: a question before the answer is gone back
//! to under the one permit. Clause: UP-8. Source: MCP 2026-07-28, extension `io.modelcontextprotocol/tasks`, multi round-trip requests.

use super::server::Server;
use super::server_lease::{answered, lost};
use agent_core::limits::TASK_MS;
use agent_core::outcome::Outcome;
use agent_core::safety::{has_hidden, prose};
use agent_engine::call::{Later, Stage};
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CancelTaskParams, CancelTaskRequest, ClientCapabilities, ClientRequest, ElicitRequest,
    ElicitRequestParams, FormElicitationCapability, GetTaskParams, GetTaskRequest, InputRequest, InputRequests, InputRequiredResult,
    ProtocolVersion, RequestMetaObject, ServerResult, Task, TaskPayload, UpdateTaskParams, UpdateTaskRequest,
};
use rmcp::service::{PeerRequestOptions, ServiceError};
use rmcp::{Peer, RoleClient};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::pin::Pin;
use std::time::Duration;
use tokio::time::{Instant, sleep, sleep_until, timeout};

/// How long a task is followed: what the server says, within these.
const AGE: (Duration, Duration) = (Duration::from_secs(60), Duration::from_millis(TASK_MS));
/// How often it is looked at: what the server says, within these; the last where it says nothing.
const PAUSE: (Duration, Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(30), Duration::from_secs(1));
/// How long one look at it may take, and how many in a row may get no answer.
const LOOK: (Duration, usize) = (Duration::from_secs(20), 3);
/// Questions before one answer, and questions of one task in its life.
const ROUNDS: usize = 10;
const ASKED: usize = 64;
/// Bytes of a task's id or a question's key, of a question's text, and of its form.
const SAID: (usize, usize, usize) = (512, 1024, 16 * 1024);

/// What came in place of a result.
pub(super) enum Unfinished {
    Task(Task),
    Input(InputRequiredResult),
}

impl Unfinished {
    /// It, of an answer; else the answer.
    #[expect(clippy::result_large_err, reason = "both are the same answer, passed on at once")]
    pub(super) fn of(answer: Result<ServerResult, ServiceError>) -> Result<Self, Result<ServerResult, ServiceError>> {
        match answer {
            Ok(ServerResult::CreateTaskResult(created)) => Ok(Self::Task(created.task)),
            Ok(ServerResult::InputRequiredResult(asked)) => Ok(Self::Input(asked)),
            answer => Err(answer),
        }
    }
}

/// A call whose client takes tasks, at a server that has them.
pub(super) struct Deferrable {
    call: CallToolRequestParams,
    later: Later,
}

impl Deferrable {
    /// Whether there is a client that takes them, and the server says that it has them.
    pub(super) fn fits(peer: &Peer<RoleClient>, later: Option<&Later>) -> bool {
        later.is_some()
            && peer
                .peer_info()
                .is_some_and(|info| info.protocol_version >= ProtocolVersion::V_2026_07_28 && info.capabilities.supports_tasks())
    }

    /// None where it does not fit.
    pub(super) fn of(peer: &Peer<RoleClient>, call: &CallToolRequestParams, later: Option<&Later>) -> Option<Self> {
        let later = later.filter(|later| Self::fits(peer, Some(later)))?;
        Some(Self { call: call.clone(), later: later.clone() })
    }

    /// What its requests say that this client can do; with forms where it shows them, or somebody else is asked by `forms`.
    pub(super) fn offer(&self, forms: bool) -> RequestMetaObject {
        let mut capabilities = ClientCapabilities::builder().enable_tasks().build();
        if forms || self.later.forms() {
            capabilities.elicitation.get_or_insert_default().form = Some(FormElicitationCapability::default());
        }
        let mut meta = RequestMetaObject::default();
        meta.set_client_capabilities(capabilities);
        meta
    }

    /// Follows it to its end, or until it is given up or too old.
    pub(super) async fn follow(
        self,
        server: &Server,
        peer: &Peer<RoleClient>,
        first: Unfinished,
        given_up: Pin<&mut (impl Future<Output = ()> + Send)>,
    ) -> Outcome {
        let followed = Followed { deferrable: self, server, peer };
        let to_its_end = async {
            match first {
                Unfinished::Task(task) => followed.task(task).await,
                Unfinished::Input(asked) => followed.rounds(asked).await,
            }
        };
        tokio::select! {
            biased;
            outcome = to_its_end => outcome,
            () = given_up => lost("given up after it was sent; the server was told to cancel what goes on"),
            () = sleep(AGE.1) => too_old(AGE.1),
        }
    }
}

struct Followed<'a> {
    deferrable: Deferrable,
    server: &'a Server,
    peer: &'a Peer<RoleClient>,
}

impl Followed<'_> {
    async fn ask(&self, request: ClientRequest, patience: Duration) -> Result<ServerResult, ServiceError> {
        let options = PeerRequestOptions::with_timeout(patience).with_meta(self.deferrable.offer(false));
        self.peer.send_cancellable_request(request, options).await?.await_response().await
    }

    /// Questions before the answer: each round is the same call again, with what was answered.
    async fn rounds(&self, mut asked: InputRequiredResult) -> Outcome {
        for _ in 0..ROUNDS {
            let requests = asked.input_requests.take().unwrap_or_default();
            let asks = match self.asks(requests) {
                Ok(asks) => asks,
                Err(outcome) => return outcome,
            };
            let (wanted, mut answers) = (asks.len(), BTreeMap::new());
            if wanted > 0 {
                self.tell(None, asks, AGE.1, PAUSE.2);
            } else {
                sleep(PAUSE.2).await;
            }
            while answers.len() < wanted {
                answers.extend(self.deferrable.later.answers().await);
            }
            let mut call = self.deferrable.call.clone();
            call.input_responses = (wanted > 0).then_some(answers);
            call.request_state = asked.request_state.take();
            let request = ClientRequest::CallToolRequest(CallToolRequest::new(call));
            match Unfinished::of(self.ask(request, self.server.patience()).await) {
                Ok(Unfinished::Input(again)) => asked = again,
                Ok(Unfinished::Task(task)) => return self.task(task).await,
                Err(answer) => return answered(self.server, answer),
            }
        }
        Outcome::Malformed(format!("it asked {ROUNDS} times instead of answering"))
    }

    /// A task, looked at until it is done.
    async fn task(&self, created: Task) -> Outcome {
        let id = created.task_id.clone();
        if id.is_empty() || id.len() > SAID.0 {
            return Outcome::Malformed("it answered with a task whose id can't be used".to_owned());
        }
        let mut cancelling = Cancelling { peer: self.peer.clone(), offer: self.deferrable.offer(false), id: Some(id.clone()) };
        let age = created.ttl_ms.map_or(AGE.1, |ms| Duration::from_millis(ms).clamp(AGE.0, AGE.1));
        let (until, mut answered, mut seen, mut missed) = (Instant::now() + age, BTreeSet::new(), BTreeSet::new(), 0);
        let mut pause = self.told(&created, BTreeMap::new(), age);
        loop {
            tokio::select! {
                biased;
                () = sleep_until(until) => return too_old(age),
                answers = self.deferrable.later.answers() => {
                    answered.extend(answers.keys().cloned());
                    let update = UpdateTaskRequest::new(UpdateTaskParams::new(&id, answers));
                    if let Err(error) = self.ask(ClientRequest::UpdateTaskRequest(update), LOOK.0).await {
                        return lost(&format!("it did not take an answer to its question: {}", prose(&error.to_string(), 200)));
                    }
                    // What a look would say now is often what stood before the answer.
                    continue;
                }
                () = sleep(pause) => {}
            }
            let look = GetTaskRequest::new(GetTaskParams::new(&id));
            let got = match self.ask(ClientRequest::GetTaskRequest(look), LOOK.0).await {
                Ok(ServerResult::GetTaskResult(got)) => got.task,
                Ok(_) => return Outcome::Malformed("what it says of its task can't be read".to_owned()),
                Err(ServiceError::Timeout { .. }) if missed + 1 < LOOK.1 => {
                    missed += 1;
                    continue;
                }
                Err(error) => return lost(&format!("its task can't be looked at any more: {}", prose(&error.to_string(), 200))),
            };
            missed = 0;
            match got.payload {
                TaskPayload::Working => pause = self.told(&got.task, BTreeMap::new(), age),
                TaskPayload::InputRequired { input_requests } => {
                    let open = input_requests.into_iter().filter(|(key, _)| !answered.contains(key)).collect();
                    match self.asks(open) {
                        Ok(asks) => {
                            seen.extend(asks.keys().cloned());
                            if seen.len() > ASKED {
                                return Outcome::Malformed(format!("its task asked more than {ASKED} questions"));
                            }
                            pause = self.told(&got.task, asks, age);
                        }
                        Err(outcome) => return outcome,
                    }
                }
                ended => {
                    cancelling.id = None;
                    return self.ended(ended);
                }
            }
        }
    }

    fn ended(&self, payload: TaskPayload) -> Outcome {
        match payload {
            TaskPayload::Completed { result } => match serde_json::from_value(Value::Object(result)) {
                Ok(result) => answered(self.server, Ok(ServerResult::CallToolResult(result))),
                Err(_) => Outcome::Malformed("what its task ended with is not a tool's result".to_owned()),
            },
            TaskPayload::Failed { error } => match serde_json::from_value(Value::Object(error)) {
                Ok(error) => answered(self.server, Err(ServiceError::McpError(error))),
                Err(_) => Outcome::Malformed("its task failed, and says why in no way that can be read".to_owned()),
            },
            _ => lost("the server cancelled the task"),
        }
    }

    /// Tells how far a task is. Gives how long to wait until the next look.
    fn told(&self, task: &Task, asks: BTreeMap<String, Value>, age: Duration) -> Duration {
        let pause = task.poll_interval_ms.map_or(PAUSE.2, |ms| Duration::from_millis(ms).clamp(PAUSE.0, PAUSE.1));
        self.tell(task.status_message.as_deref(), asks, age, pause);
        pause
    }

    fn tell(&self, message: Option<&str>, asks: BTreeMap<String, Value>, age: Duration, pause: Duration) {
        let message = message.map(|message| prose(message, SAID.1));
        self.deferrable.later.tell(Stage { server: self.server.alias().clone(), message, asks, age, pause });
    }

    /// What it asks, as it is put to the person; refused as a whole where one of it was not offered.
    fn asks(&self, requests: InputRequests) -> Result<BTreeMap<String, Value>, Outcome> {
        let unasked = || Outcome::Malformed("it asks for something that this client was not said to give".to_owned());
        requests
            .into_iter()
            .map(|(key, request)| {
                let form = Some(request).filter(|_| self.deferrable.later.forms() && key.len() <= SAID.0 && !has_hidden(&key));
                form.and_then(|request| self.put(request)).map(|form| (key, form)).ok_or_else(unasked)
            })
            .collect()
    }

    /// A form whose text says whose it is, and in which nothing is hidden.
    fn put(&self, request: InputRequest) -> Option<Value> {
        let InputRequest::Elicitation(ElicitRequest { params, .. }) = request else { return None };
        let ElicitRequestParams::FormElicitationParams { message, requested_schema, .. } = params else { return None };
        let message = format!("The server `{}` asks, not agent-host: {}", self.server.alias(), prose(&message, SAID.1));
        let params = ElicitRequestParams::FormElicitationParams { meta: None, message, requested_schema };
        let form = serde_json::to_value(InputRequest::Elicitation(ElicitRequest::new(params))).ok()?;
        let text = form.to_string();
        (text.len() <= SAID.2 && !hides(&form)).then_some(form)
    }
}

/// Whether a text in it holds what a reader would not see.
fn hides(value: &Value) -> bool {
    match value {
        Value::String(text) => has_hidden(text),
        Value::Array(items) => items.iter().any(hides),
        Value::Object(members) => members.iter().any(|(name, value)| has_hidden(name) || hides(value)),
        _ => false,
    }
}

fn too_old(age: Duration) -> Outcome {
    Outcome::TimedOut(format!("its task was not done within {age:?}, and was told to be cancelled"))
}

/// Cancels a task that nobody follows any more.
struct Cancelling {
    peer: Peer<RoleClient>,
    offer: RequestMetaObject,
    /// None once it ended.
    id: Option<String>,
}

impl Drop for Cancelling {
    fn drop(&mut self) {
        let (Some(id), Ok(runtime)) = (self.id.take(), tokio::runtime::Handle::try_current()) else { return };
        let options = PeerRequestOptions::with_timeout(LOOK.0).with_meta(std::mem::take(&mut self.offer));
        let (peer, request) = (self.peer.clone(), ClientRequest::CancelTaskRequest(CancelTaskRequest::new(CancelTaskParams::new(id))));
        runtime.spawn(timeout(LOOK.0, async move {
            match peer.send_cancellable_request(request, options).await {
                Ok(sent) => drop(sent.await_response().await),
                Err(error) => tracing::debug!(%error, "a task could not be cancelled"),
            }
        }));
    }
}
