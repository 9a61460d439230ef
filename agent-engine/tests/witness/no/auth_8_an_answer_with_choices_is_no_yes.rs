//! What a person answers to a question with choices becomes no decision and no confirmation; no rule answers one; and who asks can't.

use agent_core::inquiry::{Answerer, Reply};
use agent_core::request::{Decider, Decision, Question};
use agent_core::session::SessionId;
use agent_engine::authority::{Accepted, Confirmation, accept};
use agent_engine::desk::Desk;
use agent_engine::inquiry::Inquiring;
use agent_engine::policy::Policy;
use agent_engine::request::Resolved;
use std::collections::BTreeMap;

fn accepted(policy: &Policy, question: &Question, again: Resolved, reply: &Reply) -> Accepted {
    accept(policy, question, Some(again), reply, &BTreeMap::new())
}

fn confirmed(reply: Reply) -> Confirmation {
    reply.into()
}

fn decided(reply: Reply) -> Decision {
    reply.into()
}

fn a_rule(by: Decider) -> Answerer {
    by.into()
}

async fn a_rule_answers(desk: &Desk, session: SessionId, by: Decider) {
    let _ = desk.reply(session, 1, Reply::Declined, by).await;
}

async fn the_asker_answers(asker: &Inquiring, session: SessionId, by: Answerer) {
    let _ = asker.reply(session, 1, Reply::Declined, by).await;
}

fn main() {}
