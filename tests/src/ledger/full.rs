//! No room for what must be recorded: refused or said to be unknown, never half there, and the marker stands.
//!
//! Is: a process whose writes the system refuses past a size. SQLite's own answer to a full disk is tested at the writer,
//! in the host. Clauses: AUD-1, STO-1. Invariants: I-8, I-10. Attack: 72.

use super::{Home, at, child, follow, granted, records, resumed, session, v, verified};
use agent_core::transition::{Stream, Transition};
use agent_engine::ledger::{CommitError, Ledger, Note};
use agent_host::store::SqliteLedger;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::path::Path;

/// The process whose room is taken and given back.
#[test]
#[ignore = "started by the test below, to be starved"]
fn commits_without_room() {
    let Some(folder) = child::folder() else { return };
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(starved(&folder));
    println!("done");
}

fn limit(bytes: Option<u64>) {
    setrlimit(Resource::Fsize, Rlimit { current: bytes, maximum: getrlimit(Resource::Fsize).maximum }).unwrap();
}

async fn starved(folder: &Path) {
    let ledger = SqliteLedger::open(folder).unwrap();
    ledger.commit(follow(session(1), granted(1, 3))).await.unwrap();
    let before = ledger.load(&session(1)).await.unwrap();
    let log = folder.join("ledger.sqlite-wal");
    limit(Some(log.metadata().unwrap().len()));

    let revoked = || Transition::Revoked { ids: vec![], by: "operator".to_owned() };
    let failed = ledger.commit(follow(session(1), revoked())).await;
    assert!(matches!(failed, Err(CommitError::Unknown(_))), "{failed:?}");
    // As long as nothing can be written over what was tried, nobody is told what is there.
    let unread = ledger.load(&session(1)).await;
    assert!(matches!(unread, Err(CommitError::Unknown(_))), "{unread:?}");
    assert!(matches!(ledger.streams().await, Err(CommitError::Unknown(_))));
    let later = ledger.commit(follow(Stream::Host, resumed())).await;
    assert!(matches!(later, Err(CommitError::Refused(_))), "{later:?}");
    ledger.note(Note { at: at(2000), stream: session(2), what: Transition::Searched { hits: 1, count: 1 } });
    assert!(ledger.mark(true) && ledger.marked());

    limit(getrlimit(Resource::Fsize).maximum);
    assert_eq!(ledger.load(&session(1)).await, Ok(before));
    assert_eq!(ledger.commit(follow(session(1), revoked())).await, Ok(vec![v(2)]));
    assert_eq!(ledger.load(&session(2)).await.unwrap().version, v(0));
}

#[tokio::test]
async fn attack_72_i_10_what_finds_no_room_is_not_recorded_and_the_marker_stands() {
    let home = Home::new();
    let mut process = child::spawn("ledger::full::commits_without_room", &home.path());
    let lines: Vec<_> = child::lines(process.stdout.take().unwrap()).collect();
    assert!(process.wait().unwrap().success() && lines.iter().any(|line| line.ends_with("done")), "{lines:#?}");

    assert_eq!(verified(&home.path()), 3);
    let streams: Vec<_> = records(&home.path()).into_iter().map(|record| record.stream).collect();
    assert!(streams.contains(&session(2)), "the note waited for room: {streams:?}");
    assert!(SqliteLedger::open(&home.path()).unwrap().marked());
}
