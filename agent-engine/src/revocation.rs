//! Every way to narrow from outside: one grant, one id everywhere, a session, a principal, a server, everything.
//!
//! Is: in effect before it is acknowledged. Is not: able to widen, but for lifting a stop, which is recorded first.
//! Clauses: REV-1, REV-2, REV-4, ACT-7, AUD-1. Invariants: I-7, I-8.

use crate::ledger::{CommitError, Journal};
use crate::session::{Cell, Narrowed, Registry};
use crate::view::Views;
use agent_core::id::{Alias, ToolId};
use agent_core::session::{Asker, PrincipalId, SessionId};
use agent_core::state::HostState;
use agent_core::transition::Transition;
use std::sync::Arc;

/// What an operator takes back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// One tool of one session.
    Grant(SessionId, ToolId),
    /// One tool of every session.
    Everywhere(ToolId),
    /// Everything of one session, presets too.
    Session(SessionId),
    /// Everything of every session of a principal, presets too.
    Principal(PrincipalId),
    /// Every tool of a server, of every session, presets too.
    Server(Alias),
}

impl Scope {
    /// Whether it is about a session at all.
    fn meets(&self, asker: &Asker) -> bool {
        match self {
            Self::Grant(session, _) | Self::Session(session) => asker.session == *session,
            Self::Principal(principal) => asker.principal == *principal,
            Self::Everywhere(_) | Self::Server(_) => true,
        }
    }

    /// Whether it takes a tool of a session that it is about.
    fn takes(&self, id: &ToolId) -> bool {
        match self {
            Self::Grant(_, tool) | Self::Everywhere(tool) => id == tool,
            Self::Session(_) | Self::Principal(_) => true,
            Self::Server(alias) => id.is_of(alias),
        }
    }
}

/// What was taken back of one session.
pub struct Revoked {
    /// The session.
    pub cell: Arc<Cell>,
    /// The version of its set since then.
    pub set: u64,
    /// What it met; nothing removed where the session didn't hold it.
    pub narrowed: Narrowed,
}

/// The narrowing hand.
pub struct Revocation {
    views: Arc<Views>,
    journal: Arc<Journal>,
    sessions: Arc<Registry>,
}

impl Revocation {
    pub(crate) const fn new(views: Arc<Views>, journal: Arc<Journal>, sessions: Arc<Registry>) -> Self {
        Self { views, journal, sessions }
    }

    /// Takes back, of all that the scope is about at one instant: what is held, and what is on its way to the record. Once it
    /// returns, no call of that starts; running ones are named, and cancelled if asked. It is no rule: what is asked for after
    /// is judged by the policy, as before. A session that isn't there, or had nothing of a wider scope, is not in the answer.
    pub async fn revoke(&self, scope: &Scope, by: &str, cancel: bool) -> Vec<Revoked> {
        let (mut entries, mut tokens) = (Vec::new(), Vec::new());
        let mut revoked = self.sessions.sweep(|cell| {
            let named = match scope {
                _ if !scope.meets(cell.asker()) => return None,
                Scope::Grant(_, id) => vec![id.clone()],
                _ => cell.met(|id| scope.takes(id)),
            };
            if named.is_empty() {
                return None;
            }
            let what = Transition::Revoked { ids: named.clone(), by: by.to_owned() };
            let (entry, narrowed) = cell.narrow_now(&self.journal, what, cancel);
            tokens.push((entry.token(), named));
            entries.push(entry);
            Some(Revoked { cell: cell.clone(), set: cell.state().set, narrowed })
        });
        if !entries.is_empty() {
            let versions = self.journal.commit(Vec::new(), entries).await.unwrap_or_default();
            for ((revoked, version), (token, named)) in revoked.iter_mut().zip(versions).zip(tokens) {
                revoked.narrowed.recorded = true;
                revoked.cell.took(version, token, Some(&named), &mut revoked.narrowed).await;
                revoked.set = revoked.cell.state().set;
            }
        }
        revoked
    }

    /// A session gives tools up; running calls run on.
    pub async fn deactivate(&self, cell: &Cell, ids: Vec<ToolId>) -> Narrowed {
        cell.narrow(&self.journal, Transition::Deactivated { ids }, Vec::new(), false).await
    }

    /// Ends a session with everything it held.
    pub async fn close(&self, cell: &Cell, by: &str) -> Narrowed {
        let narrowed = cell.narrow(&self.journal, Transition::Closed { by: by.to_owned() }, Vec::new(), true).await;
        self.forget(cell);
        narrowed
    }

    /// Ends a session under its client, as an operator: with all that it holds, what it asks for and what it runs.
    pub async fn end(&self, cell: &Cell, by: &str) -> Narrowed {
        cell.take();
        self.close(cell, by).await
    }

    /// Forgets a session that ended and of which nothing is left to record.
    pub(crate) fn forget(&self, cell: &Cell) {
        if cell.locked(|folded, _| folded.state().ended && !folded.closed()) {
            self.sessions.forget(cell.asker().session);
        }
    }

    /// Stops every activation and start. Returns whether it is recorded; it is in effect either way.
    // INVARIANT: I-7 every session's lock is taken once before the acknowledgement
    pub async fn stop(&self, by: &str) -> bool {
        let entry = self.views.standing.narrow(&self.journal, Transition::Stopped { by: by.to_owned(), since: Some(self.journal.now()) });
        self.barrier();
        self.journal.commit(Vec::new(), vec![entry]).await.is_ok()
    }

    /// Lifts the stop, recorded first.
    ///
    /// # Errors
    /// [`CommitError`] where it could not be recorded; the stop stands then.
    pub async fn resume(&self, by: &str) -> Result<(), CommitError> {
        let resumed = |_: &HostState| Some(Transition::Resumed { by: by.to_owned() });
        self.views.standing.change(&self.journal, resumed).await.map(drop)
    }

    /// Takes every session's lock once, so that no permit made under what held before is still to come (POL-2).
    pub(crate) fn barrier(&self) {
        self.sessions.all().iter().for_each(|cell| cell.locked(|_, _| ()));
    }
}

#[cfg(test)]
mod tests;
