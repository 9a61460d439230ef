//! What SQLite's ledger owes beyond the contract: its folder, its lock, restarts, and the view beside it.
//!
//! Is not: crashes (`crash`) or tampering (`tamper`). Clauses: AUD-1, AUD-2, STO-1.

use super::contract::folds;
use super::{Home, at, commit, follow, granted, pinned, records, resumed, session, show, v, verified, write};
use agent_core::transition::{Stream, Transition};
use agent_engine::ledger::{Guard, Ledger, Note};
use agent_host::store::audit::{Audit, Filter};
use agent_host::store::{SqliteLedger, StoreError};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

fn refused(folder: &Path) -> StoreError {
    SqliteLedger::open(folder).err().expect("the store opened")
}

fn searched(hits: usize) -> Note {
    Note { at: at(2000), stream: session(1), what: Transition::Searched { hits, count: 1 } }
}

#[tokio::test]
async fn sto_1_a_restart_finds_what_was_acknowledged_and_goes_on() {
    let home = Home::new();
    let mut before = Vec::new();
    for batch in 0..4 {
        let ledger = SqliteLedger::open(&home.path()).unwrap();
        assert_eq!(records(&home.path()), before);
        for (stream, stored) in folds(&before) {
            assert_eq!(ledger.load(&stream).await.unwrap(), stored);
        }
        let guard = Guard::At(v(batch));
        let writes = vec![write(session(1), guard, granted(batch.into(), 3)), write(Stream::Host, guard, pinned(batch.into(), 3))];
        assert_eq!(ledger.commit(commit(writes)).await, Ok(vec![v(batch + 1), v(batch + 1)]));
        before = records(&home.path());
    }
    assert_eq!(verified(&home.path()), 8);
}

#[tokio::test]
async fn aud_1_notes_are_written_without_a_commit_and_when_the_ledger_is_dropped() {
    let home = Home::new();
    let ledger = SqliteLedger::open(&home.path()).unwrap();
    ledger.note(searched(1));
    let patience = Instant::now() + Duration::from_secs(30);
    while records(&home.path()).is_empty() {
        assert!(Instant::now() < patience, "the note was not written");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    (2..=9).for_each(|hits| ledger.note(searched(hits)));
    drop(ledger);
    let hits: Vec<_> = records(&home.path()).into_iter().map(|record| record.what).collect();
    assert_eq!(hits, (1..=9).map(|hits| Transition::Searched { hits, count: 1 }).collect::<Vec<_>>());
}

#[tokio::test]
async fn sto_1_a_caller_that_goes_away_undoes_nothing() {
    let home = Home::new();
    let ledger = SqliteLedger::open(&home.path()).unwrap();
    for batch in 0..50 {
        let writes = vec![write(session(1), Guard::Follow, granted(batch, 3)), write(Stream::Host, Guard::Follow, pinned(batch, 3))];
        let asked = ledger.commit(commit(writes));
        drop(tokio::time::timeout(Duration::ZERO, asked).await);
    }
    assert_eq!(ledger.load(&session(1)).await.unwrap().version, v(50));
    assert_eq!(verified(&home.path()), 100);
}

#[test]
fn sto_1_a_second_writer_is_refused_and_told_the_way_out() {
    let home = Home::new();
    let first = SqliteLedger::open(&home.path()).unwrap();
    let error = refused(&home.path());
    assert!(matches!(&error, StoreError::Locked { pid: Some(pid), .. } if *pid == std::process::id()), "{error:?}");
    let shown = error.to_string();
    assert!(shown.contains(&home.path().display().to_string()) && shown.contains("\nhint: stop that process"), "{shown}");
    drop(first);
    SqliteLedger::open(&home.path()).unwrap();
}

/// Between its making and its program a child holds every open file of its parent.
#[test]
fn sto_1_the_lock_comes_back_while_children_are_started() {
    let home = Home::new();
    let starting = AtomicBool::new(true);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while starting.load(Ordering::Relaxed) {
                assert!(Command::new("true").status().unwrap().success());
            }
        });
        let opened: Vec<_> = (0..100).map(|_| SqliteLedger::open(&home.path()).map(drop)).collect();
        starting.store(false, Ordering::Relaxed);
        assert!(opened.iter().all(Result::is_ok), "{opened:?}");
    });
}

#[tokio::test]
async fn sto_1_only_the_owner_may_use_the_folder_and_its_files() {
    let home = Home::new();
    let ledger = SqliteLedger::open(&home.path()).unwrap();
    ledger.commit(follow(Stream::Host, resumed())).await.unwrap();
    assert_eq!(mode(&home.path()), 0o700);
    let files: Vec<_> = std::fs::read_dir(home.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(files.len() >= 5, "{files:?}");
    for file in &files {
        assert_eq!(mode(file), 0o600, "{}", file.display());
    }
    drop(ledger);

    for file in ["ledger.sqlite", "lock", "unrecorded"] {
        let path = home.path().join(file);
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o640)).unwrap();
        let error = refused(&home.path());
        assert!(matches!(&error, StoreError::Open { mode: 0o640, .. }), "{error:?}");
        assert!(error.to_string().ends_with(&format!("hint: `chmod 600 {}`", path.display())), "{error}");
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o600)).unwrap();
    }
    std::fs::set_permissions(home.path(), PermissionsExt::from_mode(0o750)).unwrap();
    assert!(matches!(refused(&home.path()), StoreError::Open { mode: 0o750, .. }));
    std::fs::set_permissions(home.path(), PermissionsExt::from_mode(0o700)).unwrap();
    SqliteLedger::open(&home.path()).unwrap();
}

#[test]
fn sto_1_nothing_is_written_through_a_link_or_into_a_file_of_another_kind() {
    let home = Home::new();
    drop(SqliteLedger::open(&home.path()).unwrap());
    let elsewhere = home.0.path().join("elsewhere");
    for file in ["ledger.sqlite", "lock", "unrecorded"] {
        let path = home.path().join(file);
        std::fs::rename(&path, &elsewhere).unwrap();
        symlink(&elsewhere, &path).unwrap();
        assert!(matches!(refused(&home.path()), StoreError::Kind { wanted: "file", .. }), "{file}");
        std::fs::remove_file(&path).unwrap();
        std::fs::rename(&elsewhere, &path).unwrap();
    }
    let file = home.path().join("lock");
    assert!(matches!(refused(&file), StoreError::Unusable { .. }), "a file is no folder");
    SqliteLedger::open(&home.path()).unwrap();
}

#[test]
fn aud_1_the_marker_survives_a_restart() {
    let home = Home::new();
    for raised in [false, true, false] {
        let ledger = SqliteLedger::open(&home.path()).unwrap();
        let size = std::fs::metadata(home.path().join("unrecorded")).unwrap().len();
        assert!(ledger.mark(raised));
        assert_eq!(std::fs::metadata(home.path().join("unrecorded")).unwrap().len(), size, "rewritten in place");
        drop(ledger);
        assert_eq!(SqliteLedger::open(&home.path()).unwrap().marked(), raised);
    }
}

#[tokio::test]
async fn aud_2_the_view_reads_beside_the_host_and_filters() {
    let home = Home::new();
    assert!(matches!(Audit::open(&home.path()), Err(StoreError::Missing(_))));
    let ledger = SqliteLedger::open(&home.path()).unwrap();
    assert_eq!(verified(&home.path()), 0);
    for batch in 0..6 {
        ledger.commit(follow(session(batch % 2), granted(batch, 1))).await.unwrap();
    }
    let seqs = |stream: Option<u128>, last| {
        let filter = Filter { stream: stream.map(session), last };
        show(&home.path(), &filter).iter().map(|record| record.seq).collect::<Vec<_>>()
    };
    assert_eq!(seqs(None, None), [1, 2, 3, 4, 5, 6]);
    assert_eq!(seqs(None, Some(2)), [5, 6]);
    assert_eq!(seqs(Some(1), None), [2, 4, 6]);
    assert_eq!(seqs(Some(1), Some(2)), [4, 6]);
    assert!(seqs(Some(9), Some(2)).is_empty());
    assert_eq!(seqs(None, Some(u64::MAX)), [1, 2, 3, 4, 5, 6]);
    drop(ledger);
    assert_eq!(verified(&home.path()), 6, "and without the host");
}

#[test]
fn sto_1_a_store_of_a_newer_program_is_left_alone() {
    let home = Home::new();
    drop(SqliteLedger::open(&home.path()).unwrap());
    let db = rusqlite::Connection::open(home.path().join("ledger.sqlite")).unwrap();
    db.pragma_update(None, "user_version", 3).unwrap();
    drop(db);
    assert!(matches!(refused(&home.path()), StoreError::Newer { found: 3, known: 2 }));
    assert!(matches!(Audit::open(&home.path()), Err(StoreError::Newer { found: 3, known: 2 })));
}
