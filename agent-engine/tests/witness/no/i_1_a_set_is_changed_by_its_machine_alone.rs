//! Holding a session's cell is no leave to widen or narrow it: its writers and the journal they need are the engine's.

#![allow(unreachable_code)]

use agent_core::transition::{Transition, Version};
use agent_engine::session::{Cell, Widening};

async fn widened(cell: &Cell, widening: Widening) {
    cell.widen(todo!(), todo!(), Version::default(), widening, Vec::new(), Vec::new()).await;
}

async fn narrowed(cell: &Cell, what: Transition) {
    cell.narrow(todo!(), what, Vec::new(), false).await;
}

async fn recorded(cell: &Cell, what: Transition) {
    cell.record(todo!(), Version::default(), what, Vec::new()).await;
}

fn main() {}
