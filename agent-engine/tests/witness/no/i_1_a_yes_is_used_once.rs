//! A confirmation is neither copied nor spent twice.

use agent_core::session::RequestId;
use agent_core::time::Instant;
use agent_engine::authority::Confirmation;
use agent_engine::grant::{Grant, issue};

fn twice(yes: Confirmation, first: RequestId, second: RequestId, now: Instant) -> [Vec<Grant>; 2] {
    [issue(yes, first, false, now), issue(yes, second, false, now)]
}

fn main() {}
