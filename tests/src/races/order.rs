//! Acknowledgements that overtake each other.
//!
//! Clause: ACT-2. Invariants: I-2, I-7.

use super::check;
use super::stage::{Fate, Stage, granted, revoked};
use agent_engine::ledger::Guard;
use shuttle::thread::spawn;

/// Two batches in the ledger's order, told of in any: what is in effect is always what the ledger held at some time.
#[test]
fn act_2_batches_fold_in_the_ledgers_order() {
    check(|| {
        let stage = Stage::new(&["held"]);
        let start = stage.version();
        let batches = ["one", "two"].map(|name| {
            stage.flies();
            let version = if name == "one" { start } else { start.next() };
            (name, stage.written(Guard::At(version), granted(name)))
        });
        let tellers = batches.map(|(name, written)| {
            let stage = stage.clone();
            spawn(move || stage.lands(&written, granted(name), None))
        });
        let watcher = stage.clone();
        let watcher = spawn(move || {
            for _ in 0..4 {
                let (version, state) = watcher.book.locked(|folded, _| (folded.version(), folded.state().clone()));
                let names: Vec<_> = state.active.iter().map(|held| held.grant.bound.id.name().to_owned()).collect();
                assert!(["held", "one", "two"].starts_with(&names.iter().map(String::as_str).collect::<Vec<_>>()), "{names:?}");
                assert_eq!((version.0, state.set), (start.0 + names.len() as u64 - 1, names.len() as u64));
            }
        });
        for thread in tellers.into_iter().chain([watcher]) {
            thread.join().unwrap();
        }
        stage.is_as_recorded();
    });
}

/// A revoke that is told of before the batch which the ledger took first: it is in effect all the while.
#[test]
fn i_7_a_revoke_that_overtakes_a_batch_stays_in_effect() {
    check(|| {
        let stage = Stage::new(&["taken"]);
        let start = stage.version();
        stage.flies();
        let batch = stage.written(Guard::At(start), granted("other"));
        let publisher = stage.clone();
        let publisher = spawn(move || publisher.lands(&batch, granted("other"), None));
        let operator = stage.clone();
        let operator = spawn(move || {
            let (token, _) = operator.narrow("taken");
            operator.commit(Guard::Follow, revoked("taken"), Some(token), Fate::Kept).unwrap();
            assert!(!operator.start(1, "taken", Fate::Kept, |_| ()), "a call starts after the acknowledgement");
            operator.nothing_came_back();
        });
        [publisher, operator].into_iter().for_each(|thread| thread.join().unwrap());
        stage.is_as_recorded();
    });
}
