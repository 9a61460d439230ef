#![allow(clippy::unwrap_used, clippy::indexing_slicing)]
use super::super::audit::Audit;
use super::super::folder::Folder;
use super::super::schema;
use super::*;
use agent_core::time::Instant as At;
use agent_core::transition::Transition;
use agent_engine::ledger::{Guard, Write};
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use tokio::sync::oneshot::channel;

/// A writer without a thread, on a folder of its own.
fn writer() -> (TempDir, Writer) {
    let home = tempfile::tempdir().unwrap();
    let writer = another(&home);
    (home, writer)
}

fn folder(home: &TempDir) -> PathBuf {
    home.path().join("state")
}

fn another(home: &TempDir) -> Writer {
    let database = Folder::open(&folder(home)).unwrap().database().unwrap();
    Writer::new(Chain::new(schema::open(&database).unwrap()).unwrap(), Arc::default())
}

fn at() -> At {
    At { wall: 1, boot: 1, boot_id: 1 }
}

fn stopped(by: &str) -> Commit {
    let what = Transition::Stopped { by: by.to_owned(), since: None };
    Commit { at: at(), seen: Vec::new(), writes: vec![Write { stream: Stream::Host, guard: Guard::Follow, what }] }
}

fn note(hits: usize) -> Request {
    Request::Note(Note { at: at(), stream: Stream::Host, what: Transition::Searched { hits, count: 1 } })
}

/// What a round of commits is answered.
fn round(writer: &mut Writer, commits: Vec<Commit>) -> Vec<Versions> {
    let (replies, answers): (Vec<_>, Vec<_>) = commits.iter().map(|_| channel()).unzip();
    let requests = commits.into_iter().zip(replies).map(|(commit, reply)| Request::Commit(commit, reply));
    assert!(writer.serve(requests.collect()));
    answers.into_iter().map(|mut answer| answer.try_recv().unwrap()).collect()
}

fn one(writer: &mut Writer, by: &str) -> Versions {
    round(writer, vec![stopped(by)]).remove(0)
}

/// Leaves room for so many more pages; none for all there is.
fn room(writer: &Writer, pages: Option<i64>) {
    let count: i64 = writer.chain.db.pragma_query_value(None, "page_count", |row| row.get(0)).unwrap();
    let limit = pages.map_or(i64::from(u32::MAX) - 1, |pages| count + pages);
    writer.chain.db.pragma_update_and_check(None, "max_page_count", limit, |_| Ok(())).unwrap();
}

fn verified(folder: &Path) -> u64 {
    let report = Audit::open(folder).unwrap().verify().unwrap();
    assert_eq!(report.broken, None);
    report.records
}

#[test]
fn sto_1_a_round_is_one_transaction_and_a_conflict_hurts_no_other() {
    let (home, mut writer) = writer();
    one(&mut writer, "first").unwrap();
    let before = writer.chain.db.total_changes();
    let late = Commit { seen: vec![(Stream::Host, Version(1))], ..stopped("late") };
    let commits = vec![stopped("a"), stopped("b"), late, stopped("c")];
    let conflict = Err(CommitError::Conflict(Stream::Host, Version(3)));
    let expect = [Ok(vec![Version(2)]), Ok(vec![Version(3)]), conflict, Ok(vec![Version(4)])];
    assert_eq!(round(&mut writer, commits), expect);
    assert_eq!(writer.chain.db.total_changes() - before, 5, "three records, one state, one head");
    assert_eq!(verified(&folder(&home)), 4);
}

#[test]
fn i_2_what_failed_is_rolled_back_whole() {
    let (home, mut writer) = writer();
    let what = Transition::Stopped { by: "operator".to_owned(), since: None };
    let failed = writer.chain.transact(|draft| {
        draft.write(at(), &Stream::Host, &what)?;
        Err::<(), _>("no more".to_owned())
    });
    assert_eq!(failed.err().unwrap().error, CommitError::Refused("no more".to_owned()));
    assert_eq!(verified(&folder(&home)), 0);
    assert_eq!(one(&mut writer, "first"), Ok(vec![Version(1)]));
    assert_eq!(verified(&folder(&home)), 1);
}

#[test]
fn aud_1_a_note_on_a_stream_that_cant_be_read_holds_up_nothing() {
    let (home, mut writer) = writer();
    one(&mut writer, "first").unwrap();
    writer.chain.db.execute("INSERT INTO stream VALUES ('principal:p', 1, '{}')", []).unwrap();
    writer.queued.store(1, Ordering::Relaxed);
    let stream = Stream::try_from("principal:p".to_owned()).unwrap();
    assert!(writer.serve(vec![Request::Note(Note { at: at(), stream, what: Transition::Searched { hits: 1, count: 1 } })]));
    assert_eq!(one(&mut writer, "second"), Ok(vec![Version(2)]));
    assert!(writer.notes.is_empty());
    assert_eq!(Audit::open(&folder(&home)).unwrap().verify().unwrap().records, 2);
}

#[test]
fn attack_72_a_full_disk_refuses_and_leaves_nothing() {
    let (home, mut writer) = writer();
    let marker = Folder::open(&folder(&home)).unwrap().marker().unwrap();
    room(&writer, Some(0));
    let wide = "x".repeat(1000);
    let kept = (0..1000).take_while(|_| one(&mut writer, &wide).is_ok()).count() as u64;
    assert!(kept < 1000, "the disk was never full");
    let full = one(&mut writer, &wide);
    assert!(matches!(&full, Err(CommitError::Refused(why)) if why.contains("full")), "{full:?}");
    assert!(!writer.chain.doubt, "that nothing was written is certain");
    assert_eq!(verified(&folder(&home)), kept);
    assert!(marker.set(true) && marker.raised());

    room(&writer, None);
    assert_eq!(one(&mut writer, &wide), Ok(vec![Version(kept + 1)]));
    assert_eq!(verified(&folder(&home)), kept + 1);
}

#[test]
fn sto_1_a_commit_too_big_for_the_disk_hurts_no_other() {
    let (home, mut writer) = writer();
    one(&mut writer, "first").unwrap();
    room(&writer, Some(4));
    let answers = round(&mut writer, vec![stopped("a"), stopped(&"x".repeat(100_000)), stopped("b")]);
    assert_eq!(answers[0], Ok(vec![Version(2)]));
    assert!(matches!(answers[1], Err(CommitError::Refused(_))), "{:?}", answers[1]);
    assert_eq!(answers[2], Ok(vec![Version(3)]));
    assert_eq!(verified(&folder(&home)), 3);
}

#[test]
fn aud_1_notes_wait_for_room_and_are_not_lost() {
    let (home, mut writer) = writer();
    writer.queued.store(3, Ordering::Relaxed);
    assert!(writer.serve(vec![note(1), note(2)]));
    assert_eq!(verified(&folder(&home)), 0, "they ride in the next transaction");
    room(&writer, Some(0));
    let wide = "x".repeat(1000);
    let kept = (0..1000).take_while(|_| one(&mut writer, &wide).is_ok()).count() as u64;
    assert_eq!(verified(&folder(&home)), kept + 2);
    // Longer than any room that is left: the disk is full for notes too.
    let refusal = Transition::Refused { code: "x".repeat(5000), about: String::new(), count: 1 };
    assert!(writer.serve(vec![Request::Note(Note { at: at(), stream: Stream::Host, what: refusal })]));
    assert!(one(&mut writer, &wide).is_err());
    assert_eq!((verified(&folder(&home)), writer.notes.len()), (kept + 2, 1));
    room(&writer, None);
    one(&mut writer, "after").unwrap();
    assert_eq!((verified(&folder(&home)), writer.notes.len()), (kept + 4, 0));
    assert_eq!(writer.queued.load(Ordering::Relaxed), 0);
}

#[test]
fn aud_1_a_trickle_of_notes_does_not_put_off_their_writing() {
    let (home, mut writer) = writer();
    writer.queued.store(2, Ordering::Relaxed);
    assert!(writer.serve(vec![note(1)]));
    writer.due = Some(Instant::now());
    assert!(writer.serve(vec![note(2)]));
    assert_eq!(verified(&folder(&home)), 2);
}

#[test]
fn i_10_after_an_unknown_outcome_the_file_is_read_anew() {
    let (home, mut writer) = writer();
    one(&mut writer, "first").unwrap();
    // As if a COMMIT of ours had failed and was written all the same.
    one(&mut another(&home), "unheard of").unwrap();
    writer.chain.doubt = true;
    let (reply, mut answer) = channel();
    assert!(writer.serve(vec![Request::Load(Stream::Host, reply)]));
    assert_eq!(answer.try_recv().unwrap().unwrap().version, Version(2));
    let settled: i64 = writer.chain.db.query_row("SELECT settled FROM head", [], |row| row.get(0)).unwrap();
    assert_eq!(settled, 1, "something was written over what had failed");
    assert_eq!(one(&mut writer, "next"), Ok(vec![Version(3)]));
    assert_eq!(verified(&folder(&home)), 3);
}

#[test]
fn i_8_a_file_locked_by_another_program_refuses() {
    let (home, mut writer) = writer();
    writer.chain.db.busy_timeout(Duration::ZERO).unwrap();
    let other = another(&home);
    other.chain.db.execute_batch("BEGIN IMMEDIATE").unwrap();
    assert!(matches!(one(&mut writer, "first"), Err(CommitError::Refused(_))));
    other.chain.db.execute_batch("ROLLBACK").unwrap();
    assert_eq!(one(&mut writer, "first"), Ok(vec![Version(1)]));
}
