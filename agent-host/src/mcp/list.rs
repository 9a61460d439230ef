//! What the client is listed, and telling it when that changed.
//!
//! Is: one notice for each change, sent before the answer of the call that made it: to a client that shook hands as it is,
//! to others on each stream that they opened. A list that holds builtins alone never changes. Is not: the gate; a client
//! that lists late is refused all the same. Clauses: ACT-6, REV-2. Source: MCP specification, server/tools.

use super::era::shook_hands;
use super::streams::Streams;
use agent_core::session::Listing;
use agent_engine::engine::Front;
use agent_engine::projection::{Surface, Terms};
use agent_engine::session::Cell;
use parking_lot::Mutex;
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
    /// The face under which the list holds what the session does.
    front: Front,
    session: Arc<Cell>,
    /// Whether a list of that kind is shown in the legacy era, and in the modern one.
    shown: (bool, bool),
    streams: Arc<Streams>,
    told: Mutex<Option<Told>>,
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
    pub(super) fn new(legacy: &Front, modern: &Front, session: Arc<Cell>) -> Self {
        let grows = |front: &Front| front.terms().listing.names();
        let front = legacy.under(Terms { listing: Listing::Held, ..Terms::default() });
        let shown = (grows(legacy), grows(modern));
        // Whose list never changes is not kept either.
        let grown = shown != (false, false);
        let told = Mutex::new(grown.then(|| Told { set: session.state().set, surface: front.surface(&session) }));
        Self { front, session, shown, streams: Arc::new(Streams::new()), told, turn: Semaphore::new(1) }
    }

    /// The streams that hear of changes.
    pub(super) const fn streams(&self) -> &Arc<Streams> {
        &self.streams
    }

    /// Tells the client, if the set is another than it was told of last. Returns once it was told.
    pub(super) async fn announce(&self, peer: Option<&Peer<RoleServer>>) {
        let _turn = self.turn.acquire().await;
        let set = self.session.state().set;
        let stands = self.told.lock().as_ref().is_none_or(|told| told.set == set);
        if stands {
            self.session.heard(set, false);
        } else {
            self.compare(peer).await;
        }
    }

    /// Compares the lists themselves.
    async fn compare(&self, peer: Option<&Peer<RoleServer>>) {
        let set = self.session.state().set;
        let surface = self.front.surface(&self.session);
        let changed = {
            let mut told = self.told.lock();
            let changed = told.as_ref().is_some_and(|told| told.surface != surface);
            *told = told.is_some().then_some(Told { set, surface });
            changed
        };
        if !changed {
            return self.session.heard(set, false);
        }
        match timeout(NOTICE, self.tell(peer)).await {
            Ok(Ok(sent)) => self.session.heard(set, sent),
            Ok(Err(())) => {}
            Err(_) => tracing::debug!("the client could not be told that its list changed"),
        }
    }

    /// Whether a notice was sent to anybody; an error where one was to be and could not.
    async fn tell(&self, peer: Option<&Peer<RoleServer>>) -> Result<bool, ()> {
        let (legacy, modern) = self.shown;
        let mut sent = false;
        if legacy && let Some(peer) = peer.filter(|peer| shook_hands(peer)) {
            peer.notify_tool_list_changed().await.map_err(|error| {
                tracing::debug!(%error, "the client could not be told that its list changed");
            })?;
            sent = true;
        }
        Ok(modern && self.streams.tell().await || sent)
    }

    /// Tells the client of changes that no call of its own made: a revoke, an expiry, a late yes. Returns once the session
    /// ended.
    pub(super) async fn follow(self: Arc<Self>, peer: Option<Peer<RoleServer>>) {
        let mut changed = self.front.watch(&self.session);
        let _ear = self.session.ear();
        while !self.session.state().ended {
            match timeout(LOOK, changed.changed()).await {
                Ok(Ok(())) => self.announce(peer.as_ref()).await,
                Ok(Err(_)) => return,
                Err(_) => {
                    let _turn = self.turn.acquire().await;
                    self.compare(peer.as_ref()).await;
                }
            }
        }
        // One whose client is still there has lost its list.
        if self.session.taken() {
            let _turn = self.turn.acquire().await;
            self.compare(peer.as_ref()).await;
        }
    }
}
