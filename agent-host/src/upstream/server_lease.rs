//! One call on its way: handed to rmcp at once, then awaited, given up or lost.
//!
//! Is: the engine's `Lease`. Is not: the permit, which the engine alone makes. Nothing of the client's `_meta` goes out: of
//! a call only name and arguments come this far. Clauses: UP-4, GATE-6, UP-6 (eras, progress, cancel),
//! UP-10.
//!
//! rmcp takes a request into a queue of 1,024 by an async function that waits for nothing but room in it. A lease holds
//! one of 256 slots, so there is always room and the function is done when polled once; should it not be, it is dropped,
//! and a message that found no room was never taken. Either way `start` returns knowing whether the request is queued.

use super::connection::Connection;
use super::gate::{LOST, REFUSED, UNREAD, UNSENT};
use super::listeners::Listening;
use super::relayed::uri_of;
use super::server::{Server, WITHDRAWN};
use super::start_error::StartError;
use super::task::{Deferrable, Unfinished};
use agent_core::digest::Digest;
use agent_core::id::Alias;
use agent_core::outcome::{Outcome, ToolResult};
use agent_core::safety::prose;
use agent_engine::call::{Lease, LeaseFacts, Progress, Sent};
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CallToolResult, CancelledNotificationParam, ClientRequest, ContentBlock, ErrorCode,
};
use rmcp::model::{ErrorData, RequestId, ServerResult, TASKS_EXTENSION_ID};
use rmcp::service::{PeerRequestOptions, RequestHandle, ServiceError};
use rmcp::{Peer, RoleClient};
use serde_json::{Map, Value};
use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use tokio::sync::OwnedSemaphorePermit;

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
}

type Reply = Pin<Box<dyn Future<Output = Outcome> + Send>>;

impl ServerLease {
    pub(super) const fn new(
        server: Arc<Server>,
        connection: Arc<Connection>,
        slot: OwnedSemaphorePermit,
        name: String,
        live: Digest,
    ) -> Self {
        Self { server, connection, slot, name, live }
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
        let params = CallToolRequestParams::new(self.name).with_arguments(arguments);
        let peer = self.connection.peer().clone();
        let deferrable = Deferrable::of(&peer, &params, progress.later());
        let options = deferrable
            .as_ref()
            .map_or_else(PeerRequestOptions::no_options, |deferrable| PeerRequestOptions::no_options().with_meta(deferrable.offer()));
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
        let queued = now_or_never(peer.send_cancellable_request(request, options));
        let handle = match queued {
            Some(Ok(handle)) => handle,
            Some(Err(_)) => return ready(Outcome::Unreachable("the connection was lost before the call was sent".to_owned())),
            None => return ready(Outcome::Unreachable("the connection takes no more messages".to_owned())),
        };
        let (slot, connection, server) = (self.slot, self.connection, self.server);
        let abandoned = Abandoned::new(peer.clone(), handle.id.clone(), "the caller went away");
        let listening = connection.listeners().listen(&handle.progress_token, progress);
        Box::pin(async move {
            let mut given_up = pin!(given_up);
            let outcome = match follow(handle, abandoned, &server, given_up.as_mut(), listening).await {
                Err(outcome) => outcome,
                Ok(answer) => match (deferrable, Unfinished::of(answer)) {
                    (Some(deferrable), Ok(first)) => deferrable.follow(&server, &peer, first, given_up).await,
                    (None, Ok(Unfinished::Task(_))) => Outcome::Malformed(UNEXPECTED.0.to_owned()),
                    (None, Ok(Unfinished::Input(_))) => Outcome::Malformed(UNEXPECTED.1.to_owned()),
                    (_, Err(answer)) => answered(&server, answer),
                },
            };
            drop((slot, connection));
            outcome
        })
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

/// The answer; without one, what the call came to.
async fn follow(
    mut handle: RequestHandle<RoleClient>,
    mut abandoned: Abandoned,
    server: &Server,
    given_up: Pin<&mut (impl Future<Output = ()> + Send)>,
    _listening: Option<Listening>,
) -> Result<Result<ServerResult, ServiceError>, Outcome> {
    let patience = server.patience();
    tokio::select! {
        biased;
        answer = &mut handle.rx => {
            abandoned.answered();
            answer.map_err(|_| lost("the connection was lost"))
        }
        () = given_up => {
            abandoned.why = "given up by the host";
            Err(lost("given up after it was sent"))
        }
        () = tokio::time::sleep(patience) => {
            abandoned.why = "no answer in time";
            Err(Outcome::TimedOut(format!("no answer within {patience:?}")))
        }
    }
}

/// Tells the server that nobody waits any more, unless an answer came.
pub(super) struct Abandoned {
    peer: Peer<RoleClient>,
    id: Option<RequestId>,
    why: &'static str,
}

impl Abandoned {
    pub(super) const fn new(peer: Peer<RoleClient>, id: RequestId, why: &'static str) -> Self {
        Self { peer, id: Some(id), why }
    }

    /// An answer came.
    pub(super) fn answered(&mut self) {
        self.id = None;
    }
}

impl Drop for Abandoned {
    fn drop(&mut self) {
        if let (Some(id), Ok(runtime)) = (self.id.take(), tokio::runtime::Handle::try_current()) {
            let (peer, why) = (self.peer.clone(), self.why.to_owned());
            runtime.spawn(async move { peer.notify_cancelled(CancelledNotificationParam::new(Some(id), Some(why))).await });
        }
    }
}

pub(super) fn lost(why: &str) -> Outcome {
    Outcome::Lost(why.to_owned())
}

/// What an answer comes to. One that asks for a login is kept in mind, for an operator, until there is another.
pub(super) fn answered(server: &Server, answer: Result<ServerResult, ServiceError>) -> Outcome {
    if let Err(ServiceError::McpError(error)) = &answer
        && let Some(login) = StartError::of_login(error)
    {
        server.answered(Some(login.why.clone()));
        return Outcome::Refused(server.target().told_to_model(&login));
    }
    if answer.is_ok() {
        server.answered(None);
    }
    outcome(answer, server.links())
}

fn outcome(answer: Result<ServerResult, ServiceError>, links: Option<&Alias>) -> Outcome {
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
