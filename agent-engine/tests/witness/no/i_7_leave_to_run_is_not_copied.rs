//! One permit is leave for one message, and one admission for one start.

use agent_engine::call::Sent;
use agent_engine::gate::{Admission, Permit};

fn permit(permit: &Permit) -> Permit {
    permit.clone()
}

fn message(sent: &Sent) -> Sent {
    sent.clone()
}

fn admission(admission: &Admission) -> Admission {
    admission.clone()
}

fn main() {}
