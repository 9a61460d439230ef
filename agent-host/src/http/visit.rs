//! What rmcp is given to serve: one session of a client that shook hands, or one request that stands by itself.
//!
//! Is: from a request to its conversation, by what it presents; then everything as that conversation does it. A request that
//! presents nothing is listed the builtins, and may open a session by searching. Is not: a decision about a tool. Clauses:
//! SES-2 (HTTP), SRCH-1, ACT-1. Invariant: I-9. Source: MCP 2026-07-28, basic/transports.

use super::handle::{answered, taken, with_line};
use super::held::{Answering, Held};
use super::sessions::{Closed, Sessions, way};
use crate::caller::Caller;
use crate::client::Clients;
use crate::config::By;
use crate::mcp::{
    Answer, Asked, Era, Handler, Relayed, Relays, Way, described, listed, terms, unknown_task, unless_cancelled, versions, without_tasks,
};
use crate::refusal::UNSERVED;
use crate::web::Slot;
use agent_engine::builtins::Builtin;
use http::HeaderMap;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CancelTaskParams, CompleteRequestParams, CompleteResult, DiscoverResult, ErrorCode,
    Extensions, GetPromptRequestParams, GetPromptResponse, GetTaskParams, GetTaskResult, InitializeRequestParams, InitializeResult,
    ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams, ProtocolVersion,
    ReadResourceRequestParams, ReadResourceResponse, RequestMetaObject, ServerConfig, SubscriptionFilter, UpdateTaskParams,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use std::borrow::Cow;
use std::sync::{Arc, OnceLock};
use tokio::sync::watch;
use tokio::task::AbortHandle;

/// Where the layers before this one say who asks and what the URL names, and hear which session a handshake got.
#[derive(Clone)]
pub(super) struct Arrival {
    pub(super) caller: Caller,
    pub(super) tools: Vec<String>,
    pub(super) found: Arc<Found>,
    /// The connection it came on.
    pub(super) slot: Option<Slot>,
}

/// What became of a request that was to find or open a session.
#[derive(Default)]
pub(super) struct Found {
    /// What a handshake got.
    pub(super) session: OnceLock<Arc<Held>>,
    /// Why there was no room, and after how many seconds there may be some.
    pub(super) full: OnceLock<(String, u16)>,
}

impl Arrival {
    /// What is said where no session was opened.
    fn closed(&self, why: &Closed) -> ErrorData {
        let text = format!("no session could be opened: {why}");
        let Some(seconds) = why.again() else { return ErrorData::invalid_request(text, None) };
        let _ = self.found.full.set((text.clone(), seconds));
        ErrorData::new(ErrorCode(UNSERVED), text, None)
    }

    /// It is one of that conversation's.
    fn enters(&self, held: &Held) {
        if let Some(slot) = &self.slot {
            slot.enter(&held.lane);
        }
    }
}

pub(super) struct Visit {
    sessions: Arc<Sessions>,
    /// Set once the host takes no more requests.
    ending: watch::Receiver<bool>,
    shaken: OnceLock<Arc<Held>>,
    following: OnceLock<AbortHandle>,
}

impl Visit {
    pub(super) fn new(sessions: Arc<Sessions>, ending: watch::Receiver<bool>) -> Self {
        Self { sessions, ending, shaken: OnceLock::new(), following: OnceLock::new() }
    }

    /// The conversation of a request that needs no handle: of a handshake, or of a credential.
    async fn known(&self, context: &RequestContext<RoleServer>) -> Result<Option<Arc<Held>>, ErrorData> {
        if let Some(held) = self.shaken.get() {
            held.touch();
            return Ok(Some(held.clone()));
        }
        let arrival = arrival(&context.extensions)?;
        if Era::of(context) == Era::Legacy {
            return Err(ErrorData::invalid_request("this version of the protocol begins with `initialize`", None));
        }
        match self.sessions.service(&arrival.caller).session {
            By::Handle => Ok(None),
            By::Credential => {
                self.sessions.of_credential(&arrival.caller, &arrival.tools).await.map(Some).map_err(|why| arrival.closed(&why))
            }
        }
    }

    /// What of servers is given besides tools, in the conversation that a request belongs to. It carries no grant, so where a handle would
    /// name the conversation it is the principal's outside of any.
    async fn relayed(&self, context: &RequestContext<RoleServer>) -> Result<(Relayed, Option<Answering>), ErrorData> {
        match self.known(context).await? {
            Some(held) => Ok((held.handler.relayed().clone(), Some(Answering::begin(held)))),
            None => self.relayed_to(&arrival(&context.extensions)?).await.map(|relayed| (relayed, None)),
        }
    }

    async fn relayed_to(&self, arrival: &Arrival) -> Result<Relayed, ErrorData> {
        let Clients { front, upstreams, .. } = &self.sessions.clients;
        let reader = front.reader(arrival.caller.principal.clone(), self.sessions.profile(&arrival.caller)).await;
        let reader = reader.map_err(|error| arrival.closed(&Closed::Unserved(error.into())))?;
        Ok(Relayed::new(front.clone(), reader, upstreams.clone()))
    }

    /// The conversation of a task. Where a handle names it, the task's id does as well: it is as hard to guess.
    async fn of_task(&self, id: &str, context: &RequestContext<RoleServer>) -> Result<(Arc<Held>, Answering), ErrorData> {
        let held = match self.known(context).await? {
            Some(held) => held,
            None => self.sessions.of_task(&arrival(&context.extensions)?.caller, id).ok_or_else(unknown_task)?,
        };
        Ok((held.clone(), Answering::begin(held)))
    }

    /// The terms of whoever asks, session or not.
    fn terms(&self, caller: &Caller) -> agent_engine::projection::Terms {
        terms(Era::Modern, self.sessions.clients.config().surface, &way(&self.sessions.service(caller)))
    }
}

/// The conversation that a call names by its handle, or opens.
async fn named(sessions: &Arc<Sessions>, arrival: &Arrival, request: &mut CallToolRequestParams) -> Result<Arc<Held>, ErrorData> {
    let Some(builtin) = Builtin::named(&request.name) else { return Err(ErrorData::invalid_params(UNLISTED, None)) };
    match taken(request)? {
        Some(handle) => match sessions.by_handle(&arrival.caller, &handle).map_err(|why| arrival.closed(&why))? {
            Some(held) => Ok(held),
            None => Err(ErrorData::invalid_params(NO_SESSION, None)),
        },
        // An answer to what a session's first call was asked.
        None if let Some(held) = request.request_state.as_ref().and_then(|state| sessions.of_state(&arrival.caller, state)) => Ok(held),
        None if builtin.opens() => sessions.with_handle(&arrival.caller, &arrival.tools).await.map_err(|why| arrival.closed(&why)),
        None => Err(ErrorData::invalid_params(UNNAMED, None)),
    }
}

/// An answer in a conversation, with what its client was not told yet: its handle, and what came of its URL. By a question's state, too,
/// it is found again.
fn told(held: &Held, answer: Answer) -> Answer {
    held.known();
    let Answer::Result(members) = answer else { return answer };
    let (handle, note) = held.tell();
    let members = match handle {
        Some(handle) => answered(members, &handle),
        None => members,
    };
    Answer::Result(match note {
        Some(note) => with_line(members, &note),
        None => members,
    })
}

/// A call of the modern era that names its conversation by a handle, and hears nothing before its answer: the same steps as any other.
pub(super) async fn call(
    sessions: &Arc<Sessions>,
    arrival: &Arrival,
    mut request: CallToolRequestParams,
    meta: &RequestMetaObject,
    headers: &HeaderMap,
) -> Result<Answer, ErrorData> {
    let held = named(sessions, arrival, &mut request).await?;
    arrival.enters(&held);
    held.met(meta);
    held.handler.agrees(&request, headers)?;
    let _used = Answering::begin(held.clone());
    held.handler.run_modern(request, &Asked { meta, peer: None }).await.map(|answer| told(&held, answer))
}

const UNLISTED: &str =
    "Unknown tool: no tool of this name is listed. Use search_tools and activate_tools, then call_tool with the tool's exact id.";
const NO_SESSION: &str =
    "`session` is unknown here or has expired. Search again without it to begin a new one; what was active is not active there.";
const UNNAMED: &str = "`session` is missing: pass what the first answer of search_tools named";

impl Drop for Visit {
    fn drop(&mut self) {
        if let Some(following) = self.following.take() {
            following.abort();
        }
    }
}

impl ServerHandler for Visit {
    fn get_info(&self) -> ServerConfig {
        // Of requests that stand by themselves this alone says which changes a stream can hear of, and not yet whose stream it is. What
        // its client may use is told by `discover`, and of nothing else it hears.
        let any = Relays { prompts: true, resources: true };
        self.shaken.get().map_or_else(|| described(&terms(Era::Legacy, None, &Way::Handshake), any), |held| held.handler.get_info())
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Cow::Borrowed(versions())
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        let arrival = arrival(&context.extensions)?;
        if self.shaken.get().is_some() {
            return Err(ErrorData::invalid_request("this session shook hands already", None));
        }
        let held = self.sessions.handshake(&arrival.caller, &arrival.tools).await.map_err(|why| arrival.closed(&why))?;
        let note = held.note();
        let _ = (self.shaken.set(held.clone()), arrival.found.session.set(held));
        context.peer.set_peer_info(request.clone());
        let mut result = self.negotiate_initialize(&request).map(without_tasks)?;
        if let Some(note) = note {
            result.instructions = Some([result.instructions.unwrap_or_default(), note].join("\n\n"));
        }
        Ok(result)
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        if let Some(held) = self.shaken.get() {
            self.following.get_or_init(|| held.follow(Some(context.peer)));
        }
    }

    async fn discover(&self, context: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        let terms = self.terms(&arrival(&context.extensions)?.caller);
        let relayed = if self.sessions.clients.relays() { self.relayed(&context).await.ok() } else { None };
        let relays = relayed.map(|(relayed, _used)| relayed.relays()).unwrap_or_default();
        Ok(DiscoverResult::from_server_info(versions().to_vec(), described(&terms, relays)))
    }

    async fn list_tools(
        &self,
        page: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        match self.known(&context).await? {
            Some(held) => held.handler.list_tools(page, context).await,
            None => {
                let front = self.sessions.clients.front.under(self.terms(&arrival(&context.extensions)?.caller));
                listed(&front.bare(), Era::Modern)
            }
        }
    }

    async fn call_tool(
        &self,
        mut request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arrival = arrival(&context.extensions)?;
        let held = match self.known(&context).await? {
            Some(held) => held,
            None => named(&self.sessions, &arrival, &mut request).await?,
        };
        arrival.enters(&held);
        if Era::of(&context) == Era::Modern
            && let Some(parts) = context.extensions.get::<http::request::Parts>()
        {
            held.handler.agrees(&request, &parts.headers)?;
        }
        let _used = Answering::begin(held.clone());
        held.handler.answer(request, &context).await.map(|answer| told(&held, answer)).and_then(Answer::typed)
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let (relayed, _used) = self.relayed(&context).await?;
        unless_cancelled(&context, relayed.prompts(Era::of(&context))).await
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let (relayed, _used) = self.relayed(&context).await?;
        unless_cancelled(&context, relayed.resources(Era::of(&context))).await
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let (relayed, _used) = self.relayed(&context).await?;
        unless_cancelled(&context, relayed.templates(Era::of(&context))).await
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let (relayed, _used) = self.relayed(&context).await?;
        unless_cancelled(&context, relayed.prompt(request)).await.map(GetPromptResponse::Complete)
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let (relayed, _used) = self.relayed(&context).await?;
        unless_cancelled(&context, relayed.read(&request, Era::of(&context))).await.map(ReadResourceResponse::Complete)
    }

    async fn complete(&self, request: CompleteRequestParams, context: RequestContext<RoleServer>) -> Result<CompleteResult, ErrorData> {
        let (relayed, _used) = self.relayed(&context).await?;
        unless_cancelled(&context, relayed.complete(request)).await
    }

    async fn get_task(&self, request: GetTaskParams, context: RequestContext<RoleServer>) -> Result<GetTaskResult, ErrorData> {
        let (held, _used) = self.of_task(&request.task_id, &context).await?;
        held.handler.task_now(&request, &context)
    }

    async fn update_task(&self, request: UpdateTaskParams, context: RequestContext<RoleServer>) -> Result<(), ErrorData> {
        let (held, _used) = self.of_task(&request.task_id, &context).await?;
        held.handler.task_told(request, &context)
    }

    async fn cancel_task(&self, request: CancelTaskParams, context: RequestContext<RoleServer>) -> Result<(), ErrorData> {
        let (held, _used) = self.of_task(&request.task_id, &context).await?;
        held.handler.task_over(&request, &context)
    }

    fn accepted_subscription_filter(&self, wanted: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Handler::accepted(wanted)
    }

    async fn listen(&self, stream: SubscriptionContext) -> Result<(), ErrorData> {
        let arrival = arrival(&stream.request_context().extensions)?;
        if self.sessions.service(&arrival.caller).session == By::Credential {
            let held = self.sessions.of_credential(&arrival.caller, &arrival.tools).await.map_err(|why| arrival.closed(&why))?;
            let _used = Answering::begin(held.clone());
            return held.handler.listen(stream).await;
        }
        // Without a session of its own its list of tools never changes; it ends with its client, or with the host.
        let relayed = self.relayed_to(&arrival).await?;
        let mut ending = self.ending.clone();
        tokio::select! {
            () = stream.cancelled() => {}
            () = relayed.tell_stream(stream.sink()) => {}
            _ = ending.wait_for(|ending| *ending) => {}
        }
        Ok(())
    }
}

/// Who asks, as the layers before this one found.
fn arrival(extensions: &Extensions) -> Result<Arrival, ErrorData> {
    let parts = extensions.get::<http::request::Parts>();
    let arrival = parts.and_then(|parts| parts.extensions.get::<Arrival>()).cloned();
    arrival.ok_or_else(|| ErrorData::internal_error("nobody is known to ask", None))
}
