//! Every way to narrow from outside: one grant, one id everywhere, a session, everything.
//!
//! Is: in effect before it is acknowledged. Is not: able to widen, but for lifting a stop, which is recorded first.
//! Clauses: REV-1, REV-2, REV-4, ACT-7, AUD-1. Invariants: I-7, I-8.

use crate::ledger::{CommitError, Journal};
use crate::session::{Cell, Narrowed, Registry};
use crate::view::Views;
use agent_core::id::ToolId;
use agent_core::session::SessionId;
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
}

/// What was taken back of one session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revoked {
    /// The session.
    pub session: SessionId,
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

    /// Takes back. Once it returns, no call of what was removed starts; running ones are named, and cancelled if asked.
    /// A session that isn't there, or held nothing of a wider scope, is not in the answer.
    pub async fn revoke(&self, scope: &Scope, by: &str, cancel: bool) -> Vec<Revoked> {
        let cells = match scope {
            Scope::Grant(session, _) | Scope::Session(session) => self.sessions.find(*session).into_iter().collect(),
            Scope::Everywhere(_) => self.sessions.all(),
        };
        let mut revoked = Vec::new();
        for cell in cells {
            let held: Vec<_> = cell.state().active.iter().map(|held| held.grant.bound.id.clone()).collect();
            let ids = match scope {
                Scope::Grant(_, id) => vec![id.clone()],
                Scope::Everywhere(id) => held.into_iter().filter(|held| held == id).collect(),
                Scope::Session(_) => held,
            };
            if !ids.is_empty() {
                let what = Transition::Revoked { ids, by: by.to_owned() };
                let narrowed = cell.narrow(&self.journal, what, Vec::new(), cancel).await;
                revoked.push(Revoked { session: cell.asker().session, narrowed });
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

    /// Forgets a session that ended and of which nothing is left to record.
    pub(crate) fn forget(&self, cell: &Cell) {
        if cell.locked(|folded, _| folded.state().ended && !folded.closed()) {
            self.sessions.forget(cell.asker().session);
        }
    }

    /// Stops every activation and start. Returns whether it is recorded; it is in effect either way.
    // INVARIANT: I-7 every session's lock is taken once before the acknowledgement
    pub async fn stop(&self, by: &str) -> bool {
        let entry = self.views.standing.narrow(&self.journal, Transition::Stopped { by: by.to_owned() });
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
