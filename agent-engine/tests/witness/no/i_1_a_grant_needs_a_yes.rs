//! Records, answers and deciders are values without power: none stands in for a confirmation, or for a grant.

use agent_core::grant::GrantRecord;
use agent_core::request::{Answer, Decider};
use agent_core::session::RequestId;
use agent_core::time::Instant;
use agent_engine::authority::{Accepted, Decided};
use agent_engine::grant::{Grant, issue};
use agent_engine::session::Widening;

fn from_an_answer(answer: Answer, request: RequestId, now: Instant) -> Vec<Grant> {
    issue(answer, request, false, now)
}

fn from_a_record(record: GrantRecord, request: RequestId) -> Widening {
    Widening::new(request, vec![record])
}

fn by_saying_so(by: Decider) -> [Decided; 1] {
    [Decided::Granted(by)]
}

fn by_a_person(answer: Answer) -> Accepted {
    Accepted::Yes(answer)
}

fn main() {}
