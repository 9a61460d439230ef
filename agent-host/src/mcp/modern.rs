//! A call of the modern era: answered in one go, or with what has to be put to the person first.
//!
//! Is: `input_required` with the form and a state, where the request itself says that its client shows forms; then the
//! retry that brings the answer. Is not: a request to the client; there is none in this era. Clauses: AUTH-3, AUTH-5, GATE-2.
//! Invariant: I-1. Source: MCP 2026-07-28, multi round-trip requests and server/tools.

use super::deferred::Begun;
use super::elicitation::{Put, Where, hand_in, said};
use super::era::{Asked, has_input_required};
use super::state::call;
use super::{Answer, Handler};
use agent_core::refusal::Refusal;
use agent_core::request::{Decision, Question};
use agent_core::safety::echo;
use agent_engine::builtins::{Builtin, Reply};
use rmcp::ErrorData;
use rmcp::model::{CallToolRequestParams, ElicitResult, InputRequest, InputRequiredResult, InputResponses};
use std::time::Duration;

/// The form's key among the things that are asked for.
const APPROVE: &str = "approve";

impl Handler {
    /// Answers one call.
    pub(crate) async fn run_modern(&self, mut request: CallToolRequestParams, asked: &Asked<'_>) -> Result<Answer, ErrorData> {
        let call = call("tools/call", &request.name, request.arguments.get_or_insert_default());
        let by_name = Builtin::named(&request.name).is_none();
        let about = request.name.clone();
        let asker = self.session.asker();
        let (reply, shown) = match request.request_state.take() {
            None => match self.begun(request, asked).await {
                Begun::Answered(reply) => (reply, None),
                Begun::Deferred(response) => return Ok(Answer::Other(response)),
            },
            Some(state) => {
                let answer = answer(request.input_responses.take());
                match self.states.take(&state, asker, call, answer.is_some()) {
                    Err(why) => (self.modern.refuse(&self.session, Refusal::Misplaced(why), &echo(&about)), None),
                    Ok(question) => match answer.and_then(|answer| self.decided(&question, answer, asked)) {
                        Some(decision) => (self.answered(&question, decision, asked).await, Some(question.id)),
                        None => (self.called(&self.modern, request, asked.meta, asked.peer).await, Some(question.id)),
                    },
                }
            }
        };
        let (reply, where_to) = match reply {
            Reply::Waiting(question) => {
                let shown = shown == Some(question.id);
                let (form, where_to) = match self.put(&question, asked) {
                    Put::Form(form) => (Some(form), Where::Again),
                    Put::Link(link) => (Some(link), Where::Page),
                    Put::Not(where_to) => (None, where_to),
                };
                if let Some(form) = form.filter(|_| !shown) {
                    let asked = [(APPROVE.to_owned(), InputRequest::Elicitation(form))].into();
                    let state = self.states.issue(asker, call, &question);
                    return Ok(Answer::Other(InputRequiredResult::new(Some(asked), Some(state)).into()));
                }
                // Where no form is shown, somebody may be watching from a terminal.
                (self.modern.wait(&self.session, &question, self.wait).await, where_to.text(question.id))
            }
            reply => (reply, String::new()),
        };
        match reply {
            // An unroutable call is the protocol's error here. The text is the same for whatever is not active.
            Reply::Refused { refusal: Refusal::NotActive { .. } | Refusal::NotListed, text } if by_name => {
                Err(ErrorData::invalid_params(format!("Unknown tool: {text}"), None))
            }
            reply => Ok(self.told(&reply, &where_to, asked.peer).await),
        }
    }

    /// How the person is asked through this request.
    fn put(&self, question: &Question, asked: &Asked<'_>) -> Put {
        let known = asked.meta.client_capabilities().filter(|_| has_input_required(asked.meta));
        self.elicitation.put(question, known)
    }

    /// What a client brings as a decision, if it is one.
    fn decided(&self, question: &Question, answer: Brought, asked: &Asked<'_>) -> Option<Decision> {
        let link = matches!(self.put(question, asked), Put::Link(_));
        answer.map_or(Some(Decision::Dismiss), |answer| said(link, answer))
    }

    /// Hands in an answer, and tells what its question came to.
    async fn answered(&self, question: &Question, decision: Decision, asked: &Asked<'_>) -> Reply {
        let client = asked.meta.client_info().map(|client| echo(&client.name)).unwrap_or_default();
        hand_in(&self.desk, question, &client, decision).await;
        self.modern.wait(&self.session, question, Duration::ZERO).await
    }
}

/// What a client brought as the answer. One of no form we asked for is nobody's decision.
type Brought = Result<ElicitResult, serde_json::Error>;

/// The answer among what a client brings, if it brings one.
fn answer(brought: Option<InputResponses>) -> Option<Brought> {
    brought?.remove(APPROVE).map(serde_json::from_value)
}
