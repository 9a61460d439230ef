//! The ledgers: one contract for both, and what SQLite's owes beyond it.
//!
//! Is: the two under test, and values to give them. Clauses: AUD-1, AUD-2, STO-1, ACT-2.

mod child;
mod contract;
mod crash;
mod durable;
mod full;
mod script;
mod tamper;

use agent_core::digest::{Digest, Domain};
use agent_core::grant::GrantRecord;
use agent_core::id::ToolId;
use agent_core::request::Decider;
use agent_core::session::{Bound, PrincipalId, RequestId, SessionId, TokenId};
use agent_core::time::Instant;
use agent_core::token::{Token, TokenRecord};
use agent_core::transition::{Record, Stream, Transition, Version};
use agent_engine::ledger::{Commit, Guard, Ledger, MemoryLedger, Write};
use agent_host::store::SqliteLedger;
use agent_host::store::audit::{Audit, Filter};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tempfile::TempDir;

/// A ledger under test.
enum Under {
    Memory(Arc<MemoryLedger>),
    Sqlite(Home, Arc<SqliteLedger>),
}

/// A place for a state folder that the store makes itself.
struct Home(TempDir);

impl Home {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self) -> PathBuf {
        self.0.path().join("state")
    }
}

impl Under {
    fn both() -> [Self; 2] {
        let folder = Home::new();
        let sqlite = Arc::new(SqliteLedger::open(&folder.path()).unwrap());
        [Self::Memory(Arc::default()), Self::Sqlite(folder, sqlite)]
    }

    fn ledger(&self) -> Arc<dyn Ledger> {
        match self {
            Self::Memory(ledger) => ledger.clone(),
            Self::Sqlite(_, ledger) => ledger.clone(),
        }
    }

    /// The chain, with every note handed over before.
    async fn records(&self) -> Vec<Record> {
        self.ledger().streams().await.unwrap();
        match self {
            Self::Memory(ledger) => ledger.records(),
            Self::Sqlite(folder, _) => records(&folder.path()),
        }
    }
}

fn records(folder: &Path) -> Vec<Record> {
    show(folder, &Filter::default())
}

fn show(folder: &Path, filter: &Filter) -> Vec<Record> {
    let mut records = Vec::new();
    let each = |record: Result<Record, _>| {
        records.push(record.unwrap());
        ControlFlow::Continue(())
    };
    Audit::open(folder).unwrap().show(filter, each).unwrap();
    records
}

/// Whether the store is whole, and how many records it holds.
fn verified(folder: &Path) -> u64 {
    let report = Audit::open(folder).unwrap().verify().unwrap();
    assert_eq!(report.broken, None);
    report.records
}

fn at(wall: u64) -> Instant {
    Instant { wall, boot: wall, boot_id: 1 }
}

fn session(number: u128) -> Stream {
    Stream::Session(SessionId::new(number))
}

fn principal(name: &str) -> Stream {
    Stream::Principal(PrincipalId::parse(name).unwrap())
}

/// Definitions of `count` tools, all of the same tools for every batch.
fn bounds(batch: u128, count: usize) -> Vec<Bound> {
    let digest = Digest::of(Domain::Definition, &batch.to_be_bytes());
    (0..count).map(|tool| Bound { id: ToolId::parse(&format!("mcp:server/tool_{tool}")).unwrap(), digest }).collect()
}

fn granted(batch: u128, count: usize) -> Transition {
    let request = RequestId::new(batch);
    let by = Decider::Policy { policy: Digest::of(Domain::Policy, b"all") };
    let grant = |bound| GrantRecord { bound, request, by: by.clone(), end: Some(at(5000)), max_calls: None, preset: false };
    Transition::Granted { request, grants: bounds(batch, count).into_iter().map(grant).collect() }
}

fn pinned(batch: u128, count: usize) -> Transition {
    Transition::Pinned { bounds: bounds(batch, count) }
}

/// A token of that number, to its end.
fn token_made(number: u128, until: Instant) -> Transition {
    let token = TokenRecord {
        id: TokenId::new(number),
        principal: PrincipalId::parse("p").unwrap(),
        profile: None,
        digest: Token::new(number, number).digest(),
        url: false,
        note: None,
        made: at(1000),
        until: Some(until),
    };
    Transition::TokenMade { token: Arc::new(token), by: "operator".to_owned() }
}

fn resumed() -> Transition {
    Transition::Resumed { by: "operator".to_owned() }
}

fn write(stream: Stream, guard: Guard, what: Transition) -> Write {
    Write { stream, guard, what }
}

fn commit(writes: Vec<Write>) -> Commit {
    Commit { at: at(1000), seen: Vec::new(), writes }
}

fn follow(stream: Stream, what: Transition) -> Commit {
    commit(vec![write(stream, Guard::Follow, what)])
}

const fn v(version: u64) -> Version {
    Version(version)
}
