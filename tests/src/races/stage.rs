//! A session's cell and its ledger, and the steps that journal, gate and session take with them.
//!
//! Is not: shipped code. Each step names what it follows; where that changes, this does.

use super::Stored;
use super::book::{Book, Follow};
use agent_core::digest::{Digest, Domain};
use agent_core::grant::GrantRecord;
use agent_core::id::ToolId;
use agent_core::outcome::End;
use agent_core::request::Decider;
use agent_core::session::{Asker, Bound, CallId, PrincipalId, RequestId, SessionId};
use agent_core::state::{SessionState, State};
use agent_core::time::Instant;
use agent_core::transition::{Stream, Transition, Version};
use agent_engine::ledger::{Commit, CommitError, Guard, Ledger, MemoryLedger, Note, Write};
use std::collections::{BTreeMap, BTreeSet};
use std::future::Future;
use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

/// One instant for all, so that states are equal whatever the order.
const NOW: Instant = Instant { wall: 1_000, boot: 10, boot_id: 1 };
const STREAM: Stream = Stream::Session(SessionId::new(1));

/// What becomes of a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    Kept,
    Refused,
    Unknown { written: bool },
}

/// The calls that were let start, as `session::Running` lists them.
pub(super) type Calls = BTreeMap<CallId, ToolId>;

/// One session. The plain locks in here are never held while another thread can run.
pub(super) struct Stage {
    pub(super) book: Book<SessionState, Calls>,
    ledger: MemoryLedger,
    /// What was taken away and is not granted anew.
    gone: Mutex<BTreeSet<ToolId>>,
    /// How many commits came back unknown, and how many of them had when the last reading began; under the cell's lock.
    unknown: AtomicUsize,
    answered: AtomicUsize,
}

impl Stage {
    /// A session that holds these tools.
    pub(super) fn new(held: &[&str]) -> Arc<Self> {
        let ledger = MemoryLedger::default();
        let asker = Asker { session: SessionId::new(1), principal: PrincipalId::parse("p").unwrap(), profile: None };
        write(&ledger, Guard::Follow, Transition::Opened { asker, key: None, credential: None }).unwrap();
        for name in held {
            write(&ledger, Guard::Follow, granted(name)).unwrap();
        }
        let book = Book::new(STREAM, ready(ledger.load(&STREAM)).unwrap(), Calls::new());
        Arc::new(Self { book, ledger, gone: Mutex::default(), unknown: AtomicUsize::new(0), answered: AtomicUsize::new(0) })
    }

    pub(super) fn version(&self) -> Version {
        self.book.locked(|folded, _| folded.version())
    }

    pub(super) fn closed(&self) -> bool {
        self.book.locked(|folded, _| folded.closed())
    }

    /// The calls of a tool that run.
    pub(super) fn running(&self, name: &str) -> Vec<CallId> {
        self.book.locked(|_, calls| of(calls, &tool(name)))
    }

    /// `Journal::run` with one entry: sent off, decided, folded and landed in one lock.
    pub(super) fn commit(&self, guard: Guard, what: Transition, token: Option<u64>, fate: Fate) -> Result<Version, CommitError> {
        self.flies();
        let result = match fate {
            Fate::Kept => write(&self.ledger, guard, what.clone()),
            Fate::Refused => Err(CommitError::Refused("full".to_owned())),
            Fate::Unknown { written } => match written.then(|| write(&self.ledger, guard, what.clone())) {
                Some(Err(conflict)) => Err(conflict),
                _ => Err(CommitError::Unknown("lost".to_owned())),
            },
        };
        self.lands(&result, what, token);
        result
    }

    pub(super) fn flies(&self) {
        self.book.change(&mut |fold| fold.flies());
    }

    /// A write that the ledger took, and that nobody was told of yet.
    pub(super) fn written(&self, guard: Guard, what: Transition) -> Result<Version, CommitError> {
        write(&self.ledger, guard, what)
    }

    pub(super) fn lands(&self, result: &Result<Version, CommitError>, what: Transition, token: Option<u64>) {
        let unknown = matches!(result, Err(CommitError::Unknown(_)));
        self.book.change(&mut |fold| {
            match (result, token) {
                (Ok(version), token) => fold.committed(*version, NOW, what.clone(), token),
                (Err(_), Some(token)) => fold.unrecorded(token),
                (Err(_), None) => {}
            }
            fold.landed(unknown);
            self.unknown.fetch_add(usize::from(unknown), Ordering::SeqCst);
        });
    }

    /// `Cell::widen` with its plan: not while the cell is closed, and anew after a conflict.
    pub(super) fn widen(&self, name: &str) {
        loop {
            let plan = self.book.locked(|folded, _| (!folded.closed()).then(|| folded.version()));
            if plan.is_some_and(|version| self.commit(Guard::At(version), granted(name), None, Fate::Kept).is_ok()) {
                return;
            }
            shuttle::thread::yield_now();
        }
    }

    /// `Cell::narrow_now`: in effect at once. Gives the token and the calls it met.
    pub(super) fn narrow(&self, name: &str) -> (u64, Vec<CallId>) {
        let id = tool(name);
        self.book.narrow(NOW, revoked(name), |_, calls| {
            self.gone.lock().unwrap().insert(id.clone());
            of(calls, &id)
        })
    }

    /// `Calls::start` up to the gate's second answer: recorded, then let start under the lock or not. `look` sees which,
    /// under the lock.
    pub(super) fn start(&self, call: u128, name: &str, fate: Fate, look: impl FnOnce(bool)) -> bool {
        let (call, bound, request) = (CallId::new(call), bound(name), request(name));
        let arguments = Digest::of(Domain::Arguments, b"{}");
        let starting = Transition::Starting { call, bound: bound.clone(), request, arguments };
        let recorded = self.commit(Guard::Follow, starting, None, fate).is_ok();
        let listed = recorded
            && self.book.locked(|folded, calls| {
                let may = !folded.closed() && folded.state().held(&bound.id).is_some();
                assert!(!may || !self.doubted(), "a call starts in doubt");
                look(may);
                may && calls.insert(call, bound.id).is_none()
            });
        if !listed {
            self.ended(call, End::NotStarted);
        }
        listed
    }

    /// `Cell::ended`.
    pub(super) fn ended(&self, call: CallId, end: End) {
        let what = Transition::Ended { call, end };
        self.ledger.note(Note { at: NOW, stream: STREAM, what: what.clone() });
        self.book.event(NOW, what, |calls| drop(calls.remove(&call)));
    }

    /// `Journal::mend`, where the cell is closed: reads the stream anew if it can, then records what is owed.
    pub(super) fn mend(&self, readable: bool) {
        if !self.closed() {
            return;
        }
        let mut reading = None;
        self.book.change(&mut |fold| reading = fold.rereads().then(|| self.unknown.load(Ordering::SeqCst)));
        if let Some(unknown) = reading {
            let mut stored: Option<Stored> = readable.then(|| ready(self.ledger.load(&STREAM)).unwrap());
            self.book.change(&mut |fold| {
                self.answered.fetch_max(if stored.is_some() { unknown } else { 0 }, Ordering::SeqCst);
                fold.reread(stored.take());
            });
        }
        let mut owed = Vec::new();
        self.book.change(&mut |fold| owed = fold.failed());
        for (token, _, what) in owed {
            self.commit(Guard::Follow, what, Some(token), Fate::Kept).unwrap();
        }
    }

    /// Whether a commit came back unknown that no reading has answered.
    fn doubted(&self) -> bool {
        self.unknown.load(Ordering::SeqCst) > self.answered.load(Ordering::SeqCst)
    }

    /// Nothing that was taken away is held.
    pub(super) fn nothing_came_back(&self) {
        self.book.locked(|folded, _| {
            let gone = self.gone.lock().unwrap();
            let back: Vec<_> = gone.iter().filter(|id| folded.state().held(id).is_some()).collect();
            assert!(back.is_empty(), "{back:?} came back");
        });
    }

    /// Once everything has landed, what is in effect is what the ledger holds, and the cell is open.
    pub(super) fn is_as_recorded(&self) {
        let stored = ready(self.ledger.load(&STREAM)).unwrap();
        self.book.locked(|folded, _| {
            let state = State::Session(Box::new(folded.state().as_ref().clone()));
            assert_eq!((folded.version(), state), (stored.version, stored.state));
            assert!(!folded.closed());
        });
    }
}

pub(super) fn tool(name: &str) -> ToolId {
    ToolId::parse(&format!("mcp:s/{name}")).unwrap()
}

fn bound(name: &str) -> Bound {
    Bound { id: tool(name), digest: Digest::of(Domain::Definition, name.as_bytes()) }
}

fn request(name: &str) -> RequestId {
    RequestId::new(u128::from(bound(name).digest.bytes()[0]))
}

/// A batch of one.
pub(super) fn granted(name: &str) -> Transition {
    let by = Decider::Policy { policy: Digest::of(Domain::Policy, b"") };
    let grant = GrantRecord { bound: bound(name), request: request(name), by, end: None, max_calls: None, preset: false };
    Transition::Granted { request: grant.request, grants: vec![grant] }
}

pub(super) fn revoked(name: &str) -> Transition {
    Transition::Revoked { ids: vec![tool(name)], by: "operator".to_owned() }
}

fn of(calls: &Calls, id: &ToolId) -> Vec<CallId> {
    calls.iter().filter(|(_, tool)| *tool == id).map(|(call, _)| *call).collect()
}

fn write(ledger: &MemoryLedger, guard: Guard, what: Transition) -> Result<Version, CommitError> {
    let commit = Commit { at: NOW, seen: Vec::new(), writes: vec![Write { stream: STREAM, guard, what }] };
    ready(ledger.commit(commit)).map(|versions| versions[0])
}

/// What a future gives that never waits, as those of a ledger in memory don't.
fn ready<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("a ledger in memory waited"),
    }
}
