//! What embedders may do with the same values, so that the programs beside this one fail for what they say and not for a
//! name that changed. It is compiled with the tests, and never run.

use agent_core::digest::Digest;
use agent_core::grant::GrantRecord;
use agent_core::id::ToolId;
use agent_core::inquiry::{Answerer, Reply, Wording};
use agent_core::outcome::Outcome;
use agent_core::refusal::Refusal;
use agent_core::request::{Answer, Question};
use agent_core::session::{RequestId, SessionId, SessionView};
use agent_core::time::Instant;
use agent_engine::activation::{Asked, Asking, Settled};
use agent_engine::authority::{Accepted, Confirmation, Decided, Remembered, accept, decide};
use agent_engine::call::{Calls, Lease, Sent};
use agent_engine::catalog::Snapshot;
use agent_engine::desk::Desk;
use agent_engine::engine::Front;
use agent_engine::gate::Target;
use agent_engine::grant::{Grant, issue};
use agent_engine::inquiry::{Inquiring, Unanswered};
use agent_engine::policy::Policy;
use agent_engine::request::{Resolved, resolve};
use agent_engine::session::{Cell, Widening};
use serde_json::Map;
use std::collections::BTreeMap;
use std::sync::Arc;

fn a_rule_makes_a_yes(
    policy: &Policy,
    named: Digest,
    resolved: Resolved,
    view: &SessionView,
    known: Remembered<'_>,
    now: Instant,
) -> Option<Confirmation> {
    if let Decided::Granted(yes) = decide(policy, named, resolved, view, known, now) { Some(yes) } else { None }
}

fn a_person_makes_a_yes(policy: &Policy, question: &Question, again: Resolved, answer: &Answer) -> Option<Confirmation> {
    let pins: BTreeMap<ToolId, Digest> = BTreeMap::new();
    if let Accepted::Yes(yes) = accept(policy, question, Some(again), answer, &pins) { Some(yes) } else { None }
}

fn ids_are_resolved(snapshot: &Snapshot, view: &SessionView, ids: &[String]) -> Result<Resolved, Refusal> {
    resolve(snapshot, view, |_| true, ids)
}

fn a_yes_makes_grants(yes: Confirmation, request: RequestId, now: Instant) -> (Vec<GrantRecord>, Widening) {
    let grants: Vec<Grant> = issue(yes, request, false, now);
    (grants.iter().map(|grant| grant.record().clone()).collect(), Widening::new(request, grants))
}

async fn a_call_is_admitted_and_started(calls: &Arc<Calls>, cell: &Arc<Cell>, id: &str) -> Result<(), Refusal> {
    let admission = calls.admit(cell, Target::Id(id), Map::new()).await?;
    calls.start(cell, admission).await.map(drop)
}

async fn a_message_is_sent(lease: Box<dyn Lease>, sent: Sent) -> Outcome {
    lease.start(sent).await
}

async fn a_client_asks(front: &Front, asking: &Asking, cell: &Arc<Cell>, ids: &[String]) -> Asked {
    front.call(cell, "activate_tools", Map::new()).await;
    asking.request(cell, ids, &agent_core::request::Covers::Session).await
}

async fn an_operator_answers(desk: &Desk, question: &Question, answer: Answer) -> Settled {
    desk.answer(question.asker.session, question.id, answer).await
}

async fn a_question_is_asked(asker: &Inquiring, session: SessionId, wording: Wording) -> Result<Reply, Unanswered> {
    asker.ask(session, wording).await
}

async fn a_person_answers_it(desk: &Desk, session: SessionId, reply: Reply, by: Answerer) -> Result<(), Unanswered> {
    desk.reply(session, 1, reply, by).await
}
