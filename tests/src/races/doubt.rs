//! A commit of which nobody knows whether it was written.
//!
//! Clause: AUD-1. Invariants: I-8, I-10.

use super::check;
use super::stage::{Fate, Stage, granted, revoked, tool};
use agent_core::outcome::End;
use agent_core::session::CallId;
use agent_engine::ledger::Guard;
use shuttle::thread::spawn;
use std::sync::Arc;

/// Two who mend, of whom one can't read at first, until the cell is open.
fn mended(stage: &Arc<Stage>) {
    let menders = [false, true].map(|readable| {
        let stage = stage.clone();
        spawn(move || (0..2).for_each(|time| stage.mend(readable || time > 0)))
    });
    menders.into_iter().for_each(|mender| mender.join().unwrap());
    stage.mend(true);
}

/// A batch in doubt, while one call ends, another is recorded and another tool is taken back. No call starts before the
/// stream was read again, and then nothing is lost, nothing counted twice,
/// and what was taken back can be granted anew.
#[test]
fn i_10_an_unknown_commit_closes_the_cell_until_it_is_read_again() {
    for written in [true, false] {
        check(move || {
            let stage = Stage::new(&["used", "taken"]);
            assert!(stage.start(9, "used", Fate::Kept, |_| ()));
            let planned = stage.version();
            let doubter = stage.clone();
            let doubter = spawn(move || {
                drop(doubter.commit(Guard::At(planned), granted("new"), None, Fate::Unknown { written }));
            });
            let ender = stage.clone();
            let ender = spawn(move || ender.ended(CallId::new(9), End::Ok));
            let caller = stage.clone();
            let caller = spawn(move || {
                if caller.start(1, "used", Fate::Kept, |_| ()) {
                    caller.ended(CallId::new(1), End::Ok);
                }
            });
            let operator = stage.clone();
            let operator = spawn(move || {
                let (token, _) = operator.narrow("taken");
                operator.commit(Guard::Follow, revoked("taken"), Some(token), Fate::Kept).unwrap();
                operator.nothing_came_back();
            });
            mended(&stage);
            [doubter, ender, caller, operator].into_iter().for_each(|thread| thread.join().unwrap());
            stage.mend(true);
            stage.nothing_came_back();
            stage.is_as_recorded();
            stage.widen("taken");
            stage.is_as_recorded();
        });
    }
}

/// Two commits in doubt, one of them perhaps while the stream is read because of the other: that reading may have come too
/// early for it, so it must not end the doubt.
#[test]
fn i_10_a_reading_ends_no_doubt_that_came_after_it_began() {
    for written in [true, false] {
        check(move || {
            let stage = Stage::new(&["taken"]);
            let planned = stage.version();
            let doubter = stage.clone();
            let doubter = spawn(move || {
                drop(doubter.commit(Guard::At(planned), granted("new"), None, Fate::Unknown { written: true }));
            });
            let operator = stage.clone();
            let operator = spawn(move || {
                let (token, _) = operator.narrow("taken");
                operator.commit(Guard::Follow, revoked("taken"), Some(token), Fate::Unknown { written }).unwrap_err();
            });
            mended(&stage);
            [doubter, operator].into_iter().for_each(|thread| thread.join().unwrap());
            stage.mend(true);
            stage.nothing_came_back();
            stage.is_as_recorded();
        });
    }
}

/// A start in doubt is refused and ends as not started: it counts for nothing, in memory as in the ledger.
#[test]
fn i_10_a_start_in_doubt_counts_for_nothing() {
    for written in [true, false] {
        check(move || {
            let stage = Stage::new(&["used", "taken"]);
            let caller = stage.clone();
            let caller = spawn(move || assert!(!caller.start(1, "used", Fate::Unknown { written }, |_| ())));
            let operator = stage.clone();
            let operator = spawn(move || {
                let (token, _) = operator.narrow("taken");
                operator.commit(Guard::Follow, revoked("taken"), Some(token), Fate::Kept).unwrap();
            });
            mended(&stage);
            [caller, operator].into_iter().for_each(|thread| thread.join().unwrap());
            stage.mend(true);
            assert_eq!(stage.book.state().held(&tool("used")).unwrap().used, 0);
            stage.is_as_recorded();
        });
    }
}

/// A revoke in doubt stays in effect, and is recorded in the end.
#[test]
fn i_8_a_revoke_in_doubt_stays_in_effect() {
    for written in [true, false] {
        check(move || {
            let stage = Stage::new(&["taken"]);
            let planned = stage.version();
            let publisher = stage.clone();
            let publisher = spawn(move || drop(publisher.commit(Guard::At(planned), granted("taken"), None, Fate::Kept)));
            let operator = stage.clone();
            let operator = spawn(move || {
                let (token, _) = operator.narrow("taken");
                operator.commit(Guard::Follow, revoked("taken"), Some(token), Fate::Unknown { written }).unwrap_err();
                operator.nothing_came_back();
            });
            let watcher = stage.clone();
            let watcher = spawn(move || (0..6).for_each(|_| watcher.nothing_came_back()));
            mended(&stage);
            [publisher, operator, watcher].into_iter().for_each(|thread| thread.join().unwrap());
            (0..2).for_each(|_| stage.mend(true));
            stage.nothing_came_back();
            stage.is_as_recorded();
        });
    }
}
