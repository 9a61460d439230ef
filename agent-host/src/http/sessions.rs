//! The sessions of clients over HTTP: opened, found again by what a client presents, and ended when nobody uses them.
//!
//! Is: one conversation for each, whichever requests come to it. A session belongs to one principal; what another presents is
//! answered as nothing (SES-1). Grants live in the engine, so a connection that breaks costs none. Is not: a transport.
//! Clauses: SES-1, SES-2 (HTTP), SES-3, ACT-5.

use super::account::{Account, Accounts, Full, Place};
use super::held::Held;
use crate::caller::Caller;
use crate::client::{Clients, Unserved};
use crate::config::{By, Retain, Service};
use crate::mcp::{Era, Handler, Way};
use crate::oauth::SUBJECTS;
use crate::system::SystemEntropy;
use crate::web::Lanes;
use agent_core::digest::Digest;
use agent_core::session::{ProfileId, SessionId, SessionKey};
use agent_core::time::Entropy;
use agent_engine::builtins::Builtin;
use agent_engine::session::{Cell, Presented};
use agent_engine::shape::mcp::result;
use parking_lot::Mutex;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::{OwnedSemaphorePermit, watch};

/// How long a client that shook hands does not come before its session counts as left behind.
const GONE: Duration = Duration::from_secs(5 * 60);

/// Seconds after which one of too many may have ended.
const FULL: u16 = 30;

/// All of them.
pub(crate) struct Sessions {
    pub(super) clients: Clients,
    pub(super) accounts: Accounts,
    live: Mutex<BTreeMap<SessionId, Arc<Held>>>,
    lanes: Lanes,
    /// Sessions that an earlier host left.
    before: BTreeSet<SessionId>,
    /// Credentials that were taken back while this ran.
    revoked: watch::Sender<BTreeSet<Digest>>,
}

/// Why there is no session for a client.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Closed {
    #[error("as many of your sessions are live as may be; end one, or wait until one ends")]
    Sessions,
    #[error("too many sessions were opened in the last minute; wait a little")]
    Rate(Duration),
    #[error("this credential was taken back")]
    Revoked,
    #[error("opening it broke off; the host's log says why")]
    Broken,
    #[error(transparent)]
    Unserved(#[from] Unserved),
}

impl Closed {
    /// After how many seconds there may be room, where that is all that is missing.
    pub(super) fn again(&self) -> Option<u16> {
        match self {
            Self::Sessions => Some(FULL),
            Self::Rate(wait) => Some(u16::try_from(wait.as_secs()).map_or(u16::MAX, |seconds| seconds.saturating_add(1))),
            Self::Revoked | Self::Broken | Self::Unserved(_) => None,
        }
    }
}

impl From<Full> for Closed {
    fn from(full: Full) -> Self {
        match full {
            Full::Sessions => Self::Sessions,
            Full::Rate(wait) => Self::Rate(wait),
        }
    }
}

impl Sessions {
    pub(super) fn new(clients: Clients) -> Self {
        let before = clients.desk.sessions().iter().map(|cell| cell.asker().session).collect();
        Self {
            clients,
            accounts: Accounts::default(),
            live: Mutex::default(),
            lanes: Lanes::default(),
            before,
            revoked: watch::Sender::default(),
        }
    }

    /// What a caller's profile lets it take up.
    pub(super) fn service(&self, caller: &Caller) -> Service {
        self.of(self.profile(caller).as_ref())
    }

    /// What a profile lets its clients take up.
    fn of(&self, profile: Option<&ProfileId>) -> Service {
        profile.and_then(|profile| self.clients.config().services.get(profile).cloned()).unwrap_or_default()
    }

    /// The account of a caller's principal.
    pub(super) fn account(&self, caller: &Caller) -> Arc<Account> {
        self.accounts.of(&caller.principal, self.service(caller).requests)
    }

    /// The session of a client that shakes hands: a new one, or the one that its credential left behind.
    pub(super) async fn handshake(self: &Arc<Self>, caller: &Caller, tools: &[String]) -> Result<Arc<Held>, Closed> {
        let service = self.service(caller);
        let turn = self.account(caller).turn().await;
        let left = if service.retain == Retain::Credential { self.left(caller) } else { None };
        let Some(cell) = left else { return self.open(caller, Way::Handshake, None, tools, turn).await };
        let held = self.held(cell, Way::Handshake, caller, service)?;
        // Whoever had it before hears nothing of it any more.
        held.unfollowed();
        held.is_named(tools);
        Ok(held)
    }

    /// The session that a handle names, if it is one of the caller's. Its text is compared as it is.
    pub(super) fn by_handle(&self, caller: &Caller, handle: &str) -> Result<Option<Arc<Held>>, Closed> {
        let keyed = SessionKey::parse(handle).and_then(|key| self.clients.front.keyed(&caller.principal, &key.digest()));
        // A key of a client of the door is none here.
        let named = keyed.filter(|cell| cell.state().credential.is_some() && self.is_of(cell, caller));
        named.map(|cell| self.held(cell, Way::Handle, caller, self.service(caller))).transpose()
    }

    /// A new session with a handle.
    pub(super) async fn with_handle(self: &Arc<Self>, caller: &Caller, tools: &[String]) -> Result<Arc<Held>, Closed> {
        let key = SessionKey::new(SystemEntropy.bits());
        let held = self.open(caller, Way::Handle, Some(key.digest()), tools, None).await?;
        held.has_handle(key);
        Ok(held)
    }

    /// The one session of a credential, opened by its first request.
    pub(super) async fn of_credential(self: &Arc<Self>, caller: &Caller, tools: &[String]) -> Result<Arc<Held>, Closed> {
        let turn = self.account(caller).turn().await;
        match self.clients.front.keyed(&caller.principal, &caller.credential) {
            Some(cell) if self.is_of(&cell, caller) => {
                let held = self.held(cell, Way::Credential, caller, self.service(caller))?;
                held.is_named(tools);
                return Ok(held);
            }
            // It is from when its profile was another one: that one's rules gave it what it holds.
            Some(cell) => self.close(&cell).await,
            None => {}
        }
        self.open(caller, Way::Credential, Some(caller.credential), tools, turn).await
    }

    /// The session of a state that came with an answer, for the caller whose it is.
    pub(super) fn of_state(&self, caller: &Caller, state: &str) -> Option<Arc<Held>> {
        let asker = self.clients.states.asker(state)?;
        self.live.lock().get(&asker.session).cloned().filter(|held| self.is_of(held.cell(), caller))
    }

    /// The session of a task, for the caller whose it is.
    pub(super) fn of_task(&self, caller: &Caller, id: &str) -> Option<Arc<Held>> {
        let asker = self.clients.tasks.asker(id)?;
        self.live.lock().get(&asker.session).cloned().filter(|held| self.is_of(held.cell(), caller))
    }

    /// Opens one, to the end whoever stopped waiting: what is on record is served, counted and ended like any other. The turn is given
    /// back then.
    // INVARIANT: I-10
    async fn open(
        self: &Arc<Self>,
        caller: &Caller,
        way: Way,
        key: Option<Digest>,
        tools: &[String],
        turn: Option<OwnedSemaphorePermit>,
    ) -> Result<Arc<Held>, Closed> {
        let (sessions, caller, tools) = (self.clone(), caller.clone(), tools.to_vec());
        let opening = tokio::spawn(async move {
            let opened = sessions.opened(&caller, way, key, &tools).await;
            drop(turn);
            opened
        });
        opening.await.unwrap_or(Err(Closed::Broken))
    }

    async fn opened(&self, caller: &Caller, way: Way, key: Option<Digest>, tools: &[String]) -> Result<Arc<Held>, Closed> {
        let service = self.service(caller);
        let place = self.account(caller).session(service.sessions)?;
        let by = Presented { key, credential: Some(caller.credential) };
        let cell = self.clients.open_by(caller, by).await?;
        // Its credential may have been taken back before there was a session to end.
        if self.revoked.borrow().contains(&caller.credential) {
            self.clients.close(&cell).await;
            return Err(Closed::Revoked);
        }
        let held = self.keep(cell, way, service, place);
        if !tools.is_empty() {
            self.preselect(&held, tools).await;
        }
        Ok(held)
    }

    /// Asks for what a URL names, as if the model had: the policy decides, and a question waits.
    async fn preselect(&self, held: &Held, tools: &[String]) {
        let arguments: Map<_, _> = [("tools".to_owned(), json!(tools))].into_iter().collect();
        let reply = held.handler.front(Era::Legacy).call(held.cell(), Builtin::ActivateTools.name(), arguments).await;
        let answer = result(&reply, "");
        let text = answer.pointer("/content/0/text").and_then(Value::as_str).unwrap_or_default();
        held.was_named(tools, format!("Of `?tools=` in the URL: {text}"));
    }

    /// A session that the engine has, as it is served.
    fn held(&self, cell: Arc<Cell>, way: Way, caller: &Caller, service: Service) -> Result<Arc<Held>, Closed> {
        let known = self.live.lock().get(&cell.asker().session).cloned();
        if let Some(held) = known {
            held.touch();
            return Ok(held);
        }
        let place = self.account(caller).session(service.sessions)?;
        let held = self.keep(cell, way, service, place);
        held.known();
        Ok(held)
    }

    fn keep(&self, cell: Arc<Cell>, way: Way, service: Service, place: Place) -> Arc<Held> {
        let mut live = self.live.lock();
        let held = live.entry(cell.asker().session).or_insert_with(|| {
            let handler = Handler::new(self.clients.connection(cell, way.clone(), &self.clients.config()));
            Arc::new(Held::new(handler, &way, self.lanes.lane(), service, place))
        });
        held.clone()
    }

    /// The one session that a credential left behind, if none of its principal's is live.
    fn left(&self, caller: &Caller) -> Option<Arc<Cell>> {
        let mine = self.clients.desk.sessions().into_iter().filter(|cell| cell.asker().principal == caller.principal);
        let (left, live): (Vec<_>, Vec<_>) = mine.partition(|cell| {
            let state = cell.state();
            state.credential == Some(caller.credential) && state.key.is_none() && self.is_left(cell)
        });
        let [one] = left.as_slice() else { return None };
        (live.is_empty() && self.is_of(one, caller)).then(|| one.clone())
    }

    pub(super) fn profile(&self, caller: &Caller) -> Option<ProfileId> {
        caller.profile.clone().or_else(|| self.clients.config().profile.clone())
    }

    /// Whether a session is of this caller: its principal's, and no wider or narrower than its credential is now.
    pub(super) fn is_of(&self, cell: &Cell, caller: &Caller) -> bool {
        let asker = cell.asker();
        asker.principal == caller.principal && asker.profile == self.profile(caller)
    }

    /// Whether its client did not come for so long that it is taken to be gone.
    fn is_left(&self, cell: &Cell) -> bool {
        let held = self.live.lock().get(&cell.asker().session).cloned();
        held.is_none_or(|held| held.unused(Instant::now()) >= GONE)
    }

    /// Ends one with everything it held.
    pub(super) async fn end(&self, held: &Held) {
        held.handler.end_streams();
        self.clients.states.forget(held.cell().asker().session);
        self.live.lock().remove(&held.cell().asker().session);
        if !held.ended() {
            self.clients.close(held.cell()).await;
        }
    }

    /// Ends what was opened under a credential that is no longer one.
    pub(super) async fn end_of(&self, credential: &Digest) {
        self.revoked.send_if_modified(|revoked| revoked.insert(*credential));
        for cell in self.clients.desk.sessions().iter().filter(|cell| cell.state().credential == Some(*credential)) {
            self.close(cell).await;
        }
    }

    /// Ends what an earlier host left under a token that was taken back or was over before this one began. Whether an issuer's token
    /// stands is known when somebody brings it.
    pub(super) async fn end_unless(&self, standing: &BTreeSet<Digest>) {
        for cell in self.clients.desk.sessions() {
            let gone = cell.state().credential.is_some_and(|credential| !standing.contains(&credential));
            if gone && !cell.asker().principal.as_str().starts_with(SUBJECTS) {
                self.close(&cell).await;
            }
        }
    }

    /// Ends one, served or not.
    async fn close(&self, cell: &Arc<Cell>) {
        let held = self.live.lock().get(&cell.asker().session).cloned();
        match held {
            Some(held) => self.end(&held).await,
            None => {
                self.clients.close(cell).await;
            }
        }
    }

    /// The credentials that were taken back, as more are.
    pub(super) fn revoked(&self) -> watch::Receiver<BTreeSet<Digest>> {
        self.revoked.subscribe()
    }

    /// Ends what nobody used for too long, and what an earlier host left that nobody can come back to.
    pub(super) async fn sweep(&self, host_since: Instant) {
        let now = Instant::now();
        let over: Vec<_> = self.live.lock().values().filter(|held| held.over(now)).cloned().collect();
        // Each end waits for the disk, and a client may have come back meanwhile.
        for held in over {
            if held.over(Instant::now()) {
                self.end(&held).await;
            }
        }
        let away = now.saturating_duration_since(host_since);
        for cell in self.clients.desk.sessions().into_iter().filter(|cell| self.before.contains(&cell.asker().session)) {
            let known = self.live.lock().contains_key(&cell.asker().session);
            let state = cell.state();
            let service = self.of(cell.asker().profile.as_ref());
            // What came with a handshake under an earlier host is found again by a credential, or not at all.
            let lost = state.key.is_none() && service.retain == Retain::None;
            if !known && state.credential.is_some() && (lost || away >= service.idle.0) {
                self.clients.close(&cell).await;
            }
        }
        self.accounts.sweep();
    }

    /// Makes every use so much longer ago.
    #[cfg(test)]
    pub(super) fn age(&self, by: Duration) {
        self.live.lock().values().for_each(|held| {
            let mut used = held.used.lock();
            *used = used.checked_sub(by).unwrap_or(*used);
        });
    }

    /// Those that are served.
    #[cfg(test)]
    pub(super) fn served(&self) -> usize {
        self.live.lock().len()
    }

    /// Requests that are answered now, in all of them.
    #[cfg(test)]
    pub(super) fn answers(&self) -> usize {
        self.live.lock().values().map(|held| held.answers()).sum()
    }

    #[cfg(test)]
    pub(super) fn lanes(&self) -> Vec<crate::web::Lane> {
        self.live.lock().values().map(|held| held.lane.clone()).collect()
    }

    /// Ends every stream, so that each gets its result.
    pub(super) fn end_streams(&self) {
        self.live.lock().values().for_each(|held| held.handler.end_streams());
    }
}

/// How conversations of modern clients are told apart.
pub(super) const fn way(service: &Service) -> Way {
    match service.session {
        By::Handle => Way::Handle,
        By::Credential => Way::Credential,
    }
}
