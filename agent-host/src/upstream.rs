//! The servers behind the host: child processes that speak MCP, started, listed and called through rmcp's client.
//!
//! Is: the engine's `ToolHost` over real processes. Is not: a judge; whether a call may go is the engine's, and nothing a
//! server says here decides anything. The wire's types stay in `upstream` and `mcp` (I-9). HTTP and raw listings come later.
//! Clauses: UP-1 (started and asked again), UP-3, UP-4, CAT-4 (a listing). Invariants: I-3 (the live digest), I-6.
//! Neighbours: `config` says what to start, `app` publishes what is listed.

mod child;
mod connection;
mod listeners;
mod listing;
mod server;
mod server_lease;
mod start_error;
mod wire;

pub use listing::Listed;

#[cfg(test)]
pub(crate) mod tests;

use crate::config;
use agent_core::id::{Alias, SourceClass, ToolId};
use agent_core::outcome::Outcome;
use agent_core::session::Asker;
use agent_engine::call::{Lease, ToolHost};
use agent_engine::catalog::Source;
use async_trait::async_trait;
use server::Server;
use start_error::StartError;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;

/// Servers being started at a time.
const STARTS: usize = 8;
/// How long a server has to start and to shake hands.
const START: Duration = Duration::from_secs(30);
/// How long a whole listing may take (CAT-4).
const LISTING: Duration = Duration::from_secs(60);
/// How long a call may take where the operator names no `timeout`.
const CALL: Duration = Duration::from_secs(120);
/// How long a server that would not start is left alone.
const REST: Duration = Duration::from_secs(5);
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

/// Every server of one configuration.
pub struct Upstreams {
    servers: BTreeMap<Alias, Arc<Server>>,
    changed: watch::Sender<()>,
}

impl Upstreams {
    /// The enabled servers of a configuration, none of them started.
    #[must_use]
    pub fn new(servers: &BTreeMap<Alias, config::Server>) -> Self {
        let changed = watch::Sender::new(());
        let enabled = servers.iter().filter(|(_, settings)| settings.enabled);
        let made =
            enabled.map(|(alias, settings)| (alias.clone(), Arc::new(Server::new(alias.clone(), settings.clone(), changed.clone()))));
        Self { servers: made.collect(), changed }
    }

    /// Starts what does not run, several at a time, lists anew what said that it changed, and waits until each has or has
    /// not.
    pub async fn refresh(&self) -> Vec<Trouble> {
        let turns = Arc::new(Semaphore::new(STARTS));
        let mut tasks = JoinSet::new();
        for server in self.servers.values() {
            let (server, turns) = (server.clone(), turns.clone());
            tasks.spawn(async move {
                let _turn = turns.acquire().await;
                let ready = server.ready().await;
                let what = ready.map_or_else(Some, |connection| connection.listed().cut.clone());
                what.map(|what| Trouble { server: server.alias().clone(), what })
            });
        }
        let mut troubles: Vec<_> = tasks.join_all().await.into_iter().flatten().collect();
        troubles.sort_by(|a, b| a.server.cmp(&b.server));
        troubles
    }

    /// What the servers listed last, for a catalog. One that never listed anything is there without tools.
    #[must_use]
    pub fn listing(&self) -> Vec<Source> {
        let source = |server: &Arc<Server>| Source {
            declared: server.settings().declared(),
            tags: server.settings().tags.clone(),
            description: server.settings().description.clone(),
            definitions: server.listed().map(|listed| listed.definitions.clone()).unwrap_or_default(),
            refused: server.listed().map(|listed| listed.refused.clone()).unwrap_or_default(),
            ..Source::new(SourceClass::Mcp, server.alias().clone())
        };
        self.servers.values().map(source).collect()
    }

    /// Starts one server, lists what it has, and stops it.
    ///
    /// # Errors
    /// The text says at which step it failed, and what the program said last.
    pub async fn look(settings: &config::Server) -> Result<Listed, String> {
        let opened = connection::Connection::open(settings, None, watch::Sender::new(())).await;
        let connection = opened.map_err(|error| error.to_string())?;
        let settled = connection.settle().await;
        let listed = connection.listed();
        connection.stop().await;
        settled.map(|()| (*listed).clone()).map_err(|error| error.to_string())
    }

    /// Wakes when a server listed something else, or says that it would.
    #[must_use]
    pub fn changed(&self) -> watch::Receiver<()> {
        self.changed.subscribe()
    }

    /// Stops every server: its input is closed, then it is asked to end, then its whole group is killed.
    pub async fn close(&self) {
        let mut tasks = JoinSet::new();
        for server in self.servers.values() {
            let server = server.clone();
            tasks.spawn(async move { server.stop().await });
        }
        tasks.join_all().await;
    }
}

#[async_trait]
impl ToolHost for Upstreams {
    async fn reserve(&self, _: &Asker, id: &ToolId) -> Result<Box<dyn Lease>, Outcome> {
        let no_route = || Outcome::Unreachable(format!("no server of this host has the alias `{}`", id.server()));
        let server = self.servers.get(&id.server()).filter(|_| id.class() == SourceClass::Mcp).ok_or_else(no_route)?;
        let lease = server.lease(id).await.map_err(|what| Outcome::Unreachable(format!("server `{}`: {what}", server.alias())))?;
        Ok(Box::new(lease))
    }
}
