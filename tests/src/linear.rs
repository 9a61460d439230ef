//! Activations by the hundred at once while operators answer and take back at random: one order explains every answer.
//!
//! Is: histories of a running host, each session's checked against the reference model. A history is linearizable where its
//! operations can be put in one order, each at some moment between its beginning and its end, in which the model gives every
//! answer that was given. Each session is of a principal of its own, so sessions share nothing and are checked one by one
//! (locality). Is not: about threads within the engine, which `races` is. Source: Herlihy and Wing, Linearizability, 1990; the
//! search is Wing and Gong's, 1993. Clauses: ACT-2, AUTH-5, AUTH-6, REV-1, REV-2. Invariants: I-2, I-7.

mod check;
mod desks;
mod drive;
mod history;
mod host;
mod operators;

use crate::counts::activations;
use check::explained;
use history::History;

/// What the answers came to, so that nothing is shown that was not reached.
fn reached(histories: &[History]) -> Vec<(String, usize)> {
    let mut counts = std::collections::BTreeMap::new();
    for event in histories.iter().flat_map(|history| &history.events) {
        *counts.entry(event.word()).or_default() += 1;
    }
    counts.into_iter().collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn act_2_auth_5_rev_1_what_runs_at_once_has_an_order() {
    let histories = drive::drive(activations() as usize).await;
    let reached = reached(&histories);
    println!("{reached:?}");
    let answers = ["active", "denied", "holds", "refused another-waiting", "refused denied-by-person", "taken", "void", "waiting"];
    let missed: Vec<_> = answers.iter().filter(|answer| reached.iter().all(|(word, _)| word != *answer)).collect();
    assert!(missed.is_empty(), "{missed:?} of {reached:?}");
    let odd: Vec<_> = histories.iter().filter(|history| explained(history).is_none()).collect();
    assert!(odd.is_empty(), "no order explains {} of {}:\n{}", odd.len(), histories.len(), odd[0]);
}
