//! One call on its way: handed over at once, then awaited, given up or lost.
//!
//! Is: the engine's `Lease`. Is not: the permit, which the engine alone makes. Nothing of the client's `_meta` goes out: of
//! a call only name and arguments come this far. Clauses: UP-4, GATE-6, UP-6 (eras, progress, cancel),
//! UP-10, AUTH-8.
//!
//! To a process it is handed past rmcp (`calls`). For a server behind a URL, or one that may ask something or go on later, rmcp takes a request
//! into a queue of 1,024 by an async function that waits for nothing but room in it. A lease holds one of 256 slots, so there is
//! always room and the function is done when polled once; should it not be, it is dropped, and a message that found no room was
//! never taken. Either way `start` returns knowing whether the request is queued.

use super::abandoned::Abandoned;
use super::calls::token;
use super::connection::Connection;
use super::gate::{LOST, REFUSED, UNREAD, UNSENT};
use super::listeners::Listening;
use super::questions::{Questions, Running};
use super::relayed::uri_of;
use super::server::{Server, WITHDRAWN};
use super::start_error::StartError;
use super::task::{Deferrable, Unfinished};
use agent_core::digest::Digest;
use agent_core::id::{Alias, ToolId};
use agent_core::outcome::{Outcome, ToolResult};
use agent_core::safety::prose;
use agent_core::session::Asker;
use agent_engine::call::{Lease, LeaseFacts, Progress, Sent};
use rmcp::RoleClient;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CallToolResult, ClientRequest, ContentBlock, ElicitResult, ElicitationAction, ErrorCode,
    ErrorData, InputRequest, InputRequiredResult, InputResponses, ServerResult, TASKS_EXTENSION_ID,
};
use rmcp::service::{PeerRequestOptions, RequestHandle, ServiceError};
use serde_json::{Map, Value};
use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::Instant;

/// How often a call is said again with what a person answered.
const ROUNDS: usize = 8;

/// Answers that nobody was told to expect: a task, and a question.
const UNEXPECTED: (&str, &str) = (
    "it answered with a task to be asked for later, and nobody was told to expect that",
    "it asks for more input instead of answering, and nobody was told to expect that",
);

/// A running server with a slot for one call.
pub(super) struct ServerLease {
    server: Arc<Server>,
    connection: Arc<Connection>,
    slot: OwnedSemaphorePermit,
    name: String,
    live: Digest,
    asking: Option<Asking>,
}

/// A call that its server may ask about.
pub(super) struct Asking {
    pub(super) questions: Questions,
    pub(super) asker: Asker,
    pub(super) tool: ToolId,
    pub(super) turn: Option<OwnedSemaphorePermit>,
}

type Reply = Pin<Box<dyn Future<Output = Outcome> + Send>>;

impl ServerLease {
    pub(super) const fn new(
        server: Arc<Server>,
        connection: Arc<Connection>,
        slot: OwnedSemaphorePermit,
        name: String,
        live: Digest,
        asking: Option<Asking>,
    ) -> Self {
        Self { server, connection, slot, name, live, asking }
    }

    /// Queues the request, unless the server was withdrawn, then gives the future of its outcome. Dropping that future gives
    /// the call up.
    pub(super) fn hand_over(
        self,
        arguments: Map<String, Value>,
        progress: Progress,
        given_up: impl Future<Output = ()> + Send + 'static,
    ) -> Reply {
        // The call's permit is made by now. One made after the server was withdrawn is for its successor, and finds it so here.
        if self.server.is_withdrawn() {
            return ready(Outcome::Unreachable(format!("server `{}`: {WITHDRAWN}", self.server.alias())));
        }
        match self.connection.calls().cloned() {
            Some(calls) if self.asking.is_none() && !Deferrable::fits(self.connection.peer(), progress.later()) => {
                let id = calls.number();
                let listening = self.connection.listeners().listen(&token(id), progress.clone());
                match calls.ask(id, &self.name, &arguments) {
                    Ok(asked) => {
                        let abandoned = Abandoned::of_call(calls, id);
                        let Self { server, connection, slot, .. } = self;
                        let call = Call { server, connection, slot, progress, deferrable: None, asked: None };
                        Box::pin(call.follow(Box::pin(asked.answer()), abandoned, given_up, listening))
                    }
                    Err(why) => ready(Outcome::Unreachable(why.to_owned())),
                }
            }
            _ => self.hand_to_rmcp(arguments, progress, given_up),
        }
    }

    /// The same to a server behind a URL, or one that may ask something meanwhile or go on later.
    fn hand_to_rmcp(self, arguments: Map<String, Value>, progress: Progress, given_up: impl Future<Output = ()> + Send + 'static) -> Reply {
        let params = CallToolRequestParams::new(self.name).with_arguments(arguments);
        let peer = self.connection.peer().clone();
        let deferrable = Deferrable::of(&peer, &params, progress.later());
        let offer = options(deferrable.as_ref(), self.asking.is_some());
        // It may have to be said again, with what a person answered.
        let again = self.asking.as_ref().map(|_| params.clone());
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
        let mut running = self.asking.map(|asking| asking.questions.begin(asking.asker, asking.tool, asking.turn));
        let queued = now_or_never(peer.send_cancellable_request(request, offer));
        if let (Some(running), false) = (&mut running, matches!(queued, Some(Ok(_)))) {
            running.answered();
        }
        let handle = match queued {
            Some(Ok(handle)) => handle,
            Some(Err(_)) => return ready(Outcome::Unreachable("the connection was lost before the call was sent".to_owned())),
            None => return ready(Outcome::Unreachable("the connection takes no more messages".to_owned())),
        };
        let (slot, connection, server) = (self.slot, self.connection, self.server);
        let call = Call { server, connection, slot, progress, deferrable, asked: running.zip(again) };
        let abandoned = Abandoned::new(peer, handle.id.clone(), "the caller went away");
        let listening = call.connection.listeners().listen(&handle.progress_token, call.progress.clone());
        Box::pin(call.follow(pending(handle), abandoned, given_up, listening))
    }
}

impl Lease for ServerLease {
    // INVARIANT: I-3 the digest of what this very connection listed
    fn facts(&self) -> LeaseFacts {
        LeaseFacts { live: Some(self.live) }
    }

    fn start(self: Box<Self>, sent: Sent) -> Reply {
        let progress = sent.progress().clone();
        let (arguments, mut cancel) = sent.into_parts();
        if cancel.is_cancelled() {
            return ready(Outcome::Unreachable("given up before it was sent".to_owned()));
        }
        self.hand_over(arguments, progress, async move { cancel.cancelled().await })
    }
}

fn ready(outcome: Outcome) -> Reply {
    Box::pin(std::future::ready(outcome))
}

/// Polls a future once, outside of the scheduler's budget; what is not done then is dropped.
fn now_or_never<F: Future>(future: F) -> Option<F::Output> {
    let mut future = pin!(tokio::task::unconstrained(future));
    match future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => Some(output),
        Poll::Pending => None,
    }
}

type Answer = Result<ServerResult, ServiceError>;
/// An answer to come; none where the connection is lost before it.
type Pending = Pin<Box<dyn Future<Output = Option<Answer>> + Send>>;

fn pending(handle: RequestHandle<RoleClient>) -> Pending {
    Box::pin(async move { handle.rx.await.ok() })
}

/// What a call says besides: where it can go on as a task, that it can, and whether forms can be put.
fn options(deferrable: Option<&Deferrable>, forms: bool) -> PeerRequestOptions {
    match deferrable {
        Some(deferrable) => PeerRequestOptions::no_options().with_meta(deferrable.offer(forms)),
        None => PeerRequestOptions::no_options(),
    }
}

/// A call that was sent.
struct Call {
    server: Arc<Server>,
    connection: Arc<Connection>,
    slot: OwnedSemaphorePermit,
    progress: Progress,
    /// Where its client and its server have tasks.
    deferrable: Option<Deferrable>,
    /// Where its server may ask: what is known of it there, and what to say again with an answer.
    asked: Option<(Running, CallToolRequestParams)>,
}

impl Call {
    async fn follow(
        self,
        mut pending_answer: Pending,
        mut abandoned: Abandoned,
        given_up: impl Future<Output = ()> + Send,
        mut listening: Option<Listening>,
    ) -> Outcome {
        let Self { server, connection, slot, progress, deferrable, mut asked } = self;
        let (began, patience, mut given_up) = (Instant::now(), server.patience(), pin!(given_up));
        let mut rounds = 0..ROUNDS;
        let outcome = loop {
            let waited = asked.as_ref().map_or(Duration::ZERO, |(running, _)| running.waited());
            let answer = tokio::select! {
                biased;
                answer = &mut pending_answer => answer,
                () = &mut given_up => {
                    abandoned.why = "given up by the host";
                    break lost("given up after it was sent");
                }
                () = tokio::time::sleep_until(began + patience + waited) => {
                    // The time in which a person was asked is not the server's.
                    if asked.as_ref().is_some_and(|(running, _)| running.waited() > waited) {
                        continue;
                    }
                    abandoned.why = "no answer in time";
                    break Outcome::TimedOut(format!("no answer within {patience:?}"));
                }
            };
            let Some(answer) = answer else {
                asked.iter_mut().for_each(|(running, _)| running.answered());
                break lost("the connection was lost");
            };
            abandoned.answered();
            let required = match Unfinished::of(answer) {
                Ok(Unfinished::Input(required)) if asked.is_some() && rounds.next().is_some() => required,
                came => {
                    asked.iter_mut().for_each(|(running, _)| running.answered());
                    break match (came, deferrable) {
                        (Err(answer), _) => answered(&server, answer),
                        (Ok(first), Some(deferrable)) => deferrable.follow(&server, connection.peer(), first, given_up.as_mut()).await,
                        (Ok(Unfinished::Task(_)), None) => Outcome::Malformed(UNEXPECTED.0.to_owned()),
                        (Ok(Unfinished::Input(_)), None) => Outcome::Malformed(UNEXPECTED.1.to_owned()),
                    };
                }
            };
            let Some((running, params)) = &asked else { break lost("the connection was lost") };
            let said = tokio::select! {
                said = input(running, required) => said,
                () = &mut given_up => break lost("given up while a person was asked"),
            };
            let (responses, state) = match said {
                Ok(said) => said,
                Err(why) => break Outcome::Malformed(why.to_owned()),
            };
            let mut params = params.clone().with_input_responses(responses);
            params.request_state = state;
            let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
            let sent = match connection.peer().send_cancellable_request(request, options(deferrable.as_ref(), true)).await {
                Ok(sent) => sent,
                Err(_) => break lost("the connection was lost"),
            };
            abandoned = Abandoned::new(connection.peer().clone(), sent.id.clone(), "the caller went away");
            listening = connection.listeners().listen(&sent.progress_token, progress.clone());
            pending_answer = pending(sent);
        };
        drop((listening, slot));
        outcome
    }
}

/// What persons answer to what a server wants to know before it goes on.
async fn input(running: &Running, required: InputRequiredResult) -> Result<(InputResponses, Option<String>), &'static str> {
    let mut responses = InputResponses::new();
    for (key, request) in required.input_requests.unwrap_or_default() {
        let InputRequest::Elicitation(form) = request else { return Err("it asks for something else than a person's answer") };
        let answer = running.put(form.params).await.unwrap_or_else(|error| {
            tracing::debug!(%error, "a question was not put");
            ElicitResult::new(ElicitationAction::Cancel)
        });
        responses.insert(key, serde_json::to_value(answer).map_err(|_| "an answer can't be written as JSON")?);
    }
    Ok((responses, required.request_state))
}

pub(super) fn lost(why: &str) -> Outcome {
    Outcome::Lost(why.to_owned())
}

/// What an answer comes to. One that asks for a login is kept in mind, for an operator, until there is another.
pub(super) fn answered(server: &Server, answer: Answer) -> Outcome {
    if let Err(ServiceError::McpError(error)) = &answer
        && let Some(login) = StartError::of_login(error)
    {
        let told = server.target().told_to_model(&login);
        server.answered(Some(login));
        return Outcome::Refused(told);
    }
    if answer.is_ok() {
        server.answered(None);
    }
    outcome(answer, server.links())
}

fn outcome(answer: Answer, links: Option<&Alias>) -> Outcome {
    match answer {
        Ok(ServerResult::CallToolResult(result)) => match (result.is_error.unwrap_or(false), plain(result, links)) {
            (false, Some(result)) => Outcome::Ok(result),
            (true, Some(result)) => Outcome::ToolFailed(result),
            (_, None) => Outcome::Malformed("its result can't be written as JSON".to_owned()),
        },
        Ok(_) => Outcome::Malformed("its answer is not a tool's result".to_owned()),
        Err(ServiceError::McpError(error)) if error.code == ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY => {
            Outcome::Refused(lacks(&error))
        }
        // Codes by which JSON-RPC says that a request was not taken up. `invalid params` is not among them: servers answer
        // it from inside of tools, too.
        Err(ServiceError::McpError(error)) if error.code == ErrorCode::METHOD_NOT_FOUND => Outcome::Refused(prose(&error.message, 1024)),
        Err(ServiceError::McpError(error)) if error.code == UNREAD => Outcome::Malformed(error.message.into_owned()),
        Err(ServiceError::McpError(error)) if error.code == UNSENT => Outcome::Unreachable(error.message.into_owned()),
        Err(ServiceError::McpError(error)) if error.code == REFUSED => Outcome::Refused(error.message.into_owned()),
        Err(ServiceError::McpError(error)) if error.code == LOST => lost(&error.message),
        Err(ServiceError::McpError(error)) => Outcome::ToolFailed(ToolResult::text(prose(&error.message, 1024))),
        Err(ServiceError::UnexpectedResponse) => Outcome::Malformed("its answer is not a tool's result".to_owned()),
        Err(error) => lost(&prose(&error.to_string(), 200)),
    }
}

/// What it wants of a client that this one was not said to do.
fn lacks(error: &ErrorData) -> String {
    let wanted = error.data.as_ref().and_then(|data| data.get("requiredCapabilities")?.get("extensions")?.get(TASKS_EXTENSION_ID));
    match wanted {
        Some(_) => "it runs this tool only as a task, and this call's client takes none; use a client that declares \
                    `io.modelcontextprotocol/tasks`"
            .to_owned(),
        None => format!("it wants of a client what this one does not do: {}", prose(&error.message, 400)),
    }
}

/// A result without anything under `_meta`.
fn plain(result: CallToolResult, links: Option<&Alias>) -> Option<ToolResult> {
    let mut content = Vec::with_capacity(result.content.len());
    for block in &result.content {
        content.push(cleaned(block, links)?);
    }
    Some(ToolResult { content, structured: result.structured_content })
}

/// A block without `_meta`. A link in it is the one by which clients can read it here, where the server's resources are relayed.
pub(super) fn cleaned(block: &ContentBlock, links: Option<&Alias>) -> Option<Value> {
    let mut block = serde_json::to_value(block).ok()?;
    strip(&mut block);
    if let (Some(alias), Some("resource_link")) = (links, block.get("type").and_then(Value::as_str))
        && let Some(Value::String(uri)) = block.get_mut("uri")
        // What anybody can fetch from the web is not the server's to read.
        && !(uri.starts_with("https:") || uri.starts_with("http:"))
    {
        *uri = uri_of(alias, uri);
    }
    Some(block)
}

/// Blocks carry `_meta` themselves, and the resource in a block does.
fn strip(block: &mut Value) {
    if let Some(members) = block.as_object_mut() {
        members.remove("_meta");
    }
    if let Some(resource) = block.get_mut("resource").and_then(Value::as_object_mut) {
        resource.remove("_meta");
    }
}
