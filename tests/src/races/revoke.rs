//! A revoke against calls and publishes.
//!
//! Invariants: I-7, I-8.

use super::check;
use super::stage::{Fate, Stage, granted, revoked, tool};
use agent_engine::ledger::Guard;
use shuttle::thread::spawn;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Counts that both things a scenario is about did happen in some order.
#[derive(Default)]
struct Tally(AtomicUsize, AtomicUsize);

impl Tally {
    fn count(&self, first: bool) {
        (if first { &self.0 } else { &self.1 }).fetch_add(1, Ordering::SeqCst);
    }

    fn both(&self) {
        assert!(self.0.load(Ordering::SeqCst) > 0 && self.1.load(Ordering::SeqCst) > 0, "one of two never happened");
    }
}

/// Callers, an operator who takes the tool back, and a batch of another tool published before, between or after. Once
/// the operator is answered no call of the tool is let start, and each that was is one that the operator was told of.
#[test]
fn i_7_no_call_starts_after_a_revokes_acknowledgement() {
    let tally = Arc::new(Tally::default());
    let counted = tally.clone();
    check(move || {
        let stage = Stage::new(&["taken"]);
        let acknowledged = Arc::new(AtomicBool::new(false));
        let callers = [1, 2].map(|call| {
            let (stage, acknowledged, tally) = (stage.clone(), acknowledged.clone(), counted.clone());
            spawn(move || {
                let late = |may: bool| assert!(!may || !acknowledged.load(Ordering::SeqCst), "a call starts after the acknowledgement");
                tally.count(stage.start(call, "taken", Fate::Kept, late));
            })
        });
        let publisher = stage.clone();
        let publisher = spawn(move || publisher.widen("other"));
        let operator = stage.clone();
        let operator = spawn(move || {
            let (token, met) = operator.narrow("taken");
            operator.commit(Guard::Follow, revoked("taken"), Some(token), Fate::Kept).unwrap();
            acknowledged.store(true, Ordering::SeqCst);
            operator.nothing_came_back();
            met
        });
        let met = operator.join().unwrap();
        publisher.join().unwrap();
        callers.into_iter().for_each(|caller| caller.join().unwrap());
        assert_eq!(stage.running("taken"), met, "the operator is told of every call that runs on");
        assert!(stage.book.state().held(&tool("other")).is_some());
        stage.nothing_came_back();
        stage.is_as_recorded();
    });
    tally.both();
}

/// A revoke that the ledger could not take at first, against batches published meanwhile, one of them of the very tool
/// and planned before. The tool stays away, and the cell is closed until the revoke is recorded.
#[test]
fn i_7_no_publish_brings_a_revoked_tool_back() {
    let tally = Arc::new(Tally::default());
    let counted = tally.clone();
    check(move || {
        let stage = Stage::new(&["taken"]);
        let planned = stage.version();
        let publishers = ["one", "two"].map(|name| {
            let stage = stage.clone();
            spawn(move || {
                stage.widen(name);
                stage.nothing_came_back();
            })
        });
        let (again, tally) = (stage.clone(), counted.clone());
        let again = spawn(move || tally.count(again.commit(Guard::At(planned), granted("taken"), None, Fate::Kept).is_ok()));
        let watcher = stage.clone();
        let watcher = spawn(move || (0..6).for_each(|_| watcher.nothing_came_back()));
        let operator = stage.clone();
        let operator = spawn(move || {
            let (token, _) = operator.narrow("taken");
            operator.commit(Guard::Follow, revoked("taken"), Some(token), Fate::Refused).unwrap_err();
            assert!(operator.closed(), "open with a narrowing that is not recorded");
            assert!(!operator.start(1, "one", Fate::Kept, |_| ()), "a call starts in a closed cell");
            operator.nothing_came_back();
            operator.mend(true);
            operator.nothing_came_back();
            assert!(!operator.closed(), "closed with nothing owed");
        });
        for thread in publishers.into_iter().chain([again, watcher, operator]) {
            thread.join().unwrap();
        }
        for name in ["one", "two"] {
            assert!(stage.book.state().held(&tool(name)).is_some());
        }
        stage.nothing_came_back();
        stage.is_as_recorded();
    });
    tally.both();
}
