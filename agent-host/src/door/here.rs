//! Which clients are in: how many, and in which sessions, one at a time in each.

use agent_core::session::SessionId;
use parking_lot::Mutex;
use std::collections::BTreeSet;
use std::sync::Arc;
use tokio::sync::watch;

#[derive(Clone)]
pub(super) struct Here {
    sessions: Arc<Mutex<BTreeSet<SessionId>>>,
    count: watch::Sender<usize>,
}

/// One more client, until it is dropped.
pub(super) struct Counted<'a>(&'a Here);

/// A session with a client in it, until it is dropped.
pub(super) struct Taken<'a>(&'a Here, SessionId);

impl Here {
    pub(super) fn new() -> Self {
        Self { sessions: Arc::default(), count: watch::Sender::new(0) }
    }

    pub(super) fn count(&self) -> watch::Receiver<usize> {
        self.count.subscribe()
    }

    pub(super) fn counted(&self) -> Counted<'_> {
        self.count.send_modify(|count| *count += 1);
        Counted(self)
    }

    pub(super) fn holds(&self, session: SessionId) -> bool {
        self.sessions.lock().contains(&session)
    }

    pub(super) fn take(&self, session: SessionId) -> Option<Taken<'_>> {
        self.sessions.lock().insert(session).then(|| Taken(self, session))
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.count.send_modify(|count| *count -= 1);
    }
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        self.0.sessions.lock().remove(&self.1);
    }
}
