//! Every session of this host: opened, restored, found.
//!
//! Clauses: SES-1, ACT-5.

use super::Cell;
use crate::ledger::{CommitError, Entry, Journal, Stored};
use agent_core::digest::Digest;
use agent_core::session::{Asker, SessionId};
use agent_core::state::State;
use agent_core::transition::{Stream, Transition, Version};
use parking_lot::RwLock;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The sessions by their public ids.
#[derive(Default)]
pub struct Registry(RwLock<BTreeMap<SessionId, Arc<Cell>>>);

impl Registry {
    /// A session that is live or was restored.
    #[must_use]
    pub fn find(&self, session: SessionId) -> Option<Arc<Cell>> {
        self.0.read().get(&session).cloned()
    }

    /// All of them.
    #[must_use]
    pub fn all(&self) -> Vec<Arc<Cell>> {
        self.0.read().values().cloned().collect()
    }

    /// Opens a session, recorded before it exists.
    pub(crate) async fn open(&self, journal: &Arc<Journal>, asker: Asker, key: Option<Digest>) -> Result<Arc<Cell>, CommitError> {
        let stream = Stream::Session(asker.session);
        let cell = Cell::new(asker.clone(), Stored::empty(&stream));
        let opened = Transition::Opened { asker, key };
        journal.commit(Vec::new(), vec![Entry::at(cell.book.clone(), Version::default(), opened)]).await?;
        self.0.write().insert(cell.asker.session, cell.clone());
        Ok(cell)
    }

    /// Restores a session from what the ledger acknowledged; one that ended is left out.
    pub(crate) async fn restore(&self, journal: &Journal, stream: &Stream) -> Result<Option<Arc<Cell>>, CommitError> {
        let stored = journal.load(stream).await?;
        let State::Session(state) = &stored.state else { return Ok(None) };
        let Some(asker) = state.asker.clone().filter(|_| !state.ended) else { return Ok(None) };
        let cell = Cell::new(asker, stored);
        self.0.write().insert(cell.asker.session, cell.clone());
        Ok(Some(cell))
    }

    /// Forgets an ended session.
    pub(crate) fn forget(&self, session: SessionId) {
        self.0.write().remove(&session);
    }
}
