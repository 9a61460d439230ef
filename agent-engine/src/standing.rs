//! What stands above sessions: the host's stop, pins and tokens, each principal's denials and standing approvals.
//!
//! Is not: a decision; `authority` and `gate` are given these states as values. Clauses: AUTH-6, CAT-7,
//! POL-4, REV-4.
//! Invariants: I-7, I-8.

use crate::ledger::{Book, CommitError, Entry, Journal, Stored};
use agent_core::limits::PLANS;
use agent_core::session::{Bound, PrincipalId};
use agent_core::state::{HostState, Kept, PrincipalState};
use agent_core::transition::{Stream, Transition, Version};
use parking_lot::RwLock;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A stream's state, the version a plan is made against, and whether it is closed.
pub(crate) struct At<S> {
    pub(crate) state: Arc<S>,
    pub(crate) version: Version,
    pub(crate) closed: bool,
}

fn at<S: Kept>(book: &Book<S>) -> At<S> {
    book.locked(|folded, ()| At { state: folded.state().clone(), version: folded.version(), closed: folded.closed() })
}

/// The host's and the principals' streams.
pub(crate) struct Standing {
    host: Arc<Book<HostState>>,
    principals: RwLock<BTreeMap<PrincipalId, Arc<Book<PrincipalState>>>>,
}

impl Standing {
    /// The host's stream as the ledger keeps it. Principals come when they open a session.
    pub(crate) async fn load(journal: &Journal) -> Result<Self, CommitError> {
        let host = Book::new(Stream::Host, journal.load(&Stream::Host).await?, ());
        Ok(Self { host: Arc::new(host), principals: RwLock::default() })
    }

    /// Loads a principal's stream, once.
    pub(crate) async fn admit(&self, journal: &Journal, principal: &PrincipalId) -> Result<(), CommitError> {
        if !self.principals.read().contains_key(principal) {
            let stream = Stream::Principal(principal.clone());
            let book = Arc::new(Book::new(stream.clone(), journal.load(&stream).await?, ()));
            self.principals.write().entry(principal.clone()).or_insert(book);
        }
        Ok(())
    }

    pub(crate) fn host(&self) -> At<HostState> {
        at(&self.host)
    }

    pub(crate) fn principal(&self, principal: &PrincipalId) -> At<PrincipalState> {
        at(&self.book(principal))
    }

    /// Narrows a principal's state, in effect at once; the entry must be committed.
    pub(crate) fn narrow_principal(&self, journal: &Journal, principal: &PrincipalId, what: Transition) -> Entry {
        let book = self.book(principal);
        let (token, ()) = book.narrow(journal.now(), what.clone(), |_, ()| ());
        Entry::narrowed(book, what, token)
    }

    /// Narrows the host's state, in effect at once; the entry must be committed.
    pub(crate) fn narrow(&self, journal: &Journal, what: Transition) -> Entry {
        let (token, ()) = self.host.narrow(journal.now(), what.clone(), |_, ()| ());
        Entry::narrowed(self.host.clone(), what, token)
    }

    /// Changes the host's stream, recorded before it is in effect and planned anew while others change it; false where the
    /// plan finds nothing to do.
    pub(crate) async fn change(
        &self,
        journal: &Arc<Journal>,
        plan: impl Fn(&HostState) -> Option<Transition>,
    ) -> Result<bool, CommitError> {
        self.mend_host(journal).await;
        for _ in 0..PLANS {
            let host = self.host();
            let Some(what) = plan(&host.state) else { return Ok(false) };
            match journal.commit(Vec::new(), vec![Entry::at(self.host.clone(), host.version, what)]).await {
                Err(CommitError::Conflict(..)) => {}
                done => return done.map(|_| true),
            }
        }
        Err(CommitError::Refused("the host's state changed too often meanwhile".to_owned()))
    }

    /// Accepts definitions, in the commit it is added to.
    pub(crate) fn pin(&self, at: Version, bounds: Vec<Bound>) -> Entry {
        Entry::at(self.host.clone(), at, Transition::Pinned { bounds })
    }

    /// A change of a principal's stream that is recorded before it is in effect.
    pub(crate) fn principal_entry(&self, principal: &PrincipalId, at: Version, what: Transition) -> Entry {
        Entry::at(self.book(principal), at, what)
    }

    /// Every principal there is a word of, and its state. Principals that opened no session yet are read and not kept.
    pub(crate) async fn everybody(&self, journal: &Journal) -> Result<BTreeMap<PrincipalId, Arc<PrincipalState>>, CommitError> {
        let mut found = BTreeMap::new();
        for stream in journal.streams().await? {
            let Stream::Principal(principal) = stream else { continue };
            let state = self.seen(journal, &principal).await?;
            found.insert(principal, state);
        }
        Ok(found)
    }

    /// A principal's state for whoever only looks: nothing of it is kept here.
    pub(crate) async fn seen(&self, journal: &Journal, principal: &PrincipalId) -> Result<Arc<PrincipalState>, CommitError> {
        let book = self.principals.read().get(principal).cloned();
        match book {
            Some(book) => Ok(book.state()),
            None => {
                let stored = journal.load(&Stream::Principal(principal.clone())).await?;
                Ok(Arc::new(PrincipalState::take(stored.state).unwrap_or_default()))
            }
        }
    }

    pub(crate) async fn mend_host(&self, journal: &Arc<Journal>) {
        if self.host().closed {
            journal.mend(self.host.clone()).await;
        }
    }

    /// Ends the closure of the streams that a session's calls and widenings rest on, if it can.
    pub(crate) async fn mend(&self, journal: &Arc<Journal>, principal: &PrincipalId) {
        self.mend_host(journal).await;
        let book = self.book(principal);
        if book.locked(|folded, ()| folded.closed()) {
            journal.mend(book).await;
        }
    }

    fn book(&self, principal: &PrincipalId) -> Arc<Book<PrincipalState>> {
        if let Some(book) = self.principals.read().get(principal) {
            return book.clone();
        }
        let stream = Stream::Principal(principal.clone());
        let book = Arc::new(Book::new(stream.clone(), Stored::empty(&stream), ()));
        self.principals.write().entry(principal.clone()).or_insert(book).clone()
    }
}
