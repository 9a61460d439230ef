//! Nobody but `authority` makes a confirmation, and nobody but `request` says what was resolved.

use agent_core::session::{Asker, Bound};
use agent_engine::authority::Confirmation;
use agent_engine::request::Resolved;

fn confirmation(asker: Asker) -> Confirmation {
    Confirmation { asker, batch: Vec::new(), always: None }
}

fn resolved(asker: Asker, all: Vec<Bound>) -> Resolved {
    Resolved { asker, new: Vec::new(), all }
}

fn main() {}
