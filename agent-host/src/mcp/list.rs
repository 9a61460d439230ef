//! What the client is listed, and telling it when that changed.
//!
//! Is: one notice for each change, sent before the answer of the call that made it. Is not: the gate; a client that
//! lists late is refused all the same. Clauses: ACT-6, REV-2, protocol notes 1.5.

use agent_engine::engine::Front;
use agent_engine::projection::Surface;
use agent_engine::session::Cell;
use agent_engine::shape::mcp::tools;
use parking_lot::Mutex;
use rmcp::model::ListToolsResult;
use rmcp::{Peer, RoleServer};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::time::timeout;

/// How long a client that does not read may hold up a notice.
const NOTICE: Duration = Duration::from_secs(5);
/// How often the list is looked at without a sign of change: time itself takes grants away.
const LOOK: Duration = Duration::from_secs(1);

pub(super) struct List {
    front: Front,
    session: Arc<Cell>,
    told: Mutex<Surface>,
    /// Held while a notice is on its way, so that an answer never overtakes it.
    turn: Semaphore,
}

impl List {
    pub(super) fn new(front: Front, session: Arc<Cell>) -> Self {
        let told = Mutex::new(front.surface(&session));
        Self { front, session, told, turn: Semaphore::new(1) }
    }

    /// The list as the client reads it.
    pub(super) fn tools(&self) -> Result<ListToolsResult, serde_json::Error> {
        let tools = tools(&self.front.surface(&self.session)).into_iter().map(serde_json::from_value);
        tools.collect::<Result<_, _>>().map(ListToolsResult::with_all_items)
    }

    /// Tells the client, if the list is another than it was told of last. Returns once it was told.
    pub(super) async fn announce(&self, peer: &Peer<RoleServer>) {
        let _turn = self.turn.acquire().await;
        let now = self.front.surface(&self.session);
        let changed = {
            let mut told = self.told.lock();
            let changed = *told != now;
            *told = now;
            changed
        };
        if changed && !matches!(timeout(NOTICE, peer.notify_tool_list_changed()).await, Ok(Ok(()))) {
            tracing::debug!("the client could not be told that its list changed");
        }
    }

    /// Tells the client of changes that no call of its own made: a revoke, an expiry, a late yes.
    pub(super) async fn follow(self: Arc<Self>, peer: Peer<RoleServer>) {
        let mut changed = self.front.watch(&self.session);
        while !matches!(timeout(LOOK, changed.changed()).await, Ok(Err(_))) {
            self.announce(&peer).await;
        }
    }
}
