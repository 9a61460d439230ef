//! The servers behind the host: child processes that speak MCP, started when they are needed, listed, called, and stopped
//! when they are not; and servers behind URLs, connected to in the same way.
//!
//! Is: the engine's `ToolHost` over real processes and connections. Is not: a judge; whether a call may go is the engine's,
//! and nothing a server says here decides anything. The wire's types stay in `upstream` and `mcp` (I-9).
//! Clauses: UP-1 (stdio, HTTP), UP-3, UP-5 (HTTP), UP-4, UP-10, CAT-4 (a listing), CAT-6 (notices), HOST-2, SRCH-6 (servers that are down).
//! Invariants: I-3 (the live digest), I-6.
//! Neighbours: `config` says what to start, `app` publishes what is listed.
//!
//! A server has one connection for each principal, or one for all where the operator says `shared`. Nothing is started by
//! making the pool, by reading [`Upstreams::listing`] or by a search; the first call starts one process, however many
//! callers wait for it. Whoever holds the pool calls [`Upstreams::sweep`] about once a second: it stops what nobody uses and
//! buries what was lost. Another set of servers is taken in two steps, so that its holder can do something in between:
//! [`Upstreams::withdraw`] what is not in it, then [`Upstreams::admit`] what was not there.
//!
//! ```no_run
//! use agent_core::id::Alias;
//! use agent_host::{config, upstream::Upstreams};
//! use std::{collections::BTreeMap, sync::Arc, time::Duration};
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let clock = config::Server { shared: true, ..config::Server::new("mcp-server-time".to_owned()) };
//! let servers = BTreeMap::from([(Alias::parse("clock")?, clock)]);
//! // What a lock file keeps would be the second; here nothing is known, so the servers are listed first.
//! let pool = Arc::new(Upstreams::new(&servers, &BTreeMap::new()));
//! for trouble in pool.refresh().await {
//!     eprintln!("{trouble}");
//! }
//! let catalog = agent_engine::catalog::assemble(&pool.listing());
//! println!("{} tools", catalog.tools().len());
//! // `Parts::new(ledger, pool.clone(), …)` makes an engine on it.
//! let swept = pool.clone();
//! let sweeper = tokio::spawn(async move {
//!     loop {
//!         tokio::time::sleep(Duration::from_secs(1)).await;
//!         swept.sweep().await;
//!     }
//! });
//! # sweeper.abort();
//! pool.close().await;
//! # Ok(())
//! # }
//! ```

mod abandoned;
mod authorize;
mod backoff;
mod calls;
mod child;
mod connection;
mod following;
mod form;
mod gate;
mod health;
mod http;
mod line;
mod listeners;
mod listing;
mod news;
mod questions;
mod rate;
mod relayed;
mod server;
mod server_lease;
mod stale;
mod start_error;
mod target;
mod task;
mod wire;

pub use authorize::{Access, Authorize, NoAccess, NoLogins, Refused};
pub use health::Health;
pub use listing::Listed;
pub(crate) use relayed::{Kind, Referred, URI_BYTES, Unrelayed, uri_at, uri_of};

#[cfg(test)]
pub(crate) mod tests;

use crate::config;
use agent_core::id::{Alias, SourceClass, ToolId};
use agent_core::outcome::Outcome;
use agent_core::session::Asker;
use agent_engine::call::{Absent, Lease, ToolHost};
use agent_engine::catalog::Source;
use agent_engine::inquiry::Inquiring;
use async_trait::async_trait;
use connection::Connection;
use parking_lot::{Mutex, RwLock};
use server::{Pool, Server};
use start_error::StartError;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use target::Target;
use tokio::sync::{Semaphore, broadcast, watch};
use tokio::task::JoinSet;

/// Servers being started at a time.
const STARTS: usize = 8;
/// How long a whole listing may take (CAT-4).
const LISTING: Duration = Duration::from_secs(60);
/// One that ends sooner after its start is left alone for a while.
const SOON: Duration = Duration::from_secs(10);
/// How long a server has to end by itself once its input is closed, and again once it was asked to.
const PATIENCE: Duration = Duration::from_secs(1);

/// What went wrong with one server. The others go on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("server `{server}`: {what}")]
pub struct Trouble {
    /// Which.
    pub server: Alias,
    /// What, in words for an operator.
    pub what: String,
}

/// A configured server and what it is known to list, for a catalog.
pub(crate) fn source(alias: &Alias, settings: &config::Server, listed: Option<&Listed>) -> Source {
    Source {
        declared: settings.declared(),
        tags: settings.tags.clone(),
        description: settings.description.clone(),
        definitions: listed.map(|listed| listed.definitions.clone()).unwrap_or_default(),
        refused: listed.map(|listed| listed.refused.clone()).unwrap_or_default(),
        ..Source::new(SourceClass::Mcp, alias.clone())
    }
}

type Servers = BTreeMap<Alias, Arc<Server>>;

/// Every server of one configuration. Dropping it kills what runs; [`Upstreams::close`] is kinder.
pub struct Upstreams {
    /// Where calls go.
    servers: RwLock<Arc<Servers>>,
    /// Those that were withdrawn and still run.
    leaving: Mutex<Vec<Arc<Server>>>,
    pool: Pool,
    closing: watch::Sender<()>,
}

impl Upstreams {
    /// The enabled servers of a configuration, none of them started. `known` is what they are known to list, from a lock
    /// file; it is what [`Upstreams::listing`] gives until a server was listed.
    #[must_use]
    pub fn new(servers: &BTreeMap<Alias, config::Server>, known: &BTreeMap<Alias, Listed>) -> Self {
        Self::with_logins(servers, known, Arc::new(NoLogins))
    }

    /// The same, with somebody who keeps the logins of servers behind URLs.
    #[must_use]
    pub fn with_logins(servers: &BTreeMap<Alias, config::Server>, known: &BTreeMap<Alias, Listed>, logins: Arc<dyn Authorize>) -> Self {
        let (closing, starts) = (watch::Sender::new(()), Arc::new(Semaphore::new(STARTS)));
        let pool = Pool {
            starts,
            changed: watch::Sender::new(()),
            closing: closing.subscribe(),
            logins,
            clients: Arc::default(),
            way: Arc::default(),
            told: news::told(),
        };
        let upstreams = Self { servers: RwLock::default(), leaving: Mutex::default(), pool, closing };
        upstreams.admit(servers, known);
        upstreams
    }

    /// Says who puts the questions of servers to persons, where the operator has them put (AUTH-8). Until then none is.
    pub fn ask_by(&self, inquiring: Inquiring) {
        // A pool belongs to one engine.
        let _ = self.pool.way.set(inquiring);
    }

    /// Takes out every server that is not among the enabled ones of a configuration with the very settings that it has here.
    /// From then on no call of it starts. Calls that started run to their end, then its processes are stopped by
    /// [`Upstreams::sweep`]. Returns which they are.
    pub fn withdraw(&self, servers: &BTreeMap<Alias, config::Server>) -> Vec<Alias> {
        let stays = |server: &Server| servers.get(server.alias()).is_some_and(|settings| settings.enabled && settings == server.settings());
        self.change(|here| {
            let gone: Vec<_> = here.extract_if(.., |_, server| !stays(server)).map(|(_, server)| server).collect();
            gone.iter().for_each(|server| server.withdraw());
            let aliases = gone.iter().map(|server| server.alias().clone()).collect();
            self.leaving.lock().extend(gone);
            aliases
        })
    }

    /// Adds the enabled servers of a configuration that are not here, none of them started. `known` is as for
    /// [`Upstreams::new`]. A server that is here stays as it is, so one whose settings changed is withdrawn first.
    pub fn admit(&self, servers: &BTreeMap<Alias, config::Server>, known: &BTreeMap<Alias, Listed>) {
        self.change(|here| {
            for (alias, settings) in servers.iter().filter(|(_, settings)| settings.enabled) {
                let server = || Server::new(alias.clone(), settings.clone(), known.get(alias).cloned(), self.pool.clone());
                here.entry(alias.clone()).or_insert_with(|| Arc::new(server()));
            }
        });
    }

    fn change<T>(&self, change: impl FnOnce(&mut Servers) -> T) -> T {
        change(Arc::make_mut(&mut self.servers.write()))
    }

    fn servers(&self) -> Arc<Servers> {
        self.servers.read().clone()
    }

    /// Starts and lists the servers of which nothing is known, several at a time, and waits until each was listed or was
    /// not. What is listed shows in [`Upstreams::listing`] as it comes. Gives [`Upstreams::troubles`].
    pub async fn refresh(&self) -> Vec<Trouble> {
        let mut tasks = JoinSet::new();
        for server in self.servers().values() {
            let server = server.clone();
            tasks.spawn(async move { server.look_once().await });
        }
        tasks.join_all().await;
        self.troubles()
    }

    /// What an operator should know of now: servers that can't be used, and listings that are not whole. By alias.
    #[must_use]
    pub fn troubles(&self) -> Vec<Trouble> {
        let what = |server: &Server| match server.health() {
            Health::Failed { why, .. } => Some(why),
            health @ Health::NeedsLogin { .. } => Some(health.to_string()),
            Health::Unstarted | Health::Running { .. } => server.cut(),
        };
        let trouble = |(alias, server): (&Alias, &Arc<Server>)| Some(Trouble { server: alias.clone(), what: what(server)? });
        self.servers().iter().filter_map(trouble).collect()
    }

    /// How each server is. Starts nothing; reads the credentials' places of those that don't run.
    #[must_use]
    pub fn health(&self) -> Vec<(Alias, Health)> {
        self.servers().iter().map(|(alias, server)| (alias.clone(), server.health())).collect()
    }

    /// What the servers listed last, for a catalog. One that never listed anything is there without tools.
    // INVARIANT: I-6 what is known is given; no server is asked
    #[must_use]
    pub fn listing(&self) -> Vec<Source> {
        let source = |server: &Arc<Server>| source(server.alias(), server.settings(), server.listed().as_deref());
        self.servers().values().map(source).collect()
    }

    /// Takes in what a lock file says by now. A server that runs and listed something else ends once no call runs on it, so
    /// that the next one starts what was listed.
    pub fn learn(&self, known: &BTreeMap<Alias, Listed>) {
        for (alias, server) in &*self.servers() {
            known.get(alias).into_iter().for_each(|listed| server.learn(listed));
        }
    }

    /// Starts one server, lists what it has, and stops it.
    ///
    /// # Errors
    /// The text says at which step it failed, and what the program said last.
    pub async fn look(alias: &Alias, settings: &config::Server, logins: Arc<dyn Authorize>) -> Result<Listed, String> {
        let (clients, way, told) = (Arc::default(), Arc::default(), news::told());
        let target = Target { alias: alias.clone(), settings: settings.clone(), logins, clients, way, told };
        let looked = async {
            target.credentials()?;
            let connection = Connection::open(&target, None, None, watch::Sender::new(())).await?;
            let settled = connection.settle().await;
            connection.stop().await;
            settled.map(|()| (*connection.listed()).clone())
        };
        looked.await.map_err(|error: StartError| target.told(&error))
    }

    /// Wakes when something else is known of a server: it listed something else, or could not be used.
    #[must_use]
    pub fn changed(&self) -> watch::Receiver<()> {
        self.pool.changed.subscribe()
    }

    /// What servers say of their prompts and resources from now on: whose list, of which kind.
    pub(crate) fn news(&self) -> broadcast::Receiver<(Alias, Kind)> {
        self.pool.told.subscribe()
    }

    /// Starts the server of a tool in the background where the operator says `prewarm`. For a tool that was activated.
    pub fn prewarm(&self, asker: &Asker, id: &ToolId) {
        if let Some(server) = self.server(id).filter(|server| server.settings().prewarm) {
            server.prewarm(&asker.principal);
        }
    }

    /// Stops connections that nobody used for their server's `idle`, and buries those that were lost. One on which a call is
    /// reserved or runs is in use. To be called about once a second; a call given up halfway does no harm.
    pub async fn sweep(&self) {
        let (mut tasks, all) = (JoinSet::new(), self.all());
        for server in &all {
            for line in server.lines() {
                let server = server.clone();
                tasks.spawn(async move { line.sweep(&server).await });
            }
        }
        tasks.join_all().await;
        all.iter().for_each(|server| server.tidy());
        self.leaving.lock().retain(|server| !server.lines().is_empty());
    }

    /// Stops every server: its input is closed, then it is asked to end, then its whole group is killed. Nothing is started
    /// any more.
    pub async fn close(&self) {
        self.closing.send_replace(());
        let mut tasks = JoinSet::new();
        for line in self.all().iter().flat_map(|server| server.lines()) {
            tasks.spawn(async move { line.stop().await });
        }
        tasks.join_all().await;
    }

    /// Those that calls go to, and those that are leaving.
    fn all(&self) -> Vec<Arc<Server>> {
        self.servers().values().chain(&*self.leaving.lock()).cloned().collect()
    }

    fn server(&self, id: &ToolId) -> Option<Arc<Server>> {
        self.servers.read().get(&id.server()).filter(|_| id.class() == SourceClass::Mcp).cloned()
    }
}

#[async_trait]
impl ToolHost for Upstreams {
    async fn reserve(&self, asker: &Asker, id: &ToolId) -> Result<Box<dyn Lease>, Outcome> {
        let no_route = || Outcome::Unreachable(format!("no server of this host has the alias `{}`", id.server()));
        let server = self.server(id).ok_or_else(no_route)?;
        let lease = server.lease(asker, id).await;
        let unreachable = |error| Outcome::Unreachable(format!("server `{}`: {}", server.alias(), server.target().told_to_model(&error)));
        Ok(Box::new(lease.map_err(unreachable)?))
    }

    fn activated(&self, asker: &Asker, ids: &[ToolId]) {
        ids.iter().for_each(|id| self.prewarm(asker, id));
    }

    fn absent(&self) -> Vec<Absent> {
        let unknown = |server: &&Arc<Server>| server.listed().is_none();
        self.servers().values().filter(unknown).filter_map(|server| server.absent()).collect()
    }
}
