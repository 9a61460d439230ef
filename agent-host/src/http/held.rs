//! One conversation as it is served: whether it is used, who is told of its changes, and what its client is still to hear.
//!
//! Is: what there is of a session while a host serves it, and no more; a restart makes it anew. Is not: the session, which the
//! engine has. Clauses: SES-2 (HTTP), SES-3. Neighbours: `sessions` makes it and ends it.

use super::account::Place;
use crate::config::Service;
use crate::mcp::{Handler, Way};
use crate::web::Lane;
use agent_core::session::SessionKey;
use agent_engine::session::Cell;
use parking_lot::Mutex;
use rmcp::model::RequestMetaObject;
use rmcp::{Peer, RoleServer};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tokio::task::AbortHandle;

/// How long a session stays whose client went away before it was told by what it finds it again.
const UNKNOWN: Duration = Duration::from_secs(30);
/// What a client is told whose URL names tools where there is nothing to open.
const THERE: &str = "`?tools=` of the URL asks for nothing here: this session was there before. Ask by activate_tools.";

/// One conversation, and when it was used.
pub(crate) struct Held {
    pub(super) handler: Handler,
    service: Service,
    pub(super) lane: Lane,
    /// Requests of its client that are answered now, open streams among them.
    answering: AtomicUsize,
    /// The ids of those that a client named by one: rmcp tells answers apart by them.
    ids: Mutex<BTreeSet<String>>,
    since: Instant,
    pub(super) used: Mutex<Instant>,
    /// Whether its client said what it calls itself.
    met: AtomicBool,
    /// Whether its client can find it again.
    known: AtomicBool,
    untold: Mutex<Untold>,
    /// Who tells its client of changes.
    follower: Mutex<Option<AbortHandle>>,
    _place: Place,
}

/// What its client was not told yet.
#[derive(Default)]
struct Untold {
    handle: Option<SessionKey>,
    note: Option<String>,
    /// What a URL named last.
    named: Vec<String>,
}

impl Held {
    pub(super) fn new(handler: Handler, way: &Way, lane: Lane, service: Service, place: Place) -> Self {
        let now = Instant::now();
        let held = Self {
            handler,
            service,
            lane,
            answering: AtomicUsize::new(0),
            ids: Mutex::default(),
            since: now,
            used: Mutex::new(now),
            met: AtomicBool::new(false),
            known: AtomicBool::new(*way == Way::Credential),
            untold: Mutex::default(),
            follower: Mutex::default(),
            _place: place,
        };
        if *way == Way::Credential {
            held.follow(None);
        }
        held
    }

    pub(super) fn cell(&self) -> &Arc<Cell> {
        self.handler.session()
    }

    pub(super) fn ended(&self) -> bool {
        self.cell().state().ended
    }

    /// Keeps what its client calls itself, once: one conversation has one client.
    pub(super) fn met(&self, meta: &RequestMetaObject) {
        if !self.met.load(Ordering::Relaxed)
            && let Some(client) = meta.client_info()
        {
            self.met.store(true, Ordering::Relaxed);
            self.cell().introduced(&client.name);
        }
    }

    /// Its client can find it again from now on.
    pub(super) fn known(&self) {
        self.known.store(true, Ordering::Relaxed);
    }

    /// Its handle is this one, which its client is to be told.
    pub(super) fn has_handle(&self, handle: SessionKey) {
        self.untold.lock().handle = Some(handle);
    }

    /// What its URL named, and what came of it, which its client is to be told.
    pub(super) fn was_named(&self, tools: &[String], note: String) {
        let mut untold = self.untold.lock();
        (untold.named, untold.note) = (tools.to_vec(), Some(note));
    }

    /// The same where it was there before. A client that comes by the same URL each time is told once.
    pub(super) fn is_named(&self, tools: &[String]) {
        if !tools.is_empty() && self.untold.lock().named != tools {
            self.was_named(tools, THERE.to_owned());
        }
    }

    /// Its handle and what came of its URL, each once: for the answer that its client reads.
    pub(super) fn tell(&self) -> (Option<String>, Option<String>) {
        let mut untold = self.untold.lock();
        (untold.handle.take().map(|key| key.reveal()), untold.note.take())
    }

    /// What came of its URL alone.
    pub(super) fn note(&self) -> Option<String> {
        self.untold.lock().note.take()
    }

    /// Tells its client of changes from now on. Who was told before is not any more.
    pub(super) fn follow(&self, peer: Option<Peer<RoleServer>>) -> AbortHandle {
        let follower = tokio::spawn(self.handler.follow(peer)).abort_handle();
        self.follows(Some(follower.clone()));
        follower
    }

    /// Nobody tells anybody.
    pub(super) fn unfollowed(&self) {
        self.follows(None);
    }

    fn follows(&self, follower: Option<AbortHandle>) {
        let before = std::mem::replace(&mut *self.follower.lock(), follower);
        if let Some(before) = before {
            before.abort();
        }
    }

    /// Says that it is used now.
    pub(super) fn touch(&self) {
        *self.used.lock() = Instant::now();
    }

    pub(super) fn unused(&self, now: Instant) -> Duration {
        match self.answering.load(Ordering::Relaxed) {
            0 if !self.handler.has_tasks() => now.saturating_duration_since(*self.used.lock()),
            _ => Duration::ZERO,
        }
    }

    pub(super) fn over(&self, now: Instant) -> bool {
        let idle = if self.known.load(Ordering::Relaxed) { self.service.idle.0 } else { UNKNOWN };
        self.ended() || self.unused(now) >= idle || now.saturating_duration_since(self.since) >= self.service.lifetime.0
    }

    /// Requests that are answered now.
    #[cfg(test)]
    pub(super) fn answers(&self) -> usize {
        self.answering.load(Ordering::Relaxed)
    }
}

/// One request of a conversation, until its answer was read.
pub(super) struct Answering {
    held: Arc<Held>,
    id: Option<String>,
}

impl Answering {
    pub(super) fn begin(held: Arc<Held>) -> Self {
        held.answering.fetch_add(1, Ordering::Relaxed);
        Self { held, id: None }
    }

    /// The same for a request of an id; none while another of that id is answered.
    pub(super) fn named(held: Arc<Held>, id: Option<String>) -> Option<Self> {
        let free = id.as_ref().is_none_or(|id| held.ids.lock().insert(id.clone()));
        free.then(|| {
            let mut answering = Self::begin(held);
            answering.id = id;
            answering
        })
    }
}

impl Drop for Answering {
    fn drop(&mut self) {
        if let Some(id) = &self.id {
            self.held.ids.lock().remove(id);
        }
        self.held.touch();
        self.held.answering.fetch_sub(1, Ordering::Relaxed);
    }
}
