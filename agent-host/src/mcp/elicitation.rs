//! The person asked by a form that the client shows.
//!
//! Is: a weak channel. What comes back is what the client says the person said; so it counts as `Weak`, and where a rule
//! demands more nobody is asked here. Clauses: AUTH-2, AUTH-3, AUTH-4 (a form is weak), AUTH-5. Invariants: I-1, I-3.

use crate::admin::Boundary;
use crate::question::text;
use agent_core::limits::REQUEST_MS;
use agent_core::request::{Answer, Channel, Decider, Decision, Question, Strength};
use agent_core::safety::echo;
use agent_core::session::RequestId;
use agent_engine::desk::Desk;
use agent_engine::engine::Front;
use agent_engine::session::Cell;
use parking_lot::Mutex;
use rmcp::model::{ClientResult, ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationSchema, ServerRequest};
use rmcp::service::{PeerRequestOptions, RequestContext, RequestHandle};
use rmcp::{RoleServer, ServiceError};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::oneshot;

/// Where a question can be answered, as the one who asks is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Where {
    /// In a form of the client's, and in a terminal.
    Open,
    /// In a terminal: this client shows no questions.
    Nowhere,
    /// In a terminal: a form proves too little.
    Weak,
}

impl Where {
    fn text(self, request: RequestId) -> String {
        match self {
            Self::Open => "The question is open in the client.".to_owned(),
            Self::Nowhere => {
                format!(
                    "This client shows no questions: the person answers with `agent-host approve {request}` in a terminal of their own."
                )
            }
            Self::Weak => format!(
                "It needs a stronger approval than a client's form: the person answers with `agent-host approve {request} --strong` in a terminal of their own."
            ),
        }
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
    pub(super) fn new(front: Front, desk: Desk, session: Arc<Cell>, boundary: Boundary) -> Self {
        Self { inner: Arc::new(Inner { front, desk, session, boundary, open: Mutex::default() }) }
    }

    /// Opens a form for a question, unless one is open or the client shows none.
    pub(super) async fn ask(&self, context: &RequestContext<RoleServer>, question: &Question) -> OpenForm {
        let capability = context.client_capabilities().and_then(|capabilities| capabilities.elicitation);
        let shows_forms = capability.is_some_and(|modes| modes.form.is_some() || modes.url.is_none());
        let nowhere = |where_to| OpenForm { request: question.id, where_to, take_back: None };
        if question.strong {
            return nowhere(Where::Weak);
        }
        if !shows_forms {
            return nowhere(Where::Nowhere);
        }
        let Some(claim) = Claim::of(&self.inner, question.id) else { return nowhere(Where::Open) };
        let sent = match form(question, self.inner.boundary) {
            Some(form) => context.peer.send_cancellable_request(form, PeerRequestOptions::no_options()).await.ok(),
            None => None,
        };
        let Some(handle) = sent else { return nowhere(Where::Nowhere) };
        let client = context.client_info().map(|client| echo(&client.name)).unwrap_or_default();
        let (take_back, taken_back) = oneshot::channel();
        tokio::spawn(claim.dialog(question.clone(), client, handle, taken_back));
        OpenForm { request: question.id, where_to: Where::Open, take_back: Some(take_back) }
    }
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
    /// Follows one form to its answer, or takes it back once the question was settled or given up.
    async fn dialog(self, question: Question, client: String, mut handle: RequestHandle<RoleServer>, taken_back: oneshot::Receiver<()>) {
        let given_up = async {
            if taken_back.await.is_err() {
                std::future::pending::<()>().await;
            }
        };
        let decision = tokio::select! {
            answer = &mut handle.rx => Some(answer.map_or(Decision::Dismiss, decision)),
            () = given_up => {
                take_back(handle).await;
                Some(Decision::Dismiss)
            }
            _ = self.inner.front.wait(&self.inner.session, &question, Duration::from_millis(REQUEST_MS)) => {
                take_back(handle).await;
                None
            }
        };
        if let Some(decision) = decision {
            let by = Decider::Person { name: format!("the user of `{client}`"), channel: Channel::Elicitation, strength: Strength::Weak };
            let answer = Answer { shown: question.digest(), decision, by };
            let settled = self.inner.desk.answer(question.asker.session, question.id, answer).await;
            tracing::info!(request = %question.id, ?settled, "a form was answered");
        }
    }
}

async fn take_back(handle: RequestHandle<RoleServer>) {
    if let Err(error) = handle.cancel(Some("no longer asked".to_owned())).await {
        tracing::debug!(%error, "a form could not be taken back");
    }
}

/// What an answer says. Only an explicit yes and nothing beside it is a yes, only an explicit no is a person's no.
fn decision(answer: Result<ClientResult, ServiceError>) -> Decision {
    let Ok(ClientResult::ElicitResult(ElicitResult { action, content, .. })) = answer else { return Decision::Dismiss };
    let says = |approve: bool| content == Some(serde_json::json!({"approve": approve}));
    match action {
        ElicitationAction::Accept if says(true) => Decision::Approve,
        ElicitationAction::Accept if says(false) => Decision::Deny,
        ElicitationAction::Decline => Decision::Deny,
        _ => Decision::Dismiss,
    }
}

fn form(question: &Question, boundary: Boundary) -> Option<ServerRequest> {
    let schema = ElicitationSchema::builder()
        .required_bool_with("approve", |approve| approve.title("Approve").description("Allow exactly these tools for this session"))
        .build()
        .ok()?;
    let params = ElicitRequestParams::FormElicitationParams { meta: None, message: text(question, boundary), requested_schema: schema };
    Some(ServerRequest::ElicitRequest(ElicitRequest::new(params)))
}
