//! The person asked by a form that the client shows, as the legacy era does it: by a request of ours.
//!
//! Is: a weak channel, and the form that both eras share. What comes back is what the client says the person said; so it counts as `Weak`, and where a rule
//! demands more nobody is asked here. Clauses: AUTH-2, AUTH-3, AUTH-4 (a form is weak), AUTH-5. Invariants: I-1, I-3.

use super::era::shows_forms;
use agent_core::effect::Capability;
use agent_core::limits::REQUEST_MS;
use agent_core::request::{Answer, Asked, Channel, Covers, Decider, Decision, Novelty, Question, Strength};
use agent_core::safety::{echo, visible};
use agent_core::session::RequestId;
use agent_engine::desk::Desk;
use agent_engine::engine::Front;
use agent_engine::session::Cell;
use parking_lot::Mutex;
use rmcp::RoleServer;
use rmcp::model::{ClientResult, ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationSchema, ServerRequest};
use rmcp::service::{PeerRequestOptions, RequestContext, RequestHandle};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::oneshot;

const OPEN: &str = "The question is open in the client.";
pub(super) const NOWHERE: &str = "This client shows no questions, so nobody can answer it here; the operator can allow it by policy.";
pub(super) const WEAK: &str = "It needs a stronger approval than a client's form can give.";

/// The channel of one client.
pub(super) struct Elicitation {
    inner: Arc<Inner>,
}

struct Inner {
    front: Front,
    desk: Desk,
    session: Arc<Cell>,
    /// Questions whose form is open.
    open: Mutex<BTreeSet<RequestId>>,
}

/// One call that waits for a person. Dropped before it is left open, it takes its form and its question back.
pub(super) struct OpenForm {
    where_to: &'static str,
    take_back: Option<oneshot::Sender<()>>,
}

impl OpenForm {
    /// How long to wait: not at all where no form is open.
    pub(super) fn at_most(&self, wait: Duration) -> Duration {
        if self.where_to == OPEN { wait } else { Duration::ZERO }
    }

    /// The call waits no longer; the form stays, and a later yes still counts. Says where to answer.
    pub(super) fn leave_open(mut self) -> &'static str {
        self.take_back = None;
        self.where_to
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
    pub(super) fn new(front: Front, desk: Desk, session: Arc<Cell>) -> Self {
        Self { inner: Arc::new(Inner { front, desk, session, open: Mutex::default() }) }
    }

    /// Opens a form for a question, unless one is open or the client shows none.
    pub(super) async fn ask(&self, context: &RequestContext<RoleServer>, question: &Question) -> OpenForm {
        let nowhere = |where_to| OpenForm { where_to, take_back: None };
        if !shows_forms(context.client_capabilities()) {
            return nowhere(NOWHERE);
        }
        if question.strong {
            return nowhere(WEAK);
        }
        let Some(claim) = Claim::of(&self.inner, question.id) else { return nowhere(OPEN) };
        let sent = match form(question) {
            Some(form) => {
                let request = ServerRequest::ElicitRequest(form);
                context.peer.send_cancellable_request(request, PeerRequestOptions::no_options()).await.ok()
            }
            None => None,
        };
        let Some(handle) = sent else { return nowhere(NOWHERE) };
        let client = context.client_info().map(|client| echo(&client.name)).unwrap_or_default();
        let (take_back, taken_back) = oneshot::channel();
        tokio::spawn(claim.dialog(question.clone(), client, handle, taken_back));
        OpenForm { where_to: OPEN, take_back: Some(take_back) }
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
            answer = &mut handle.rx => Some(match answer {
                Ok(Ok(ClientResult::ElicitResult(answer))) => decision(answer),
                _ => Decision::Dismiss,
            }),
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
pub(super) fn decision(answer: ElicitResult) -> Decision {
    let ElicitResult { action, content, .. } = answer;
    let says = |approve: bool| content == Some(serde_json::json!({"approve": approve}));
    match action {
        ElicitationAction::Accept if says(true) => Decision::Approve,
        ElicitationAction::Accept if says(false) => Decision::Deny,
        ElicitationAction::Decline => Decision::Deny,
        _ => Decision::Dismiss,
    }
}

/// The form of a question.
pub(super) fn form(question: &Question) -> Option<ElicitRequest> {
    let schema = ElicitationSchema::builder()
        .required_bool_with("approve", |approve| {
            approve.title("Approve").description(format!("Allow exactly these tools for {}", whom(&question.covers)))
        })
        .build()
        .ok()?;
    let params = ElicitRequestParams::FormElicitationParams { meta: None, message: shown(question), requested_schema: schema };
    Some(ElicitRequest::new(params))
}

/// The question in our words; the source's own are cut, escaped and labelled.
pub(super) fn shown(question: &Question) -> String {
    let count = question.what.len();
    let whom = whom(&question.covers);
    let mut text = format!("agent-host: allow {count} {} for {whom}?", if count == 1 { "tool" } else { "tools" });
    for asked in &question.what {
        // Writing to a string can't fail.
        let _ = write!(text, "\n\n{}", one(asked));
    }
    let asker = &question.asker;
    let _ = write!(
        text,
        "\n\nA yes covers these exact definitions for {whom} until it ends, at most 12 hours, acting as `{}`. Session {}, request {}.",
        asker.principal, asker.session, question.id
    );
    text
}

/// For whom a yes holds.
fn whom(covers: &Covers) -> String {
    match covers {
        Covers::Session => "this session".to_owned(),
        Covers::Named(name) => format!("the session `{name}`"),
        Covers::Process => "every conversation in this process".to_owned(),
    }
}

fn one(asked: &Asked) -> String {
    let legs: Vec<_> = asked.capabilities.iter().copied().map(Capability::as_str).collect();
    let legs = if legs.is_empty() { "no capabilities".to_owned() } else { legs.join(", ") };
    let novelty = match asked.novelty {
        Novelty::New => "never accepted before",
        Novelty::Known => "accepted before",
    };
    let id = &asked.bound.id;
    let mut text = format!("{}\n  server `{}`; {}; {legs}\n", visible(id.as_str()), id.server(), asked.effect.as_str());
    let _ = write!(text, "  definition {}, {novelty}", asked.bound.digest.short());
    if asked.flagged {
        text.push_str("\n  look twice: it holds hidden characters or letters of another script");
    }
    if !asked.says.is_empty() {
        let _ = write!(text, "\n  the server says of it (not checked): \"{}\"", asked.says);
    }
    text
}
