//! The shipped cell of a stream under the orders of its locks that a checker of interleavings draws.
//!
//! Is: the engine's `ledger/book.rs` and `ledger/fold.rs`, the very files, over `crate::sync`, with its own ledger in
//! memory. Is not: the journal and the gate, which await; `stage` takes their steps in their order. The seed is fixed, so
//! that a run repeats; `SHUTTLE_RANDOM_SEED` sets another. Clauses: ACT-2, AUD-1. Invariants: I-7, I-8, I-10.

#[allow(dead_code)]
#[path = "../../agent-engine/src/ledger/book.rs"]
mod book;
#[allow(unreachable_pub, dead_code)]
#[path = "../../agent-engine/src/ledger/fold.rs"]
mod fold;

mod doubt;
mod order;
mod revoke;
mod stage;

pub(crate) use agent_engine::ledger::Stored;
pub(crate) use fold::Folded;

use crate::counts::interleavings;
use shuttle::scheduler::{PctScheduler, RandomScheduler};
use shuttle::{Config, Runner};

/// Priorities that change in one run of the second way to draw orders.
const CHANGES: usize = 3;
const SEED: u64 = 0x7a11_e5ca_1e0f_5eed;

/// Plays a scenario in orders drawn evenly, then in orders drawn by priorities.
fn check(play: impl Fn() + Clone + Send + Sync + 'static) {
    let runs = interleavings() as usize;
    let mut config = Config::new();
    config.stack_size = 256 * 1024;
    Runner::new(RandomScheduler::new_from_seed(SEED, runs), config.clone()).run(play.clone());
    Runner::new(PctScheduler::new_from_seed(SEED, CHANGES, runs), config).run(play);
}
