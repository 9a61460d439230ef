//! One connection to one running server, or to one behind a URL.
//!
//! Is: handshake in the server's era, listing, and what is known of them. Is not: the decision to start or to stop it
//! (`server`), nor the call (`server_lease`). Clauses: UP-1 (one process, HTTP), UP-6 (eras). What is declared is the same for
//! every connection of a server: sampling and roots never are, forms only where the operator has its questions put to persons (AUTH-8).
//! Asked for anyway, they are refused, and there are no roots.

use super::PATIENCE;
use super::calls::Calls;
use super::child::Child;
use super::following::{Following, follow};
use super::gate::Lists;
use super::http::{Gone, Http, Link};
use super::listeners::Listeners;
use super::listing::{Listed, list};
use super::questions::Questions;
use super::stale::Stale;
use super::start_error::StartError;
use super::target::Target;
use super::wire::Wire;
use crate::config::Era;
use agent_core::safety::echo;
use agent_core::session::PrincipalId;
use parking_lot::Mutex;
use rmcp::model::{
    ClientCapabilities, ClientConfig, ElicitRequestParams, ElicitResult, ElicitationCapability, ErrorCode, FormElicitationCapability,
    Implementation, ProtocolVersion,
};
use rmcp::service::{RequestContext, RunningService};
use rmcp::transport::Transport;
use rmcp::{ClientCacheConfig, ClientHandler, ClientLifecycleMode, ClientServiceExt, ErrorData, Peer, RoleClient};
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Semaphore, watch};

/// Calls on one connection at a time. A call puts at most a request and a cancellation into rmcp's queue of 1,024, so
/// the queue is never full and a request is always taken at once.
pub(super) const CALLS: usize = 256;
/// How long a server is given to say, after it listed its tools, that there are others by now.
const SETTLE: Duration = Duration::from_millis(300);

/// What a connection is made of, besides what is said on it.
enum Body {
    Process(Box<Child>),
    Remote(Arc<Link>),
}

/// A server that runs and has listed its tools.
pub(super) struct Connection {
    peer: Peer<RoleClient>,
    lists: Lists,
    /// The way past rmcp, to a process.
    calls: Option<Arc<Calls>>,
    /// None once it is being stopped.
    parts: Mutex<Option<(RunningService<RoleClient, Client>, Body)>>,
    listed: Mutex<Arc<Listed>>,
    stale: Stale,
    _following: Option<Following>,
    listeners: Listeners,
    questions: Option<Questions>,
    pub(super) slots: Arc<Semaphore>,
}

impl Connection {
    /// Starts the program, shakes hands and lists. `spoken` is the version of MCP that it was last found to speak: where
    /// the operator leaves the era open it is tried first, and asked for where that fails.
    ///
    /// # Errors
    /// [`StartError`] says at which of these it failed, and what the program said last.
    pub(super) async fn open(
        target: &Target,
        login: Option<&PrincipalId>,
        spoken: Option<&str>,
        changed: watch::Sender<()>,
    ) -> Result<Self, StartError> {
        let era = target.settings.era;
        let known = spoken.filter(|_| era == Era::Auto).map(of_version);
        let first = Self::open_as(target, login, known.unwrap_or(era), changed.clone()).await;
        match (first, known) {
            (Err(error), Some(_)) if !error.login => {
                tracing::debug!(%error, "not what it spoke before; it is asked");
                Self::open_as(target, login, Era::Auto, changed).await
            }
            (first, _) => first,
        }
    }

    async fn open_as(target: &Target, login: Option<&PrincipalId>, era: Era, changed: watch::Sender<()>) -> Result<Self, StartError> {
        let (settings, patience) = (&target.settings, target.settings.start());
        let (stale, listeners, questions) = (Stale::new(changed, target.news()), Listeners::default(), target.questions());
        let client = Client(questions.clone());
        let (greeted, lists, calls, body) = if settings.url.is_some() {
            let (http, lists, link) = Http::new(target, login, stale.clone(), listeners.clone())?;
            let greeted = greet(client, http, &lists, &stale, era, patience).await?;
            link.learn(&greeted.2);
            (greeted, lists, None, Body::Remote(link))
        } else {
            let failed = |error| StartError::other(format!("`{}` could not be started: {error}", echo(&settings.command)));
            let (mut child, stdout, stdin) = Child::spawn(settings).map_err(failed)?;
            let (wire, lists, calls) = Wire::new(stdout, stdin, stale.clone(), listeners.clone());
            match greet(client, wire, &lists, &stale, era, patience).await {
                Ok(greeted) => (greeted, lists, Some(Arc::new(calls)), Body::Process(Box::new(child))),
                Err(error) => return Err(error.saying(&child.said().await)),
            }
        };
        let (running, following, listed) = greeted;
        Ok(Self {
            peer: running.peer().clone(),
            lists,
            calls,
            _following: following,
            parts: Mutex::new(Some((running, body))),
            listed: Mutex::new(Arc::new(listed)),
            stale,
            listeners,
            questions,
            slots: Arc::new(Semaphore::new(CALLS)),
        })
    }

    /// The way to it.
    pub(super) const fn peer(&self) -> &Peer<RoleClient> {
        &self.peer
    }

    /// The way of its calls past rmcp, where there is one.
    pub(super) const fn calls(&self) -> Option<&Arc<Calls>> {
        self.calls.as_ref()
    }

    /// Where the lists are kept that came.
    pub(super) const fn lists(&self) -> &Lists {
        &self.lists
    }

    /// Who listens to its calls.
    pub(super) const fn listeners(&self) -> &Listeners {
        &self.listeners
    }

    /// What it may ask of persons, where the operator lets it.
    pub(super) const fn questions(&self) -> Option<&Questions> {
        self.questions.as_ref()
    }

    /// Whether a question of its says whose it is: it does in the modern era alone.
    pub(super) fn asks_by_call(&self) -> bool {
        self.peer.peer_info().is_some_and(|info| info.protocol_version >= ProtocolVersion::V_2026_07_28)
    }

    /// Whether its process runs and takes messages, or its server is there and knows it. What a process started may hold its
    /// pipes open for longer.
    pub(super) fn is_open(&self) -> bool {
        let runs = self.parts.lock().as_ref().is_some_and(|(_, body)| match body {
            Body::Process(child) => !child.ended(),
            Body::Remote(link) => link.gone().is_none(),
        });
        runs && !self.peer.is_transport_closed()
    }

    /// Why it is not, where it was to a server behind a URL.
    pub(super) fn gone(&self) -> Option<Gone> {
        match self.parts.lock().as_ref()? {
            (_, Body::Remote(link)) => link.gone(),
            (_, Body::Process(_)) => None,
        }
    }

    /// What it listed last.
    pub(super) fn listed(&self) -> Arc<Listed> {
        self.listed.lock().clone()
    }

    /// Whether it said that its list changed since it was read.
    pub(super) fn is_stale(&self) -> bool {
        self.stale.is_marked()
    }

    /// Lists again where it said that its list changed.
    ///
    /// # Errors
    /// As [`list`]; it then stays to be listed.
    pub(super) async fn relist(&self) -> Result<(), StartError> {
        if self.stale.take() {
            let mut owed = Owed(Some(&self.stale));
            let listed = list(&self.peer, &self.lists).await?;
            if let Some((_, Body::Remote(link))) = self.parts.lock().as_ref() {
                link.learn(&listed);
            }
            *self.listed.lock() = Arc::new(listed);
            owed.0 = None;
        }
        Ok(())
    }

    /// Waits until what it lists has been still for a moment: some servers have more to offer once they know the client.
    pub(super) async fn settle(&self) -> Result<(), StartError> {
        for _ in 0..3 {
            tokio::time::sleep(SETTLE).await;
            if !self.is_stale() {
                break;
            }
            self.relist().await?;
        }
        Ok(())
    }

    /// Closes its input and waits for it to end. Gives what it said last.
    pub(super) async fn stop(&self) -> String {
        let parts = self.parts.lock().take();
        let Some((mut running, body)) = parts else { return String::new() };
        if let Err(error) = running.close_with_timeout(PATIENCE).await {
            tracing::debug!(%error, "the connection's task ended badly");
        }
        match body {
            Body::Process(child) => child.stop(PATIENCE).await,
            Body::Remote(_) => String::new(),
        }
    }

    /// Puts away one that is open no longer. What is under way to a server behind a URL may be answered yet, and is waited for
    /// by itself. Gives what a process said last.
    pub(super) async fn bury(self: &Arc<Self>) -> String {
        if self.gone().is_none() {
            return self.stop().await;
        }
        let connection = self.clone();
        tokio::spawn(async move {
            drop(connection.slots.acquire_many(CALLS as u32).await);
            connection.stop().await;
        });
        String::new()
    }
}

/// A listing that is owed until it is kept, also where who asked for it went away.
struct Owed<'a>(Option<&'a Stale>);

impl Drop for Owed<'_> {
    fn drop(&mut self) {
        if let Some(stale) = self.0 {
            stale.owe();
        }
    }
}

type Greeted = (RunningService<RoleClient, Client>, Option<Following>, Listed);

async fn greet<T>(client: Client, wire: T, lists: &Lists, stale: &Stale, era: Era, patience: Duration) -> Result<Greeted, StartError>
where
    T: Transport<RoleClient, Error = io::Error> + 'static,
{
    let running = match tokio::time::timeout(patience, client.serve_with_lifecycle(wire, lifecycle(era))).await {
        Ok(running) => running.map_err(|error| StartError::of_handshake(&error))?,
        Err(_) => return Err(StartError::other(format!("it did not shake hands within {patience:?}"))),
    };
    // Nothing is answered from memory: a dead server must not look alive.
    running.peer().set_response_cache_config(ClientCacheConfig::disabled()).await;
    let following = follow(running.peer(), stale).await;
    let listed = list(running.peer(), lists).await?;
    Ok((running, following, listed))
}

fn of_version(spoken: &str) -> Era {
    if spoken < ProtocolVersion::V_2026_07_28.as_str() { Era::Legacy } else { Era::Modern }
}

fn lifecycle(era: Era) -> ClientLifecycleMode {
    let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
    match era {
        Era::Legacy => ClientLifecycleMode::Initialize,
        Era::Modern => ClientLifecycleMode::Discover { preferred_versions },
        Era::Auto => ClientLifecycleMode::Auto { preferred_versions, legacy_version: Some(ProtocolVersion::V_2025_11_25) },
    }
}

/// What a server can ask of us: nothing, or what a person is to answer.
pub(super) struct Client(Option<Questions>);

impl ClientHandler for Client {
    fn get_info(&self) -> ClientConfig {
        let mut able = ClientCapabilities::default();
        able.elicitation = self.0.as_ref().map(|_| ElicitationCapability::new().with_form(FormElicitationCapability::new()));
        ClientConfig::new(able, Implementation::new("agent-host", env!("CARGO_PKG_VERSION")))
    }

    async fn create_elicitation(&self, params: ElicitRequestParams, _: RequestContext<RoleClient>) -> Result<ElicitResult, ErrorData> {
        match &self.0 {
            Some(questions) => questions.elicited(params).await,
            None => Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, "this client did not declare that", None)),
        }
    }
}
