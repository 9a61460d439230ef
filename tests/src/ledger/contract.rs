//! What both ledgers owe the engine, each test on both.
//!
//! Is not: what lasts beyond the process (`durable`, `crash`). Clauses: ACT-2, AUD-1, AUD-2. Invariant: I-2.

use super::{Under, at, bounds, commit, follow, granted, pinned, principal, resumed, session, v, write};
use agent_core::digest::{Digest, Domain};
use agent_core::outcome::End;
use agent_core::session::{CallId, RequestId};
use agent_core::state::State;
use agent_core::transition::{Record, Stream, Transition};
use agent_engine::ledger::{Commit, CommitError, Guard, Ledger, Note, Stored};
use std::collections::BTreeMap;

#[tokio::test]
async fn act_2_compare_and_set_lets_one_of_two_through() {
    for under in Under::both() {
        let ledger = under.ledger();
        let plan = |batch| commit(vec![write(session(1), Guard::At(v(0)), granted(batch, 2))]);
        assert_eq!(ledger.commit(plan(1)).await, Ok(vec![v(1)]));
        assert_eq!(ledger.commit(plan(2)).await, Err(CommitError::Conflict(session(1), v(1))));
        assert_eq!(under.records().await.len(), 1);
    }
}

#[tokio::test]
async fn act_2_what_was_seen_must_still_stand() {
    for under in Under::both() {
        let ledger = under.ledger();
        ledger.commit(follow(Stream::Host, resumed())).await.unwrap();
        let plan = |host| Commit { seen: vec![(principal("p"), v(0)), (Stream::Host, v(host))], ..follow(session(1), granted(1, 1)) };
        assert_eq!(ledger.commit(plan(0)).await, Err(CommitError::Conflict(Stream::Host, v(1))));
        assert_eq!(ledger.commit(plan(1)).await, Ok(vec![v(1)]));
        assert_eq!(ledger.load(&Stream::Host).await.unwrap().version, v(1), "seeing is not writing");
    }
}

#[tokio::test]
async fn act_2_what_follows_never_conflicts() {
    for under in Under::both() {
        let ledger = under.ledger();
        for version in 1..=20 {
            assert_eq!(ledger.commit(follow(session(1), Transition::Expired { ids: vec![] })).await, Ok(vec![v(version)]));
        }
    }
}

#[tokio::test]
async fn i_2_a_commit_is_written_whole_or_not_at_all() {
    for under in Under::both() {
        let ledger = under.ledger();
        let writes = vec![
            write(session(1), Guard::At(v(0)), granted(1, 3)),
            write(Stream::Host, Guard::Follow, pinned(1, 3)),
            write(principal("p"), Guard::At(v(7)), Transition::DenialsCleared { tool: None, by: "operator".to_owned() }),
        ];
        assert_eq!(ledger.commit(commit(writes)).await, Err(CommitError::Conflict(principal("p"), v(0))));
        assert_eq!(ledger.streams().await, Ok(vec![]));
        assert_eq!(under.records().await, []);
        let empty = Stored { version: v(0), state: State::empty(&session(1)) };
        assert_eq!(ledger.load(&session(1)).await, Ok(empty));
    }
}

#[tokio::test]
async fn act_2_each_write_answers_with_its_streams_version() {
    for under in Under::both() {
        let ledger = under.ledger();
        let writes = vec![
            write(session(1), Guard::At(v(0)), granted(1, 1)),
            write(Stream::Host, Guard::Follow, pinned(1, 1)),
            write(session(1), Guard::At(v(0)), starting(1)),
            write(session(1), Guard::Follow, Transition::Expired { ids: vec![] }),
        ];
        assert_eq!(ledger.commit(commit(writes)).await, Ok(vec![v(1), v(1), v(1), v(2)]));
        assert_eq!(ledger.commit(commit(vec![])).await, Ok(vec![]));
        let versions: Vec<_> = under.records().await.into_iter().map(|record| (record.seq, record.version)).collect();
        assert_eq!(versions, [(1, v(1)), (2, v(1)), (3, v(1)), (4, v(2))]);
    }
}

#[tokio::test]
async fn aud_1_notes_come_before_what_is_asked_later() {
    for under in Under::both() {
        let ledger = under.ledger();
        ledger
            .commit(commit(vec![write(session(1), Guard::Follow, granted(1, 1)), write(session(1), Guard::Follow, starting(1))]))
            .await
            .unwrap();
        let ended = Transition::Ended { call: CallId::new(1), end: End::Ok };
        ledger.note(Note { at: at(2000), stream: session(1), what: ended.clone() });
        let State::Session(state) = ledger.load(&session(1)).await.unwrap().state else { panic!("not a session") };
        assert!(state.running.is_empty() && state.last == Some(at(2000)));

        ledger.note(Note { at: at(2100), stream: session(1), what: Transition::Searched { hits: 3, count: 1 } });
        ledger.commit(follow(Stream::Host, resumed())).await.unwrap();
        let what: Vec<_> = under.records().await.into_iter().map(|record| record.what).collect();
        assert_eq!(what[2..], [ended, Transition::Searched { hits: 3, count: 1 }, resumed()]);
    }
}

#[tokio::test]
async fn sto_1_states_are_folds_and_aud_2_the_chain_holds() {
    for under in Under::both() {
        let ledger = under.ledger();
        for batch in 0..12 {
            let writes =
                vec![write(session(batch % 3), Guard::Follow, granted(batch, 4)), write(Stream::Host, Guard::Follow, pinned(batch, 4))];
            ledger.commit(commit(writes)).await.unwrap();
            ledger.note(Note { at: at(3000), stream: session(batch % 3), what: Transition::Searched { hits: 1, count: 1 } });
        }
        let denied = Transition::Denied { bounds: bounds(3, 2), until: at(9000) };
        ledger.commit(follow(principal("p"), denied)).await.unwrap();

        let records = under.records().await;
        let streams = [Stream::Host, principal("p"), session(0), session(1), session(2)];
        assert_eq!(ledger.streams().await.unwrap(), streams);
        let folded = folds(&records);
        for stream in streams {
            assert_eq!(ledger.load(&stream).await.unwrap(), folded[&stream], "{stream}");
        }
        assert_eq!(records.len(), 37);
        let mut before = (0, Record::genesis());
        for record in records {
            assert!(record.follows(before.0, &before.1), "{}", record.seq);
            before = (record.seq, record.hash);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn act_2_many_at_once_are_ordered_and_one_wins_where_one_can() {
    for under in Under::both() {
        let ledger = under.ledger();
        let tasks: Vec<_> = (0..64u128)
            .map(|task| {
                let ledger = ledger.clone();
                tokio::spawn(async move {
                    let mine = vec![
                        write(session(1000 + task), Guard::At(v(0)), granted(task, 2)),
                        write(Stream::Host, Guard::Follow, pinned(task, 2)),
                    ];
                    let own = ledger.commit(commit(mine)).await.unwrap()[1];
                    let raced = ledger.commit(commit(vec![write(session(1), Guard::At(v(0)), granted(task, 1))])).await;
                    (own, raced)
                })
            })
            .collect();
        let (mut versions, mut won) = (Vec::new(), 0);
        for task in tasks {
            let (own, raced) = task.await.unwrap();
            versions.push(own.0);
            match raced {
                Ok(raced) => won += usize::from(raced == [v(1)]),
                Err(error) => assert_eq!(error, CommitError::Conflict(session(1), v(1))),
            }
        }
        versions.sort_unstable();
        assert_eq!(versions, (1..=64).collect::<Vec<_>>(), "every version of the host's stream was given once");
        assert_eq!(won, 1);
        assert_eq!(under.records().await.len(), 129);
    }
}

#[tokio::test]
async fn aud_1_the_marker_stands_as_asked() {
    for under in Under::both() {
        let ledger = under.ledger();
        assert!(!ledger.marked());
        for raised in [true, true, false, true] {
            assert!(ledger.mark(raised));
            assert_eq!(ledger.marked(), raised);
        }
    }
}

fn starting(call: u128) -> Transition {
    let bound = bounds(1, 1).remove(0);
    let arguments = Digest::of(Domain::Arguments, b"{}");
    Transition::Starting { call: CallId::new(call), bound, request: RequestId::new(1), arguments }
}

/// What the records add up to.
pub(super) fn folds(records: &[Record]) -> BTreeMap<Stream, Stored> {
    let mut folded = BTreeMap::new();
    for record in records {
        let new = || Stored { version: v(0), state: State::empty(&record.stream) };
        let stored = folded.entry(record.stream.clone()).or_insert_with(new);
        stored.version = record.version;
        stored.state.apply(record.at, &record.what);
    }
    folded
}
