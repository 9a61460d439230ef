//! A client of a host: a session with what it is given from the start, served over a connection, and closed.
//!
//! Is: the same for a client at this process's own stdio and for one that comes in at the door. Is not: a transport, nor how
//! a client proves whom it acts for. Clauses: SES-1, SES-2 (stdio), ACT-9, AUTH-9.
//! Neighbours: `mcp` speaks to it; `door` and `app` bring it.

use crate::admin::Boundary;
use crate::caller::Caller;
use crate::config::{Config, Surface};
use crate::mcp::{Connection, Servers, States, Tasks, Way};
use crate::system::{SystemClock, SystemEntropy};
use crate::upstream::{Kind, Upstreams};
use agent_core::id::ToolId;
use agent_core::refusal::Refusal;
use agent_core::session::{Asker, Listing, PrincipalId, ProfileId, SessionId, SessionKey, SessionName};
use agent_engine::desk::Desk;
use agent_engine::engine::Front;
use agent_engine::ledger::CommitError;
use agent_engine::projection::text::refusal;
use agent_engine::session::{Cell, Presented};
use std::sync::{Arc, OnceLock};
use tokio::sync::watch;

/// Names in a list that a person reads at the start.
const NAMED: usize = 16;

/// What a host serves its clients with.
#[derive(Clone)]
pub struct Clients {
    /// The clients' face of the engine.
    pub front: Front,
    /// Where answers are handed in that clients show.
    pub desk: Desk,
    /// Where the host stands to them.
    pub boundary: Boundary,
    pub(crate) states: Arc<States>,
    pub(crate) tasks: Arc<Tasks>,
    pub(crate) upstreams: Servers,
    config: watch::Receiver<Arc<Config>>,
    pages: Arc<OnceLock<Pages>>,
}

/// Where the operator's pages are.
struct Pages {
    url: String,
    /// Whether the URL itself holds a secret of this user's.
    secret: bool,
}

/// How a client was started.
#[derive(Debug, Clone)]
pub struct Launch {
    /// Whom its session belongs to.
    pub principal: PrincipalId,
    /// The profile that it asks for; without one it is given the configuration's.
    pub profile: Option<ProfileId>,
    /// What its launcher calls the one conversation that it is started for.
    pub name: Option<SessionName>,
}

/// A client that can be served.
pub struct Client {
    /// What it is served with.
    pub connection: Connection,
    /// Its session's secret, where it was opened with one just now.
    pub key: Option<SessionKey>,
    /// What the person who started it is told.
    pub told: Vec<String>,
}

/// Why a client can't be served.
#[derive(Debug, thiserror::Error)]
pub enum Unserved {
    /// It asks for a profile that the configuration doesn't have; the second names those that it has.
    #[error("no profile `{0}`")]
    NoProfile(ProfileId, String),
    /// Its session could not be recorded.
    #[error("no session could be opened: {0}")]
    Commit(#[from] CommitError),
}

impl Unserved {
    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::NoProfile(_, known) => format!("the configuration has: {known}"),
            Self::Commit(_) => "see whether the disk is full".to_owned(),
        }
    }
}

impl Clients {
    /// Under a configuration as it is whenever a client comes.
    #[must_use]
    pub fn new(front: Front, desk: Desk, boundary: Boundary, config: watch::Receiver<Arc<Config>>) -> Self {
        Self {
            front,
            desk,
            boundary,
            states: Arc::new(States::new(Arc::new(SystemEntropy))),
            tasks: Arc::new(Tasks::new(Arc::new(SystemEntropy), Arc::new(SystemClock::new()))),
            upstreams: None,
            config,
            pages: Arc::default(),
        }
    }

    /// With servers whose prompts and resources are relayed.
    #[must_use]
    pub fn with(self, upstreams: Arc<Upstreams>) -> Self {
        Self { upstreams: Some(upstreams), ..self }
    }

    /// Whether anything of a server is relayed besides its tools.
    pub(crate) fn relays(&self) -> bool {
        let any = |upstreams: &Arc<Upstreams>| [Kind::Prompts, Kind::Resources].iter().any(|kind| !upstreams.relaying(*kind).is_empty());
        self.upstreams.as_ref().is_some_and(any)
    }

    /// The configuration now.
    #[must_use]
    pub fn config(&self) -> Arc<Config> {
        self.config.borrow().clone()
    }

    /// Notes where the operator's pages are, for links to them.
    pub(crate) fn show_pages(&self, url: &str, secret: bool) {
        // A host opens one console.
        let _ = self.pages.set(Pages { url: url.trim_end_matches('/').to_owned(), secret });
    }

    /// The configuration now and later.
    pub(crate) fn configs(&self) -> watch::Receiver<Arc<Config>> {
        self.config.clone()
    }

    /// Opens a session for a client, with a secret if it may come again by it.
    ///
    /// # Errors
    /// [`Unserved`]; there is no session then.
    pub async fn open(&self, launch: Launch, keyed: bool) -> Result<Client, Unserved> {
        let config = self.config();
        let Launch { principal, profile, name } = launch;
        let profile = profile_of(&config, profile)?;
        let opened = self.front.open(principal, profile, keyed).await?;
        let mut told = greeting(opened.session.asker(), &opened.refused);
        if config.surface == Some(Surface::Full) {
            told.extend(self.fill(&opened.session).await);
        }
        Ok(Client { connection: self.connection(opened.session, Way::Process(name), &config), key: opened.key, told })
    }

    /// Opens a session for a caller over HTTP.
    ///
    /// # Errors
    /// [`Unserved`]; there is no session then.
    pub(crate) async fn open_by(&self, caller: &Caller, by: Presented) -> Result<Arc<Cell>, Unserved> {
        let config = self.config();
        let profile = profile_of(&config, caller.profile.clone())?;
        let opened = self.front.open_by(caller.principal.clone(), profile, by).await?;
        let mut told = greeting(opened.session.asker(), &opened.refused);
        if config.surface == Some(Surface::Full) {
            told.extend(self.fill(&opened.session).await);
        }
        tracing::info!("{}", told.join("; "));
        Ok(opened.session)
    }

    /// Takes a session up again, for the principal whose it is and by its key.
    #[must_use]
    pub fn resume(&self, launch: Launch, session: SessionId, key: &SessionKey) -> Option<Client> {
        let session = self.front.resume(&launch.principal, session, Some(key))?;
        Some(Client { connection: self.connection(session, Way::Process(launch.name), &self.config()), key: None, told: Vec::new() })
    }

    /// Ends a client's session; false if that could not be recorded, and is in effect all the same.
    pub async fn close(&self, session: &Cell) -> bool {
        self.states.forget(session.asker().session);
        // An operator ended it before.
        if session.taken() {
            return true;
        }
        let recorded = self.front.close(session).await.recorded;
        if !recorded {
            tracing::error!("the end of {} is in effect, and could not be recorded", session.asker().session);
        }
        recorded
    }

    /// What a session is served with, however its client came.
    pub(crate) fn connection(&self, session: Arc<Cell>, way: Way, config: &Config) -> Connection {
        // A relay is of the host's own user; the client behind it may be another's, who can't read that secret. The operator knows.
        let ours = matches!(way, Way::Process(_)) && config.console.links;
        let pages = self.pages.get().filter(|pages| ours || !pages.secret).map(|pages| pages.url.clone());
        Connection {
            pages,
            front: self.front.clone(),
            desk: self.desk.clone(),
            session,
            way,
            surface: config.surface,
            states: self.states.clone(),
            tasks: self.tasks.clone(),
            boundary: self.boundary,
            wait: config.wait,
            upstreams: self.upstreams.clone(),
        }
    }

    /// Activates what the rules say `auto` of, and says what there was no room for.
    async fn fill(&self, session: &Arc<Cell>) -> Vec<String> {
        let left = self.front.preset_by_rule(session).await;
        let mut told = vec![format!("{} tools are active from the start (`surface = \"full\"`)", session.state().active.len())];
        if !left.is_empty() {
            told.push(format!("{} more would be, and there is no room for them:", left.len()));
            told.extend(left.iter().take(NAMED).map(|id| format!("  {id}")));
        }
        told
    }
}

/// The profile that a client is served under.
fn profile_of(config: &Config, asked: Option<ProfileId>) -> Result<Option<ProfileId>, Unserved> {
    let profile = asked.or_else(|| config.profile.clone());
    if let Some(profile) = profile.as_ref().filter(|profile| !config.policy.profiles.contains_key(profile)) {
        let known: Vec<_> = config.policy.profiles.keys().map(ToString::to_string).collect();
        let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        return Err(Unserved::NoProfile(profile.clone(), known));
    }
    Ok(profile)
}

fn greeting(asker: &Asker, refused: &[(ToolId, Refusal)]) -> Vec<String> {
    let profile = asker.profile.as_ref().map(|profile| format!(", profile {profile}")).unwrap_or_default();
    let session = format!("session {} of {}{profile}", asker.session, asker.principal);
    let inactive = |(id, why): &(ToolId, Refusal)| format!("preset {id} is not active: {}", refusal(why, Listing::Held));
    std::iter::once(session).chain(refused.iter().map(inactive)).collect()
}
