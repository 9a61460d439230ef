//! Sessions: each one's cell, the only writer of its transitions, and the registry of all.
//!
//! Is: widening from grants alone, narrowing that takes effect first, the list of running calls, all under one lock. Is
//! not: a decision about what to widen or narrow. Clauses: ACT-2, SES-1, AUD-1, REV-2. Invariants: I-1, I-2, I-7, I-8.

mod rates;
mod registry;
mod told;

pub(crate) use rates::Rates;
pub use registry::{Presented, Registry};
pub use told::{Ear, Told};

use crate::grant::Grant;
use crate::ledger::{Book, CommitError, Entry, Folded, Journal, Stored};
use crate::sync::Mutex;
use agent_core::digest::Digest;
use agent_core::grant::GrantRecord;
use agent_core::id::ToolId;
use agent_core::outcome::End;
use agent_core::safety::echo;
use agent_core::session::{Asker, Bound, CallId, Listing, RequestId};
use agent_core::state::SessionState;
use agent_core::transition::{Stream, Transition, Version};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

/// One batch of grants, to be put in effect whole.
#[derive(Debug)]
pub struct Widening {
    request: RequestId,
    grants: Vec<Grant>,
}

impl Widening {
    /// A batch. Grants come from `grant::issue` alone.
    #[must_use]
    pub const fn new(request: RequestId, grants: Vec<Grant>) -> Self {
        Self { request, grants }
    }
}

/// How a start is recorded before its permit (AUD-1).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Starts {
    /// Durable before the permit is made.
    #[default]
    Durable,
    /// Handed over before the permit is made, durable soon after; a crash can lose the last ones.
    Buffered,
}

/// What a narrowing met.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Narrowed {
    /// What it took away.
    pub removed: Vec<ToolId>,
    /// Calls of those tools that had started and run on, or were cancelled as asked; each with its tool.
    pub running: Vec<(CallId, ToolId)>,
    /// Whether it is recorded; it is in effect either way.
    pub recorded: bool,
}

/// What a session's state does not say: what runs, and what is on its way.
#[derive(Default)]
pub(crate) struct Running {
    /// The calls that started and did not end, with what cancels each.
    calls: BTreeMap<CallId, (Bound, watch::Sender<bool>)>,
    /// The batches that were sent to the record and are not known to be in effect.
    flying: Vec<Vec<ToolId>>,
}

impl Running {
    /// Lists a call as running. Only `gate::permit` does, under the session's lock.
    // INVARIANT: I-7 a start is listed under the lock that a revoke takes
    pub(crate) fn list(&mut self, call: CallId, bound: Bound) -> watch::Receiver<bool> {
        let (sender, receiver) = watch::channel(false);
        self.calls.insert(call, (bound, sender));
        receiver
    }

    pub(crate) fn len(&self) -> usize {
        self.calls.len()
    }

    /// The calls of these tools, or all, each told to give up if asked.
    fn of(&self, ids: Option<&[ToolId]>, cancel: bool) -> Vec<(CallId, ToolId)> {
        let hit = self.calls.iter().filter(|(_, (bound, _))| ids.is_none_or(|ids| ids.contains(&bound.id)));
        hit.map(|(call, (bound, sender))| {
            if cancel {
                sender.send_replace(true);
            }
            (*call, bound.id.clone())
        })
        .collect()
    }
}

/// One session.
pub struct Cell {
    asker: Asker,
    book: Arc<Book<SessionState, Running>>,
    in_line: Mutex<InLine>,
    /// What its client was listed when it called last.
    listing: Mutex<Option<Listing>>,
    /// What its client calls itself, as it said last. It proves nothing.
    client: Mutex<Option<String>>,
    deciding: Arc<Semaphore>,
    hearing: told::Hearing,
    /// Whether an operator ended it, so that its client is still to be told.
    taken: AtomicBool,
}

/// The grants last found in line with a catalog and a policy, and by which version of the host. Only a saving: who asks
/// judges whatever is not in it.
#[derive(Default)]
pub(crate) struct InLine {
    pub(crate) under: Option<(u64, Digest)>,
    pub(crate) host: Version,
    pub(crate) grants: Vec<Arc<GrantRecord>>,
}

impl Cell {
    fn new(asker: Asker, stored: Stored) -> Arc<Self> {
        let stream = Stream::Session(asker.session);
        Arc::new(Self {
            book: Arc::new(Book::new(stream, stored, Running::default())),
            in_line: Mutex::new(InLine::default()),
            listing: Mutex::new(None),
            client: Mutex::new(None),
            deciding: Arc::new(Semaphore::new(1)),
            hearing: told::Hearing::default(),
            taken: AtomicBool::new(false),
            asker,
        })
    }

    /// Whose session it is.
    #[must_use]
    pub const fn asker(&self) -> &Asker {
        &self.asker
    }

    /// Its stream.
    #[must_use]
    pub const fn stream(&self) -> Stream {
        Stream::Session(self.asker.session)
    }

    /// The state in effect.
    #[must_use]
    pub fn state(&self) -> Arc<SessionState> {
        self.book.state()
    }

    /// Wakes whenever the state changed.
    #[must_use]
    pub fn listen(&self) -> watch::Receiver<u64> {
        self.book.listen()
    }

    /// What its client is listed, as it was served last. Nothing is decided by it.
    #[must_use]
    pub fn listing(&self) -> Option<Listing> {
        self.listing.with(|listing| *listing)
    }

    /// What its client calls itself, cut and made visible: a stranger's word, for people alone. In memory.
    #[must_use]
    pub fn client(&self) -> Option<String> {
        self.client.with(|client| client.clone())
    }

    /// Keeps what its client calls itself.
    pub fn introduced(&self, name: &str) {
        let name = echo(name);
        self.client.with(|client| {
            if client.as_ref() != Some(&name) {
                *client = Some(name);
            }
        });
    }

    /// The turn of one answer to what the session asks: of two at a time the first decides, and the other meets what that did.
    /// Nothing else waits for it. None never comes about: the turns are not closed.
    pub(crate) async fn turn(&self) -> Option<OwnedSemaphorePermit> {
        self.deciding.clone().acquire_owned().await.ok()
    }

    pub(crate) fn served(&self, listing: Listing) {
        self.listing.with(|last| *last = Some(listing));
    }

    /// Calls that run now.
    #[must_use]
    pub fn running(&self) -> Vec<CallId> {
        self.book.locked(|_, running| running.calls.keys().copied().collect())
    }

    /// Whether an operator ended it under its client.
    #[must_use]
    pub fn taken(&self) -> bool {
        self.taken.load(Ordering::SeqCst)
    }

    pub(crate) fn take(&self) {
        self.taken.store(true, Ordering::SeqCst);
    }

    /// The tools of a kind that it holds, is about to hold or runs calls of, each once.
    pub(crate) fn met(&self, which: impl Fn(&ToolId) -> bool) -> Vec<ToolId> {
        self.book.locked(|folded, running| {
            let held = folded.state().active.iter().map(|held| &held.grant.bound.id);
            let runs = running.calls.values().map(|(bound, _)| &bound.id);
            let mut met: Vec<ToolId> = Vec::new();
            for id in held.chain(running.flying.iter().flatten()).chain(runs).filter(|id| which(id)) {
                if !met.contains(id) {
                    met.push(id.clone());
                }
            }
            met
        })
    }

    /// What was found in line, for `carry` to read and to write.
    pub(crate) const fn in_line(&self) -> &Mutex<InLine> {
        &self.in_line
    }

    pub(crate) fn locked<R>(&self, run: impl FnOnce(&Folded<SessionState>, &mut Running) -> R) -> R {
        self.book.locked(run)
    }

    pub(crate) async fn mend(&self, journal: &Arc<Journal>) {
        if self.book.locked(|folded, _| folded.closed()) {
            journal.mend(self.book.clone()).await;
        }
    }

    /// Puts a batch in effect, if everything still stands where the plan saw it. Returns once it is published.
    // INVARIANT: I-2
    pub(crate) async fn widen(
        &self,
        sessions: &Registry,
        journal: &Arc<Journal>,
        at: Version,
        widening: Widening,
        seen: Vec<(Stream, Version)>,
        also: Vec<Entry>,
    ) -> Result<(), CommitError> {
        let grants: Vec<_> = widening.grants.into_iter().map(Grant::into_record).collect();
        let ids: Vec<_> = grants.iter().map(|grant| grant.bound.id.clone()).collect();
        sessions.departs(self, ids.clone());
        let granted = Transition::Granted { request: widening.request, grants };
        let mut entries = vec![Entry::at(self.book.clone(), at, granted)];
        entries.extend(also);
        let done = journal.commit(seen, entries).await;
        if let Some(version) = done.as_ref().ok().and_then(|versions| versions.first()) {
            self.folded(*version).await;
        }
        self.book.locked(|_, running| {
            let arrived = running.flying.iter().position(|batch| *batch == ids);
            arrived.map(|at| running.flying.swap_remove(at))
        });
        done.map(drop)
    }

    /// Records what neither widens nor narrows the set, or lifts a suspension, if the session still stands at `at`.
    pub(crate) async fn record(
        &self,
        journal: &Arc<Journal>,
        at: Version,
        what: Transition,
        seen: Vec<(Stream, Version)>,
    ) -> Result<(), CommitError> {
        journal.commit(seen, vec![Entry::at(self.book.clone(), at, what)]).await.map(drop)
    }

    /// Records the same wherever the session stands by then.
    pub(crate) async fn append(&self, journal: &Arc<Journal>, what: Transition) -> Result<(), CommitError> {
        journal.commit(Vec::new(), vec![Entry::follow(self.book.clone(), what)]).await.map(drop)
    }

    /// Narrows: in effect before it is recorded, and in effect even if it can't be.
    // INVARIANT: I-8
    pub(crate) async fn narrow(&self, journal: &Arc<Journal>, what: Transition, also: Vec<Entry>, cancel: bool) -> Narrowed {
        let named = named(&what);
        let (entry, mut narrowed) = self.narrow_now(journal, what, cancel);
        let token = entry.token();
        let mut entries = vec![entry];
        entries.extend(also);
        let done = journal.commit(Vec::new(), entries).await;
        narrowed.recorded = done.is_ok();
        if let Some(version) = done.ok().and_then(|versions| versions.first().copied()) {
            self.took(version, token, named.as_deref(), &mut narrowed).await;
        }
        narrowed
    }

    /// Says what a recorded narrowing took at its place in the ledger's order, where a grant may stand before it that was on its
    /// way when it took effect.
    pub(crate) async fn took(&self, version: Version, token: Option<u64>, named: Option<&[ToolId]>, narrowed: &mut Narrowed) {
        self.folded(version).await;
        if let Some(met) = self.locked(|folded, _| folded.met(token?).cloned()) {
            narrowed.removed = of(&met, named);
        }
    }

    /// Waits until what was acknowledged is folded with all that the ledger wrote before it, unless some of that is in doubt.
    async fn folded(&self, version: Version) {
        let mut changes = self.listen();
        while self.locked(|folded, _| folded.version() < version && !folded.closed()) && changes.changed().await.is_ok() {}
    }

    /// The part of a narrowing that takes effect at once, and the entry that must be committed after it.
    pub(crate) fn narrow_now(&self, journal: &Journal, what: Transition, cancel: bool) -> (Entry, Narrowed) {
        let named = named(&what);
        let (token, narrowed) = self.book.narrow(journal.now(), what.clone(), |folded, running| {
            let removed = of(folded.state(), named.as_deref());
            let running = running.of(named.as_deref(), cancel);
            Narrowed { removed, running, recorded: false }
        });
        (Entry::narrowed(self.book.clone(), what, token), narrowed)
    }

    /// Records a start before it happens: once it is durable, or once it is handed over where the operator chose so. For who runs
    /// to its end whoever stops waiting.
    pub(crate) async fn starting(&self, journal: &Arc<Journal>, what: Transition, starts: Starts) -> Result<(), CommitError> {
        if starts == Starts::Durable {
            return journal.commit_here(vec![Entry::follow(self.book.clone(), what)]).await.map(drop);
        }
        journal.note(self.stream(), what.clone());
        self.book.event(journal.now(), what, |_| ());
        Ok(())
    }

    /// A call ended, or never started. Never blocks.
    pub(crate) fn ended(&self, journal: &Journal, call: CallId, end: End) {
        let what = Transition::Ended { call, end };
        journal.note(self.stream(), what.clone());
        let at = journal.now();
        self.book.event(at, what, |running| drop(running.calls.remove(&call)));
    }
}

/// What a narrowing of these tools, or of all, takes from a session in this state.
fn of(state: &SessionState, named: Option<&[ToolId]>) -> Vec<ToolId> {
    let held = state.active.iter().map(|held| &held.grant.bound.id);
    held.filter(|id| named.is_none_or(|named| named.contains(id))).cloned().collect()
}

/// The tools a narrowing names; none where it takes all.
fn named(what: &Transition) -> Option<Vec<ToolId>> {
    match what {
        Transition::Deactivated { ids } | Transition::Revoked { ids, .. } | Transition::Expired { ids } | Transition::Replaced { ids } => {
            Some(ids.clone())
        }
        Transition::Closed { .. } => None,
        _ => Some(Vec::new()),
    }
}
