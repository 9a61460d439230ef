//! What was sent or started is gone.

use agent_engine::call::{Calls, Lease, Sent};
use agent_engine::gate::Admission;
use agent_engine::session::Cell;
use std::sync::Arc;

fn sent(first: Box<dyn Lease>, second: Box<dyn Lease>, sent: Sent) {
    drop(first.start(sent));
    drop(second.start(sent));
}

async fn started(calls: &Arc<Calls>, cell: &Arc<Cell>, admission: Admission) {
    drop(calls.start(cell, admission).await);
    drop(calls.start(cell, admission).await);
}

fn main() {}
