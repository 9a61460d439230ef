//! One configured server: at most one connection at a time, opened again when it was lost.
//!
//! Is not: a pool; one connection serves the one principal of a standalone host. Clauses: UP-1 (opened again), UP-3.

use super::connection::Connection;
use super::listing::Listed;
use super::server_lease::ServerLease;
use super::{CALL, REST};
use crate::config;
use agent_core::id::{Alias, ToolId};
use parking_lot::Mutex;
use std::sync::Arc;
use tokio::sync::{Semaphore, watch};
use tokio::time::Instant;

/// A server and its connection, if it has one.
pub(super) struct Server {
    alias: Alias,
    settings: config::Server,
    changed: watch::Sender<()>,
    state: Mutex<State>,
    /// Whoever opens or lists holds the one permit; the others wait and find it done. Closed when the server is stopped.
    turn: Semaphore,
}

#[derive(Default)]
struct State {
    connection: Option<Arc<Connection>>,
    listed: Option<Arc<Listed>>,
    failed: Option<(Instant, String)>,
}

impl Server {
    pub(super) fn new(alias: Alias, settings: config::Server, changed: watch::Sender<()>) -> Self {
        Self { alias, settings, changed, state: Mutex::default(), turn: Semaphore::new(1) }
    }

    pub(super) const fn alias(&self) -> &Alias {
        &self.alias
    }

    pub(super) const fn settings(&self) -> &config::Server {
        &self.settings
    }

    /// What it listed last, on this connection or the one before.
    pub(super) fn listed(&self) -> Option<Arc<Listed>> {
        self.state.lock().listed.clone()
    }

    /// A connection that is open and listed, opened now if there is none.
    ///
    /// # Errors
    /// The text says why there is none; it is tried again after a rest.
    pub(super) async fn ready(&self) -> Result<Arc<Connection>, String> {
        let _turn = self.turn.acquire().await.map_err(|_| "it was stopped".to_owned())?;
        let connection = match self.open_now() {
            Some(connection) => connection,
            None => self.open().await?,
        };
        connection.relist().await.map_err(|error| error.to_string())?;
        self.remember(connection.listed());
        Ok(connection)
    }

    fn open_now(&self) -> Option<Arc<Connection>> {
        self.state.lock().connection.clone().filter(|connection| connection.is_open())
    }

    async fn open(&self) -> Result<Arc<Connection>, String> {
        if let Some((_, why)) = self.state.lock().failed.clone().filter(|(at, _)| at.elapsed() < REST) {
            return Err(why);
        }
        // Gone before its successor starts: a server may hold what only one process can.
        let lost = self.state.lock().connection.take();
        if let Some(lost) = lost {
            tracing::warn!(server = %self.alias, "the connection was lost; starting the server again");
            lost.stop().await;
        }
        let opened = {
            let known = self.state.lock().listed.clone();
            let spoken = known.as_ref().and_then(|listed| listed.protocol.as_deref());
            Connection::open(&self.settings, spoken, self.changed.clone()).await.map(Arc::new).map_err(|error| error.to_string())
        };
        let mut state = self.state.lock();
        match opened {
            Ok(connection) => {
                state.connection = Some(connection.clone());
                state.failed = None;
                Ok(connection)
            }
            Err(why) => {
                state.failed = Some((Instant::now(), why.clone()));
                Err(why)
            }
        }
    }

    /// Keeps a listing, and tells where it is another than before.
    fn remember(&self, listed: Arc<Listed>) {
        let before = self.state.lock().listed.replace(listed.clone());
        if before.is_none_or(|before| before != listed) {
            self.changed.send_replace(());
        }
    }

    /// Everything ready for one call of a tool.
    ///
    /// # Errors
    /// The text says why the server can't take it now.
    pub(super) async fn lease(&self, id: &ToolId) -> Result<ServerLease, String> {
        let connection = self.ready().await?;
        let slot = connection.slots.clone().try_acquire_owned().map_err(|_| "too many calls run on it at a time".to_owned())?;
        let listed = connection.listed().live.get(id.name()).copied();
        let live = listed.ok_or_else(|| "it no longer lists this tool, or not as one that can be served".to_owned())?;
        let patience = self.settings.timeout.map_or(CALL, |timeout| timeout.0);
        Ok(ServerLease::new(connection, slot, id.name().to_owned(), Some(live), patience))
    }

    /// Stops it for good.
    pub(super) async fn stop(&self) {
        self.turn.close();
        let connection = self.state.lock().connection.take();
        if let Some(connection) = connection {
            connection.stop().await;
        }
    }
}
