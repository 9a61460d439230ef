//! A store changed behind the host's back: `verify` names the first record that is wrong.
//!
//! Is not: somebody who writes the whole chain anew, which only an anchor elsewhere shows. Clauses: AUD-2, STO-1.

use super::{Home, at, bounds, commit, follow, granted, pinned, principal, records, session, v, verified, write};
use agent_core::transition::{Record, Stream, Transition};
use agent_engine::ledger::{Guard, Ledger, Note};
use agent_host::store::audit::{Audit, Broken, Fault};
use agent_host::store::{SqliteLedger, StoreError};
use rusqlite::Connection;
use std::path::{Path, PathBuf};

/// A closed store of nine records: host 2, 4, 6; sessions 1, 3, 5, 8; principal 7; and a last one, 9, that changed nothing.
async fn store() -> Home {
    let home = Home::new();
    let ledger = SqliteLedger::open(&home.path()).unwrap();
    for batch in 0..3 {
        let writes =
            vec![write(session(batch % 2), Guard::Follow, granted(batch, 2)), write(Stream::Host, Guard::Follow, pinned(batch, 2))];
        ledger.commit(commit(writes)).await.unwrap();
    }
    ledger.commit(follow(principal("p"), Transition::Denied { bounds: bounds(1, 1), until: at(9000) })).await.unwrap();
    ledger.note(Note { at: at(2000), stream: session(1), what: Transition::Searched { hits: 3, count: 1 } });
    ledger.note(Note { at: at(2000), stream: Stream::Host, what: Transition::Searched { hits: 1, count: 1 } });
    drop(ledger);
    assert_eq!(verified(&home.path()), 9);
    home
}

fn database(home: &Home) -> PathBuf {
    home.path().join("ledger.sqlite")
}

fn broken(folder: &Path) -> Option<Broken> {
    Audit::open(folder).unwrap().verify().unwrap().broken
}

/// What a statement's tampering is found as, on a store of its own.
async fn after(sql: &str) -> Option<(u64, &'static str)> {
    let home = store().await;
    let db = Connection::open(database(&home)).unwrap();
    db.execute_batch(sql).unwrap();
    assert!(db.total_changes() > 0, "nothing was changed by {sql}");
    drop(db);
    broken(&home.path()).map(|broken| {
        let kind = match broken.fault {
            Fault::Unreadable(_) => "unreadable",
            Fault::Place => "place",
            Fault::Link => "link",
            Fault::Contents => "contents",
            Fault::Version => "version",
            Fault::State(_) => "state",
            Fault::End => "end",
        };
        (broken.seq, kind)
    })
}

#[tokio::test]
async fn aud_2_verify_finds_any_changed_field() {
    let zeros = "0".repeat(64);
    let table = [
        ("UPDATE record SET seq = 99 WHERE seq = 4".to_owned(), (5, "place")),
        ("UPDATE record SET stream = 'principal:q' WHERE seq = 4".to_owned(), (4, "contents")),
        ("UPDATE record SET stream = 'nobody' WHERE seq = 4".to_owned(), (4, "unreadable")),
        ("UPDATE record SET version = 7 WHERE seq = 4".to_owned(), (4, "contents")),
        ("UPDATE record SET version = -1 WHERE seq = 4".to_owned(), (4, "unreadable")),
        ("UPDATE record SET body = replace(body, 'tool_1', 'tool_2') WHERE seq = 4".to_owned(), (4, "contents")),
        ("UPDATE record SET body = replace(body, '\"wall\":1000', '\"wall\":1001') WHERE seq = 4".to_owned(), (4, "contents")),
        ("UPDATE record SET body = body || ' ' WHERE seq = 4".to_owned(), (4, "unreadable")),
        ("UPDATE record SET body = replace(body, 'max_calls', 'max_cells') WHERE seq = 3".to_owned(), (3, "unreadable")),
        (format!("UPDATE record SET prev = '{zeros}' WHERE seq = 4"), (4, "link")),
        ("UPDATE record SET prev = upper(prev) WHERE seq = 4".to_owned(), (4, "unreadable")),
        (format!("UPDATE record SET hash = '{zeros}' WHERE seq = 4"), (4, "contents")),
        ("UPDATE head SET seq = 8".to_owned(), (9, "end")),
        (format!("UPDATE head SET hash = '{zeros}'"), (9, "end")),
    ];
    for (sql, expect) in table {
        assert_eq!(after(&sql).await, Some(expect), "{sql}");
    }
}

#[tokio::test]
async fn aud_2_verify_finds_deleted_added_and_swapped_rows() {
    let swap =
        "UPDATE record SET seq = 100 WHERE seq = 4; UPDATE record SET seq = 4 WHERE seq = 5; UPDATE record SET seq = 5 WHERE seq = 100";
    let copy = "INSERT INTO record SELECT 10, stream, version, body, prev, hash FROM record WHERE seq = 9";
    let table = [
        ("DELETE FROM record WHERE seq = 1", (2, "place")),
        ("DELETE FROM record WHERE seq = 4", (5, "place")),
        ("DELETE FROM record WHERE seq = 9", (8, "end")),
        ("DELETE FROM record WHERE seq >= 7", (0, "state")),
        ("DELETE FROM head", (9, "end")),
        (swap, (4, "link")),
        (copy, (10, "link")),
    ];
    for (sql, expect) in table {
        assert_eq!(after(sql).await, Some(expect), "{sql}");
    }
}

/// A record whose hashes are right, as a faulty writer would leave it.
#[tokio::test]
async fn aud_2_verify_finds_a_version_that_does_not_add_up() {
    let home = store().await;
    let last = records(&home.path()).pop().unwrap();
    for (what, version) in [(pinned(5, 1), 3), (pinned(5, 1), 5), (Transition::Searched { hits: 1, count: 1 }, 4)] {
        let forged = Record::link(10, Stream::Host, v(version), at(1), what, last.hash);
        let body =
            format!("{{\"at\":{},\"what\":{}}}", serde_json::to_string(&forged.at).unwrap(), serde_json::to_string(&forged.what).unwrap());
        let db = Connection::open(database(&home)).unwrap();
        let row = rusqlite::params![forged.version.0 as i64, body, forged.prev.to_string(), forged.hash.to_string()];
        db.execute("INSERT OR REPLACE INTO record VALUES (10, 'host', ?1, ?2, ?3, ?4)", row).unwrap();
        assert_eq!(broken(&home.path()), Some(Broken { seq: 10, fault: Fault::Version }));
    }
}

#[tokio::test]
async fn sto_1_verify_finds_a_state_that_is_not_the_fold_of_its_records() {
    let session_1 = "stream = 'session:s_00000000000000000000000000000001'";
    let edit = format!("UPDATE stream SET state = replace(state, '\"used\":0', '\"used\":9') WHERE {session_1}");
    let table = [
        (edit.as_str(), (8, "state")),
        ("UPDATE stream SET state = '{}' WHERE stream = 'principal:p'", (7, "state")),
        ("UPDATE stream SET state = state || ' ' WHERE stream = 'host'", (9, "state")),
        ("UPDATE stream SET version = version + 1 WHERE stream = 'host'", (9, "state")),
        ("UPDATE stream SET version = 0", (5, "state")),
        ("DELETE FROM stream WHERE stream = 'principal:p'", (7, "state")),
        ("INSERT INTO stream SELECT 'principal:q', version, state FROM stream WHERE stream = 'principal:p'", (0, "state")),
    ];
    for (sql, expect) in table {
        assert_eq!(after(sql).await, Some(expect), "{sql}");
    }
}

/// Every tenth byte of every record and of every state, one at a time.
#[tokio::test]
async fn aud_2_verify_finds_one_changed_byte_anywhere() {
    let home = store().await;
    let db = Connection::open(database(&home)).unwrap();
    for (table, column, found) in
        [("record", "body", 0..=9), ("record", "hash", 0..=9), ("record", "prev", 0..=9), ("stream", "state", 0..=9)]
    {
        let rows: Vec<(i64, String)> = {
            let mut statement = db.prepare(&format!("SELECT rowid, {column} FROM {table}")).unwrap();
            statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap().map(Result::unwrap).collect()
        };
        let put = |rowid: i64, text: &str| {
            assert_eq!(db.execute(&format!("UPDATE {table} SET {column} = ?1 WHERE rowid = ?2"), rusqlite::params![text, rowid]), Ok(1));
        };
        for (rowid, text) in rows {
            for place in (usize::try_from(rowid).unwrap()..text.len()).step_by(10) {
                let mut bytes = text.clone().into_bytes();
                bytes[place] = if bytes[place] == b'7' { b'8' } else { b'7' };
                put(rowid, std::str::from_utf8(&bytes).unwrap());
                let broken = broken(&home.path()).unwrap_or_else(|| panic!("{table}.{column} row {rowid} byte {place} went unseen"));
                assert!(found.contains(&broken.seq) && (table == "stream" || broken.seq == u64::try_from(rowid).unwrap()), "{broken}");
            }
            put(rowid, &text);
        }
    }
    drop(db);
    assert_eq!(verified(&home.path()), 9, "all put back");
}

#[tokio::test]
async fn aud_2_a_host_does_not_go_on_from_a_chain_without_its_end() {
    let home = store().await;
    Connection::open(database(&home)).unwrap().execute("DELETE FROM record WHERE seq = 9", []).unwrap();
    let error = SqliteLedger::open(&home.path()).err().expect("the store opened");
    assert!(
        matches!(error, StoreError::Damaged(_)) && error.to_string().ends_with("hint: `agent-host audit verify` says where"),
        "{error}"
    );
}

/// A state that was edited is never taken for an empty one, which would lift a stop.
#[tokio::test]
async fn sto_1_a_state_that_cant_be_read_is_refused_not_guessed() {
    let home = store().await;
    let db = Connection::open(database(&home)).unwrap();
    db.execute("UPDATE stream SET state = (SELECT state FROM stream WHERE stream = 'principal:p') WHERE stream = 'host'", []).unwrap();
    drop(db);
    let ledger = SqliteLedger::open(&home.path()).unwrap();
    assert!(ledger.load(&Stream::Host).await.is_err());
    assert!(ledger.commit(follow(Stream::Host, pinned(9, 1))).await.is_err());
    assert!(ledger.commit(follow(session(1), granted(9, 1))).await.is_ok(), "others are not hurt");
}
