//! A call of the modern era: answered in one go, or with what has to be put to the person first.
//!
//! Is: `input_required` with the form and a state, where the request itself says that its client shows forms; then the
//! retry that brings the answer. Is not: a request to the client; there is none in this era. Clauses: AUTH-3, AUTH-5, GATE-2.
//! Invariant: I-1. Source: MCP 2026-07-28, multi round-trip requests and server/tools.

use super::Handler;
use super::elicitation::{Where, decision, form, hand_in};
use super::era::{has_input_required, shows_forms};
use super::state::call;
use agent_core::refusal::Refusal;
use agent_core::request::{Decision, Question};
use agent_core::safety::echo;
use agent_engine::builtins::{Builtin, Reply};
use rmcp::model::{CallToolRequestParams, CallToolResponse, ElicitResult, InputRequest, InputRequiredResult, InputResponses};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use std::time::Duration;

/// The form's key among the things that are asked for.
const APPROVE: &str = "approve";

impl Handler {
    /// Answers one call.
    pub(super) async fn run_modern(
        &self,
        mut request: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let call = call("tools/call", &request.name, request.arguments.get_or_insert_default());
        let by_name = Builtin::named(&request.name).is_none();
        let about = request.name.clone();
        let asker = self.session.asker();
        let (reply, shown) = match request.request_state.take() {
            None => (self.called(&self.modern, request, context).await, None),
            Some(state) => {
                let answer = answer(request.input_responses.take());
                match (self.states.take(&state, asker, call, answer.is_some()), answer) {
                    (Err(why), _) => (self.modern.refuse(&self.session, Refusal::Misplaced(why), &echo(&about)), None),
                    (Ok(question), Some(decision)) => (self.answered(&question, decision, context).await, Some(question.id)),
                    (Ok(question), None) => (self.called(&self.modern, request, context).await, Some(question.id)),
                }
            }
        };
        let (reply, where_to) = match reply {
            Reply::Waiting(question) => {
                let where_to = match self.obstacle(&question, context) {
                    None if shown == Some(question.id) => Where::Again,
                    None => match form(&question, self.boundary) {
                        Some(form) => {
                            let asked = [(APPROVE.to_owned(), InputRequest::Elicitation(form))].into();
                            let state = self.states.issue(asker, call, &question);
                            return Ok(InputRequiredResult::new(Some(asked), Some(state)).into());
                        }
                        None => Where::Nowhere,
                    },
                    Some(where_to) => where_to,
                };
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
            reply => self.told(&reply, &where_to, context).await.map(CallToolResponse::Complete),
        }
    }

    /// Why the person can't be asked through this request.
    fn obstacle(&self, question: &Question, context: &RequestContext<RoleServer>) -> Option<Where> {
        let shows = has_input_required(context) && shows_forms(context.meta.client_capabilities());
        match () {
            () if question.strong => Some(Where::Weak),
            () if !shows => Some(Where::Nowhere),
            () => None,
        }
    }

    /// Hands in an answer, and tells what its question came to.
    async fn answered(&self, question: &Question, decision: Decision, context: &RequestContext<RoleServer>) -> Reply {
        let client = context.meta.client_info().map(|client| echo(&client.name)).unwrap_or_default();
        hand_in(&self.desk, question, &client, decision).await;
        self.modern.wait(&self.session, question, Duration::ZERO).await
    }
}

/// The decision among what a client brings, if it brings one. An answer of no form we asked for is nobody's decision.
fn answer(brought: Option<InputResponses>) -> Option<Decision> {
    let answer = brought?.remove(APPROVE)?;
    Some(serde_json::from_value::<ElicitResult>(answer).map_or(Decision::Dismiss, decision))
}
