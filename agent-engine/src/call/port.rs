//! The port through which a call leaves: a host's servers, reserved first and started by a permit alone.
//!
//! Is not: a client of any protocol. Clauses: UP-1 (prewarm), UP-3, UP-4, UP-6
//! (progress), GATE-6, SRCH-6 (servers that are down). Invariants: I-3, I-7, I-8.

use super::Progress;
use agent_core::digest::Digest;
use agent_core::id::{Alias, SourceClass, ToolId};
use agent_core::outcome::Outcome;
use agent_core::session::{Asker, CallId};
use async_trait::async_trait;
use serde_json::{Map, Value};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use tokio::sync::watch;

/// Where tools run.
#[async_trait]
pub trait ToolHost: Send + Sync {
    /// Gets everything ready that a call of this tool needs: a running server, a slot, a writer. Sends nothing.
    ///
    /// # Errors
    /// An [`Outcome`] of a call that did not happen: `Unreachable` or `Refused`.
    async fn reserve(&self, asker: &Asker, id: &ToolId) -> Result<Box<dyn Lease>, Outcome>;

    /// These tools were activated in the asker's session, by a request of its model; a call may follow. Told once for each
    /// batch, with no lock held. Not told of presets. Returns at once; it is leave to get ready, not to send.
    fn activated(&self, asker: &Asker, ids: &[ToolId]) {
        let _ = (asker, ids);
    }

    /// The servers of which nobody knows what they list, because they can't be used now. Asked where a search finds nothing; starts
    /// none of them.
    fn absent(&self) -> Vec<Absent> {
        Vec::new()
    }
}

/// A server of which nobody knows what it lists, because it can't be used now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Absent {
    /// The kind of source that its tools would be of.
    pub class: SourceClass,
    /// Its alias.
    pub server: Alias,
    /// The operator's words for what it does.
    pub words: String,
    /// How it is, as in `it needs login`, for a model: in words of the operator and of the host, and nobody else's.
    pub how: String,
}

#[async_trait]
impl<T: ToolHost + ?Sized> ToolHost for Arc<T> {
    async fn reserve(&self, asker: &Asker, id: &ToolId) -> Result<Box<dyn Lease>, Outcome> {
        (**self).reserve(asker, id).await
    }

    fn activated(&self, asker: &Asker, ids: &[ToolId]) {
        (**self).activated(asker, ids);
    }

    fn absent(&self) -> Vec<Absent> {
        (**self).absent()
    }
}

/// What a host knows of the tool at the moment of the lease.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeaseFacts {
    /// The digest of the definition that the running server lists, where it was listed.
    pub live: Option<Digest>,
}

/// Everything ready for one call. Dropping it gives it back, nothing sent.
pub trait Lease: Send {
    /// What is known of the tool.
    fn facts(&self) -> LeaseFacts;

    /// Hands the message over, before it returns, and gives a future of what comes of it. Not async, so that nothing
    /// lies between the permit and the hand-over.
    fn start(self: Box<Self>, sent: Sent) -> Pin<Box<dyn Future<Output = Outcome> + Send>>;
}

/// One permitted message. Only `call` makes one, from a permit.
#[derive(Debug)]
pub struct Sent {
    call: CallId,
    id: ToolId,
    arguments: Map<String, Value>,
    cancel: Cancel,
    progress: Progress,
}

impl Sent {
    pub(super) const fn new(call: CallId, id: ToolId, arguments: Map<String, Value>, cancel: Cancel, progress: Progress) -> Self {
        Self { call, id, arguments, cancel, progress }
    }

    /// The call, as records name it.
    #[must_use]
    pub const fn call(&self) -> CallId {
        self.call
    }

    /// The tool.
    #[must_use]
    pub const fn id(&self) -> &ToolId {
        &self.id
    }

    /// Where to tell how far the call is.
    #[must_use]
    pub const fn progress(&self) -> &Progress {
        &self.progress
    }

    /// The arguments, and what tells that the call is to be given up.
    #[must_use]
    pub fn into_parts(self) -> (Map<String, Value>, Cancel) {
        (self.arguments, self.cancel)
    }
}

/// Tells that a call is to be given up.
#[derive(Debug, Clone)]
pub struct Cancel(watch::Receiver<bool>);

impl Cancel {
    pub(super) const fn new(receiver: watch::Receiver<bool>) -> Self {
        Self(receiver)
    }

    /// Whether it is already.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        *self.0.borrow()
    }

    /// Waits until it is; for ever where the call runs to its end.
    pub async fn cancelled(&mut self) {
        if self.0.wait_for(|cancelled| *cancelled).await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
