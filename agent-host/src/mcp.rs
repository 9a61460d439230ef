//! The client's end: MCP of both eras in one conversation.
//!
//! Is: one connection, one client, one session; the builtins and what the session holds; the person asked by a form. A client
//! may shake hands (`initialize`) or send requests that stand by themselves (`server/discover`), and each request is
//! served by the rules of its own era. Is not: a decision; every call goes to the engine's front as it came, names
//! included. Over HTTP, `http` finds the conversation of each request. Clauses: SES-2 (stdio), AUTH-3, AUTH-5, BLT-4, ACT-6, REV-2, UP-6 (progress,
//! cancel). Invariant: I-9.
//! Neighbours: `app` gives it a session, the engine's `shape::mcp` gives it its words.

mod answer;
mod deferred;
mod elicitation;
mod era;
mod input;
mod list;
mod modern;
mod news;
mod progress;
mod relayed;
mod said;
mod state;
mod streams;
mod tasks;
mod wire;

#[cfg(test)]
mod tests;

pub(crate) use answer::Answer;
pub(crate) use deferred::{unknown_task, without_tasks};
pub use era::Way;
pub(crate) use era::{Asked, Era, terms};
pub(crate) use relayed::{Relayed, Relays, Servers};
pub(crate) use said::{described, listed, versions};
pub use state::States;
pub use tasks::Tasks;

use crate::admin::Boundary;
use crate::config;
use crate::mirror;
use crate::refusal::{UNKNOWN, UNSERVED};
use agent_core::refusal::Refusal;
use agent_core::safety::echo;
use agent_engine::builtins::Reply;
use agent_engine::desk::Desk;
use agent_engine::engine::{Front, Reader};
use agent_engine::session::Cell;
use answer::members;
use elicitation::Elicitation;
use input::Input;
use list::List;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CancelTaskParams, CompleteRequestParams, CompleteResult, DiscoverResult, ErrorCode,
    GetPromptRequestParams, GetPromptResponse, GetTaskParams, GetTaskResult, InitializeRequestParams, InitializeResult, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, ReadResourceRequestParams, ReadResourceResponse,
};
use rmcp::model::{PaginatedRequestParams, ProtocolVersion, RequestMetaObject, ServerConfig, SubscriptionFilter, UpdateTaskParams};
use rmcp::service::{QuitReason, RequestContext, ServerInitializeError, SubscriptionContext};
use rmcp::{ErrorData, Peer, RoleServer, ServerHandler, ServiceExt};
use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use wire::Wire;

/// What one client's connection needs.
pub struct Connection {
    /// The client's face of the engine.
    pub front: Front,
    /// Where the answers that the client shows are handed in.
    pub desk: Desk,
    /// The client's session.
    pub session: Arc<Cell>,
    /// How the client came.
    pub way: Way,
    /// What the client is listed; without a word its era decides.
    pub surface: Option<config::Surface>,
    /// The states that are handed back with answers.
    pub states: Arc<States>,
    /// What calls became that go on.
    pub tasks: Arc<Tasks>,
    /// Where the host stands to the client, as each question says.
    pub boundary: Boundary,
    /// Where the operator's pages are, where there are some and this client may be given a link to them.
    pub pages: Option<String>,
    /// How long a call waits for a person before it is told `pending`.
    pub wait: Duration,
    /// Where prompts and resources are asked for, where some are relayed.
    pub upstreams: Servers,
}

/// This process's standard input and output.
pub(crate) fn stdio() -> (impl AsyncRead + Send + Unpin + 'static, impl AsyncWrite + Send + Unpin + 'static) {
    rmcp::transport::stdio_pipes()
}

/// Serves one client until its input ends, or its session does.
///
/// # Errors
/// The text says why there was no handshake, or why the connection broke off.
pub(crate) async fn serve<R, W>(connection: Connection, (read, write): (R, W)) -> Result<(), String>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let handler = Handler::new(connection);
    let session = handler.session.clone();
    let transport = Input::new(Wire::new(read, write), handler.list.streams().clone());
    let running = match handler.serve(transport).await {
        Ok(running) => running,
        // A client that went away before it said anything.
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => return Err(format!("the client did not shake hands: {error}")),
    };
    let (following, cancel) = (running.service().follow(Some(running.peer().clone())), running.cancellation_token());
    // The list is followed until the session ends; then streams get their results, and the connection goes.
    let under = session.clone();
    let following = tokio::spawn(async move {
        following.await;
        // A client whose session an operator ended is still there, and its next call is told.
        if !under.taken() {
            cancel.cancel();
        }
    });
    let ended = running.waiting().await;
    following.abort();
    match ended {
        Ok(_) if session.state().ended => Ok(()),
        Ok(QuitReason::JoinError(error)) | Err(error) => Err(format!("the connection broke off: {error}")),
        Ok(_) => Ok(()),
    }
}

/// Whatever runs is given up with its future. Nobody reads this answer where the client cancelled; where the host ends under
/// it, it is read, and what was begun may be done.
pub(crate) async fn unless_cancelled<T>(
    context: &RequestContext<RoleServer>,
    answer: impl Future<Output = Result<T, ErrorData>>,
) -> Result<T, ErrorData> {
    tokio::select! {
        answer = answer => answer,
        () = context.ct.cancelled() => Err(ErrorData::new(ErrorCode(UNSERVED), UNKNOWN, None)),
    }
}

/// One conversation: a session as it is served, in both eras.
pub(crate) struct Handler {
    /// The engine's face for a client that shook hands.
    legacy: Front,
    /// The same for requests that stand by themselves.
    modern: Front,
    desk: Desk,
    session: Arc<Cell>,
    list: Arc<List>,
    elicitation: Elicitation,
    states: Arc<States>,
    tasks: Arc<Tasks>,
    wait: Duration,
    relayed: Relayed,
}

impl Handler {
    pub(crate) fn new(connection: Connection) -> Self {
        let Connection { front, desk, session, way, surface, states, tasks, boundary, pages, wait, upstreams } = connection;
        let under = |era| front.under(terms(era, surface, &way));
        let (legacy, modern) = (under(Era::Legacy), under(Era::Modern));
        let list = Arc::new(List::new(&legacy, &modern, session.clone()));
        let relayed = Relayed::new(front.clone(), Reader::of(session.clone()), upstreams);
        let elicitation = Elicitation::new(front, desk.clone(), session.clone(), boundary, pages);
        Self { legacy, modern, desk, session, list, elicitation, states, tasks, wait, relayed }
    }

    /// Its session.
    pub(crate) const fn session(&self) -> &Arc<Cell> {
        &self.session
    }

    /// The engine's face as it serves an era.
    pub(crate) const fn front(&self, era: Era) -> &Front {
        match era {
            Era::Legacy => &self.legacy,
            Era::Modern => &self.modern,
        }
    }

    /// What of servers its client is given besides tools.
    pub(crate) const fn relayed(&self) -> &Relayed {
        &self.relayed
    }

    /// Tells the client of changes until the session ends, and its streams their results then. A client without a channel of
    /// its own hears of them on its streams alone.
    pub(crate) fn follow(&self, peer: Option<Peer<RoleServer>>) -> impl Future<Output = ()> + Send + 'static {
        let (list, relayed) = (self.list.clone(), self.relayed.clone());
        async move {
            tokio::select! {
                () = list.clone().follow(peer.clone()) => {}
                () = relayed.tell(peer.as_ref(), list.streams()) => {}
            }
            list.streams().end();
        }
    }

    /// What a stream can hear of; what its client may not use is taken out by what is declared.
    pub(crate) fn accepted(_: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(SubscriptionFilter::builder().tools_list_changed().prompts_list_changed().resources_list_changed().build())
    }

    /// Ends its streams: each gets its result.
    pub(crate) fn end_streams(&self) {
        self.list.streams().end();
    }

    /// Whether the headers of a modern request say what its arguments say, as far as the tool wants them there (SES-2).
    pub(crate) fn agrees(&self, request: &CallToolRequestParams, headers: &http::HeaderMap) -> Result<(), ErrorData> {
        let mirrored = self.modern.mirrored(&self.session, &request.name);
        mirror::agree(&mirrored, request.arguments.as_ref(), headers).map_err(|why| {
            let refusal = Refusal::Arguments(why.clone());
            drop(self.modern.refuse(&self.session, refusal, &echo(&request.name)));
            ErrorData::header_mismatch(why, None)
        })
    }

    /// Keeps what the client calls itself, for the people who look at its session.
    fn introduced(&self, context: &RequestContext<RoleServer>) {
        let of_request = context.meta.client_info().map(|client| client.name.clone());
        if let Some(name) = of_request.or_else(|| context.client_info().map(|client| client.name.clone())) {
            self.session.introduced(&name);
        }
    }

    /// The engine's answer to a call, its steps relayed, a person not waited for.
    async fn called(
        &self,
        front: &Front,
        request: CallToolRequestParams,
        meta: &RequestMetaObject,
        peer: Option<&Peer<RoleServer>>,
    ) -> Reply {
        let arguments = request.arguments.unwrap_or_default();
        let call = |progress| front.call_heard(&self.session, &request.name, arguments, progress);
        progress::relayed(peer.zip(meta.get_progress_token()), call).await
    }

    /// Tells of a changed list, and then gives the answer.
    async fn told(&self, reply: &Reply, where_to: &str, peer: Option<&Peer<RoleServer>>) -> Answer {
        self.list.announce(peer).await;
        Answer::Result(members(reply, where_to))
    }

    /// A call of the legacy era: the person is asked by a request of ours while it waits.
    async fn run_legacy(&self, request: CallToolRequestParams, context: &RequestContext<RoleServer>) -> Answer {
        let (reply, where_to) = match self.called(&self.legacy, request, &context.meta, Some(&context.peer)).await {
            Reply::Waiting(question) => {
                let form = self.elicitation.ask(context, &question).await;
                // Where no form is open, somebody may be watching from a terminal.
                let reply = self.legacy.wait(&self.session, &question, self.wait).await;
                (reply, form.leave_open())
            }
            reply => (reply, String::new()),
        };
        self.told(&reply, &where_to, Some(&context.peer)).await
    }

    async fn run(&self, request: CallToolRequestParams, context: &RequestContext<RoleServer>) -> Result<Answer, ErrorData> {
        match Era::of(context) {
            Era::Legacy => Ok(self.run_legacy(request, context).await),
            Era::Modern => self.run_modern(request, &Asked { meta: &context.meta, peer: Some(&context.peer) }).await,
        }
    }

    /// What a call that came by rmcp is answered with.
    pub(crate) async fn answer(&self, request: CallToolRequestParams, context: &RequestContext<RoleServer>) -> Result<Answer, ErrorData> {
        self.introduced(context);
        unless_cancelled(context, self.run(request, context)).await
    }
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        described(self.legacy.terms(), self.relayed.relays())
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Cow::Borrowed(versions())
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        context.peer.set_peer_info(request.clone());
        self.negotiate_initialize(&request).map(without_tasks)
    }

    async fn discover(&self, _: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        Ok(DiscoverResult::from_server_info(versions().to_vec(), described(self.modern.terms(), self.relayed.relays())))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        self.introduced(&context);
        let era = Era::of(&context);
        listed(&self.front(era).surface(&self.session), era)
    }

    async fn call_tool(&self, request: CallToolRequestParams, context: RequestContext<RoleServer>) -> Result<CallToolResponse, ErrorData> {
        self.answer(request, &context).await.and_then(Answer::typed)
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        unless_cancelled(&context, self.relayed.prompts(Era::of(&context))).await
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        unless_cancelled(&context, self.relayed.resources(Era::of(&context))).await
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        unless_cancelled(&context, self.relayed.templates(Era::of(&context))).await
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        unless_cancelled(&context, self.relayed.prompt(request)).await.map(GetPromptResponse::Complete)
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        unless_cancelled(&context, self.relayed.read(&request, Era::of(&context))).await.map(ReadResourceResponse::Complete)
    }

    async fn complete(&self, request: CompleteRequestParams, context: RequestContext<RoleServer>) -> Result<CompleteResult, ErrorData> {
        unless_cancelled(&context, self.relayed.complete(request)).await
    }

    async fn get_task(&self, request: GetTaskParams, context: RequestContext<RoleServer>) -> Result<GetTaskResult, ErrorData> {
        self.task_now(&request, &context)
    }

    async fn update_task(&self, request: UpdateTaskParams, context: RequestContext<RoleServer>) -> Result<(), ErrorData> {
        self.task_told(request, &context)
    }

    async fn cancel_task(&self, request: CancelTaskParams, context: RequestContext<RoleServer>) -> Result<(), ErrorData> {
        self.task_over(&request, &context)
    }

    fn accepted_subscription_filter(&self, wanted: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Self::accepted(wanted)
    }

    async fn listen(&self, stream: SubscriptionContext) -> Result<(), ErrorData> {
        self.list.streams().keep(&stream).await;
        Ok(())
    }
}
