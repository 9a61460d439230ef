//! A process that commits batches, killed at random instants: nothing acknowledged is lost, nothing is half there.
//!
//! Is not: a loss of power, which no test of this kind can play; synced writes answer for that. Clauses: STO-1, AUD-2.
//! Invariants: I-2, I-8.

use super::{Home, at, bounds, child, commit, granted, pinned, records, session, verified, write};
use crate::counts::crash_rounds;
use agent_core::session::Bound;
use agent_core::time::Entropy;
use agent_core::transition::{Record, Stream, Transition};
use agent_engine::ledger::{Guard, Ledger, Note};
use agent_host::store::SqliteLedger;
use agent_host::system::SystemEntropy;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Duration;

/// Sessions that commit at the same time, so that the writer groups.
const SESSIONS: u128 = 4;
/// Tools of a batch.
const TOOLS: usize = 3;
/// Kills of one store, before the next starts from nothing.
const KILLS_PER_STORE: u32 = 10;
/// How long a child may take to its first acknowledgement.
const PATIENCE: Duration = Duration::from_secs(60);

/// The process that is killed: commits until it is, and prints each batch once it was acknowledged.
#[test]
#[ignore = "started by the test below, to be killed"]
fn commits_until_killed() {
    let Some(folder) = child::folder() else { return };
    let ledger = Arc::new(SqliteLedger::open(&folder).unwrap());
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
    let tasks: Vec<_> = (0..SESSIONS).map(|number| runtime.spawn(commits(ledger.clone(), number))).collect();
    tasks.into_iter().for_each(|task| runtime.block_on(task).unwrap());
}

async fn commits(ledger: Arc<SqliteLedger>, number: u128) {
    let mut version = ledger.load(&session(number)).await.unwrap().version;
    loop {
        let batch = SystemEntropy.bits();
        let writes = vec![
            write(session(number), Guard::At(version), granted(batch, TOOLS)),
            write(Stream::Host, Guard::Follow, pinned(batch, TOOLS)),
        ];
        ledger.note(Note { at: at(1), stream: session(number), what: Transition::Searched { hits: 1, count: 1 } });
        version = ledger.commit(commit(writes)).await.unwrap()[0];
        println!("acknowledged {batch}");
    }
}

/// Runs the process above and kills it after a while, from its start or from its first acknowledgement. Returns what was
/// acknowledged.
fn kill_after(folder: &Path, micros: u64, from_start: bool) -> Vec<u128> {
    let mut process = child::spawn("ledger::crash::commits_until_killed", folder);
    let lines = child::lines(process.stdout.take().unwrap());
    let (sender, acknowledged) = channel();
    let reader = std::thread::spawn(move || {
        let numbers = lines.filter_map(|line| line.strip_prefix("acknowledged ")?.parse::<u128>().ok());
        numbers.for_each(|number| sender.send(number).unwrap());
    });
    let mut all = Vec::new();
    if !from_start {
        all.push(acknowledged.recv_timeout(PATIENCE).expect("nothing was acknowledged"));
    }
    std::thread::sleep(Duration::from_micros(micros));
    process.kill().unwrap();
    let status = process.wait().unwrap();
    assert!(status.code().is_none(), "ended by itself: {status}");
    reader.join().unwrap();
    all.extend(acknowledged.try_iter());
    all
}

/// The batches of a chain, each whole: its grants and its pins, one after the other.
fn batches(records: &[Record]) -> BTreeSet<u128> {
    let mut found = BTreeSet::new();
    let mut records = records.iter().filter(|record| record.what.advances());
    while let Some(first) = records.next() {
        let Transition::Granted { request, grants } = &first.what else { panic!("record {} has no grants before it", first.seq) };
        let second = records.next().unwrap_or_else(|| panic!("record {} has no pins after it", first.seq));
        let batch = u128::from_str_radix(request.to_string().trim_start_matches("r_"), 16).unwrap();
        let of_grants: Vec<Bound> = grants.iter().map(|grant| grant.bound.clone()).collect();
        assert_eq!(of_grants, bounds(batch, TOOLS));
        assert_eq!((second.seq, &second.what), (first.seq + 1, &pinned(batch, TOOLS)));
        assert!(found.insert(batch));
    }
    found
}

#[test]
fn sto_1_i_8_a_killed_process_loses_nothing_acknowledged_and_leaves_no_half_batch() {
    let (mut home, mut acknowledged, mut total) = (Home::new(), BTreeSet::new(), 0);
    for round in 0..crash_rounds() {
        if round % KILLS_PER_STORE == 0 {
            (home, acknowledged) = (Home::new(), BTreeSet::new());
        }
        let micros = (SystemEntropy.bits() % 60_000) as u64;
        let from_start = round % 4 == 3;
        let heard = kill_after(&home.path(), micros, from_start);
        total += heard.len();
        acknowledged.extend(heard);
        // A process killed before it made the store leaves none to read; opening it anew makes one.
        if from_start {
            drop(SqliteLedger::open(&home.path()).unwrap());
        }
        let records = records(&home.path());
        assert_eq!(verified(&home.path()), records.len() as u64);
        let kept = batches(&records);
        let lost: Vec<_> = acknowledged.difference(&kept).collect();
        assert!(lost.is_empty(), "round {round}: {lost:?} of {} were acknowledged and are lost", acknowledged.len());
    }
    assert!(total > crash_rounds() as usize, "{total} batches are too few to mean anything");
}
