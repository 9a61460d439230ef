//! Whatever a model wrote, no text becomes a confirmation, a decision or an answer.

use agent_core::digest::Digest;
use agent_core::request::Question;
use agent_core::session::SessionView;
use agent_core::time::Instant;
use agent_engine::authority::{Accepted, Confirmation, Decided, Remembered, accept, decide};
use agent_engine::policy::Policy;
use agent_engine::request::Resolved;
use std::collections::BTreeMap;

fn accepted(policy: &Policy, question: &Question, again: Resolved, text: &str) -> Accepted {
    accept(policy, question, Some(again), text, &BTreeMap::new())
}

fn decided(policy: &Policy, named: Digest, text: String, view: &SessionView, known: Remembered<'_>, now: Instant) -> Decided {
    decide(policy, named, text, view, known, now)
}

fn taken(text: String) -> Confirmation {
    text.into()
}

fn main() {}
