//! Every session of this host: opened, restored, found, and swept all at one instant.
//!
//! Clauses: SES-1, ACT-5, REV-1. Invariant: I-7.

use super::Cell;
use crate::ledger::{CommitError, Entry, Journal, Stored};
use agent_core::digest::Digest;
use agent_core::id::ToolId;
use agent_core::session::{Asker, SessionId};
use agent_core::state::State;
use agent_core::transition::{Stream, Transition, Version};
use parking_lot::RwLock;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What a session's client presents.
#[derive(Debug, Clone, Copy, Default)]
pub struct Presented {
    /// The digest of what the session is taken up again by.
    pub key: Option<Digest>,
    /// The digest of the credential it came under, where it came over HTTP.
    pub credential: Option<Digest>,
}

/// The sessions by their public ids, and the ids by the digest of a key.
#[derive(Default)]
pub struct Registry(RwLock<Known>);

#[derive(Default)]
struct Known {
    cells: BTreeMap<SessionId, Arc<Cell>>,
    keys: BTreeMap<Digest, SessionId>,
}

impl Known {
    fn add(&mut self, cell: &Arc<Cell>) {
        self.cells.insert(cell.asker.session, cell.clone());
        self.keys.extend(cell.state().key.map(|key| (key, cell.asker.session)));
    }
}

impl Registry {
    /// A session that is live or was restored.
    #[must_use]
    pub fn find(&self, session: SessionId) -> Option<Arc<Cell>> {
        self.0.read().cells.get(&session).cloned()
    }

    /// The session of a key, by its digest.
    #[must_use]
    pub fn keyed(&self, key: &Digest) -> Option<Arc<Cell>> {
        let known = self.0.read();
        known.cells.get(known.keys.get(key)?).cloned()
    }

    /// All of them.
    #[must_use]
    pub fn all(&self) -> Vec<Arc<Cell>> {
        self.0.read().cells.values().cloned().collect()
    }

    /// Visits every session at one instant: no session comes or goes and no batch sets out meanwhile.
    // INVARIANT: I-7 what is on its way when a sweep begins is met in its session, whatever the ledger does with it
    pub(crate) fn sweep<R>(&self, each: impl FnMut(&Arc<Cell>) -> Option<R>) -> Vec<R> {
        self.0.write().cells.values().filter_map(each).collect()
    }

    /// Notes that a batch sets out to the record: before a sweep, which then meets it, or after.
    pub(super) fn departs(&self, cell: &Cell, ids: Vec<ToolId>) {
        let _known = self.0.read();
        cell.book.locked(|_, running| running.flying.push(ids));
    }

    /// Opens a session, recorded before it exists.
    pub(crate) async fn open(&self, journal: &Arc<Journal>, asker: Asker, by: Presented) -> Result<Arc<Cell>, CommitError> {
        let stream = Stream::Session(asker.session);
        let cell = Cell::new(asker.clone(), Stored::empty(&stream));
        let opened = Transition::Opened { asker, key: by.key, credential: by.credential };
        journal.commit(Vec::new(), vec![Entry::at(cell.book.clone(), Version::default(), opened)]).await?;
        self.0.write().add(&cell);
        Ok(cell)
    }

    /// Restores a session from what the ledger acknowledged; one that ended is left out.
    pub(crate) async fn restore(&self, journal: &Journal, stream: &Stream) -> Result<Option<Arc<Cell>>, CommitError> {
        let stored = journal.load(stream).await?;
        let State::Session(state) = &stored.state else { return Ok(None) };
        let Some(asker) = state.asker.clone().filter(|_| !state.ended) else { return Ok(None) };
        let cell = Cell::new(asker, stored);
        self.0.write().add(&cell);
        Ok(Some(cell))
    }

    /// Forgets an ended session. Its key may be another's by now, who stays.
    pub(crate) fn forget(&self, session: SessionId) {
        let mut known = self.0.write();
        let key = known.cells.remove(&session).and_then(|cell| cell.state().key);
        key.filter(|key| known.keys.get(key) == Some(&session)).map(|key| known.keys.remove(&key));
    }
}
