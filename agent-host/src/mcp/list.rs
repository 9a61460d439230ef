//! What the client is listed, and telling it when that changed.
//!
//! Is: one notice for each change, sent before the answer of the call that made it. Is not: the gate; a client that
//! lists late is refused all the same. Clauses: ACT-6, REV-2; MCP, server/tools, "list changed".

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
    told: Mutex<Told>,
    /// Held while a notice is on its way, so that an answer never overtakes it.
    turn: Semaphore,
}

/// What the client was told of last.
struct Told {
    /// The session's set then: while it stands, only time, a stop or a new policy can change the list.
    set: u64,
    surface: Surface,
}

impl List {
    pub(super) fn new(front: Front, session: Arc<Cell>) -> Self {
        let told = Mutex::new(Told { set: session.state().set, surface: front.surface(&session) });
        Self { front, session, told, turn: Semaphore::new(1) }
    }

    /// The list as the client reads it.
    pub(super) fn tools(&self) -> Result<ListToolsResult, serde_json::Error> {
        let tools = tools(&self.front.surface(&self.session)).into_iter().map(serde_json::from_value);
        tools.collect::<Result<_, _>>().map(ListToolsResult::with_all_items)
    }

    /// Tells the client, if the set is another than it was told of last. Returns once it was told.
    pub(super) async fn announce(&self, peer: &Peer<RoleServer>) {
        let _turn = self.turn.acquire().await;
        if self.told.lock().set != self.session.state().set {
            self.compare(peer).await;
        }
    }

    /// Compares the lists themselves.
    async fn compare(&self, peer: &Peer<RoleServer>) {
        let set = self.session.state().set;
        let surface = self.front.surface(&self.session);
        let changed = {
            let mut told = self.told.lock();
            let changed = told.surface != surface;
            *told = Told { set, surface };
            changed
        };
        if changed && !matches!(timeout(NOTICE, peer.notify_tool_list_changed()).await, Ok(Ok(()))) {
            tracing::debug!("the client could not be told that its list changed");
        }
    }

    /// Tells the client of changes that no call of its own made: a revoke, an expiry, a late yes.
    pub(super) async fn follow(self: Arc<Self>, peer: Peer<RoleServer>) {
        let mut changed = self.front.watch(&self.session);
        loop {
            match timeout(LOOK, changed.changed()).await {
                Ok(Ok(())) => self.announce(&peer).await,
                Ok(Err(_)) => return,
                Err(_) => {
                    let _turn = self.turn.acquire().await;
                    self.compare(&peer).await;
                }
            }
        }
    }
}
