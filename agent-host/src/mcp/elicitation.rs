//! The person asked by a form that the client shows, as the legacy era does it: by a request of ours.
//!
//! Is: a weak channel, and what both eras share: the form, the link, and where else to answer. What comes back is what the client
//! says the person said; so it counts as `Weak`. Where a rule demands more the client is given a link to the console's page, if it
//! opens links and there is a console; its word that the link was opened decides nothing. Clauses: AUTH-2, AUTH-3,
//! AUTH-4 (a form is weak; console, login), AUTH-5. Invariants: I-1, I-3.

use super::era::{opens_links, shows_forms};
use crate::admin::Boundary;
use crate::question::{text, whom};
use agent_core::limits::REQUEST_MS;
use agent_core::request::{Answer, Channel, Decider, Decision, Question, Strength};
use agent_core::safety::echo;
use agent_core::session::RequestId;
use agent_engine::desk::Desk;
use agent_engine::engine::Front;
use agent_engine::session::Cell;
use parking_lot::Mutex;
use rmcp::RoleServer;
use rmcp::model::{
    ClientCapabilities, ClientResult, ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationSchema, ServerRequest,
};
use rmcp::service::{PeerRequestOptions, RequestContext, RequestHandle};
use std::collections::BTreeSet;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::oneshot;

/// Where a question can be answered, as the one who asks is told. A terminal is always one of the places.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Where {
    /// In a form of the client's, which is open.
    Open,
    /// In a form of the client's, once the call comes again.
    Again,
    /// On a page of the console, to which the client has a link.
    Page,
    /// In no form: this client shows no questions.
    Nowhere,
    /// In no form: one proves too little.
    Weak,
}

impl Where {
    pub(super) fn text(self, request: RequestId) -> String {
        let here = match self {
            Self::Open => "The question is open in the client; the person can also answer",
            Self::Again => "The client shows the question when activate_tools is called again; the person can also answer",
            Self::Page => "The client has a link to the page where the person decides; the person can also answer",
            Self::Nowhere => "This client shows no questions: the person answers",
            Self::Weak => "It needs a stronger approval than a client's form: the person answers",
        };
        let strong = if matches!(self, Self::Weak | Self::Page) { " --strong" } else { "" };
        format!("{here} with `agent-host approve {request}{strong}` in a terminal of their own.")
    }
}

/// The channel of one client.
pub(super) struct Elicitation {
    inner: Arc<Inner>,
}

struct Inner {
    front: Front,
    desk: Desk,
    session: Arc<Cell>,
    boundary: Boundary,
    /// Where the console's pages are, without a slash at its end.
    pages: Option<String>,
    /// Questions whose form is open.
    open: Mutex<BTreeSet<RequestId>>,
}

/// One call that waits for a person. Dropped before it is left open, it takes its form and its question back.
pub(super) struct OpenForm {
    request: RequestId,
    where_to: Where,
    take_back: Option<oneshot::Sender<()>>,
}

impl OpenForm {
    /// The call waits no longer; the form stays, and a later yes still counts. Says where to answer.
    pub(super) fn leave_open(mut self) -> String {
        self.take_back = None;
        self.where_to.text(self.request)
    }
}

impl Drop for OpenForm {
    fn drop(&mut self) {
        if let Some(take_back) = self.take_back.take() {
            // Where nobody listens the form is gone already.
            let _ = take_back.send(());
        }
    }
}

impl Elicitation {
    pub(super) fn new(front: Front, desk: Desk, session: Arc<Cell>, boundary: Boundary, pages: Option<String>) -> Self {
        Self { inner: Arc::new(Inner { front, desk, session, boundary, pages, open: Mutex::default() }) }
    }

    /// How a question is put through a client of these capabilities.
    pub(super) fn put(&self, question: &Question, capabilities: Option<ClientCapabilities>) -> Put {
        let Inner { boundary, pages, .. } = &*self.inner;
        match pages.as_ref().filter(|_| opens_links(capabilities.clone())) {
            Some(pages) if question.strong || !shows_forms(capabilities.clone()) => Put::Link(link(question, *boundary, pages)),
            _ if question.strong => Put::Not(Where::Weak),
            _ if !shows_forms(capabilities) => Put::Not(Where::Nowhere),
            _ => form(question, *boundary).map_or(Put::Not(Where::Nowhere), Put::Form),
        }
    }

    /// Opens a form or a link for a question, unless one is open or the client shows none.
    pub(super) async fn ask(&self, context: &RequestContext<RoleServer>, question: &Question) -> OpenForm {
        let nowhere = |where_to| OpenForm { request: question.id, where_to, take_back: None };
        let (request, way) = match self.put(question, context.client_capabilities()) {
            Put::Form(request) => (request, Where::Open),
            Put::Link(request) => (request, Where::Page),
            Put::Not(where_to) => return nowhere(where_to),
        };
        let Some(claim) = Claim::of(&self.inner, question.id) else { return nowhere(way) };
        let request = ServerRequest::ElicitRequest(request);
        let sent = context.peer.send_cancellable_request(request, PeerRequestOptions::no_options()).await.ok();
        let Some(handle) = sent else { return nowhere(Where::Nowhere) };
        let client = context.client_info().map(|client| echo(&client.name)).unwrap_or_default();
        let (take_back, taken_back) = oneshot::channel();
        tokio::spawn(claim.dialog(question.clone(), client, way == Where::Page, handle, taken_back));
        OpenForm { request: question.id, where_to: way, take_back: Some(take_back) }
    }
}

/// How a question is put through a client.
pub(super) enum Put {
    /// By a form.
    Form(ElicitRequest),
    /// By a link to the console's page.
    Link(ElicitRequest),
    /// Not at all.
    Not(Where),
}

/// The one form of a question, from before it is sent until it is gone, whoever stops waiting for it.
struct Claim {
    inner: Arc<Inner>,
    question: RequestId,
}

impl Claim {
    fn of(inner: &Arc<Inner>, question: RequestId) -> Option<Self> {
        inner.open.lock().insert(question).then(|| Self { inner: inner.clone(), question })
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        self.inner.open.lock().remove(&self.question);
    }
}

impl Claim {
    /// Follows one form or link to its answer, or takes it back once the question was settled or given up. A link that was
    /// opened is followed on: the decision is made elsewhere.
    async fn dialog(
        self,
        question: Question,
        client: String,
        link: bool,
        mut handle: RequestHandle<RoleServer>,
        taken_back: oneshot::Receiver<()>,
    ) {
        let mut given_up = pin!(async {
            if taken_back.await.is_err() {
                std::future::pending::<()>().await;
            }
        });
        let mut settled = pin!(self.inner.front.wait(&self.inner.session, &question, Duration::from_millis(REQUEST_MS)));
        let mut opened = false;
        let decision = loop {
            let (over, decision) = tokio::select! {
                answer = &mut handle.rx, if !opened => match answer {
                    Ok(Ok(ClientResult::ElicitResult(answer))) => match said(link, answer) {
                        None => {
                            opened = true;
                            continue;
                        }
                        decision => (false, decision),
                    },
                    _ => (false, Some(Decision::Dismiss)),
                },
                () = &mut given_up => (!opened, Some(Decision::Dismiss)),
                _ = &mut settled => (!opened, None),
            };
            if over {
                take_back(handle).await;
            }
            break decision;
        };
        if let Some(decision) = decision {
            hand_in(&self.inner.desk, &question, &client, decision).await;
        }
    }
}

/// Hands in what a client says that its user said.
pub(super) async fn hand_in(desk: &Desk, question: &Question, client: &str, decision: Decision) {
    let by = Decider::Person { name: format!("the user of `{client}`"), channel: Channel::Elicitation, strength: Strength::Weak };
    let answer = Answer { shown: question.digest(), decision, by };
    let settled = desk.answer(question.asker.session, question.id, answer).await;
    tracing::info!(request = %question.id, ?settled, "a form was answered");
}

async fn take_back(handle: RequestHandle<RoleServer>) {
    if let Err(error) = handle.cancel(Some("no longer asked".to_owned())).await {
        tracing::debug!(%error, "a form could not be taken back");
    }
}

/// What an answer says. Only an explicit yes and nothing beside it is a yes, only an explicit no is a person's no.
fn decision(answer: ElicitResult) -> Decision {
    let ElicitResult { action, content, .. } = answer;
    let says = |approve: bool| content == Some(serde_json::json!({"approve": approve}));
    match action {
        ElicitationAction::Accept if says(true) => Decision::Approve,
        ElicitationAction::Accept if says(false) => Decision::Deny,
        ElicitationAction::Decline => Decision::Deny,
        _ => Decision::Dismiss,
    }
}

/// What an answer says to a form, or to a link. That a link was opened is no decision.
pub(super) fn said(link: bool, answer: ElicitResult) -> Option<Decision> {
    match answer.action {
        ElicitationAction::Accept if link => None,
        _ => Some(decision(answer)),
    }
}

/// The link to the page where a question is decided. It carries no authority: the page demands a login.
fn link(question: &Question, boundary: Boundary, pages: &str) -> ElicitRequest {
    let message = format!("{}\n\nThe page to decide it on asks for a login.", text(question, boundary));
    let url = format!("{pages}/approvals/{}", question.id);
    ElicitRequest::new(ElicitRequestParams::UrlElicitationParams { meta: None, message, url, elicitation_id: question.id.to_string() })
}

/// The form of a question.
fn form(question: &Question, boundary: Boundary) -> Option<ElicitRequest> {
    let schema = ElicitationSchema::builder()
        .required_bool_with("approve", |approve| {
            approve.title("Approve").description(format!("Allow exactly these tools for {}", whom(&question.covers)))
        })
        .build()
        .ok()?;
    let params = ElicitRequestParams::FormElicitationParams { meta: None, message: text(question, boundary), requested_schema: schema };
    Some(ElicitRequest::new(params))
}
