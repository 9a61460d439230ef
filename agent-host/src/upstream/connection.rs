//! One connection to one running server.
//!
//! Is: handshake, listing and what is known of them. Is not: the decision to start or to stop it (`server`), nor the call
//! (`server_lease`). Clause: UP-1 (one process). Sampling, roots and elicitation are not declared; asked for anyway, they are
//! refused, and there are no roots.

use super::child::Child;
use super::listeners::Listeners;
use super::listing::{Listed, list};
use super::{PATIENCE, START};
use crate::config;
use agent_core::safety::echo;
use parking_lot::Mutex;
use rmcp::model::ProgressNotificationParam;
use rmcp::model::{ClientCapabilities, ClientConfig, ElicitRequestParams, ElicitResult, ErrorCode, Implementation};
use rmcp::service::{ClientInitializeError, NotificationContext, RequestContext, RunningService};
use rmcp::{ClientCacheConfig, ClientHandler, ErrorData, Peer, RoleClient, ServiceExt};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::process::{ChildStdin, ChildStdout};
use tokio::sync::{Semaphore, watch};

/// Calls on one connection at a time. A call puts at most a request and a cancellation into rmcp's queue of 1,024, so
/// the queue is never full and a request is always taken at once.
const CALLS: usize = 256;

/// A server that runs and has listed its tools.
pub(super) struct Connection {
    peer: Peer<RoleClient>,
    /// None once it is being stopped.
    parts: Mutex<Option<(RunningService<RoleClient, Client>, Child)>>,
    listed: Mutex<Arc<Listed>>,
    stale: Arc<AtomicBool>,
    listeners: Listeners,
    pub(super) slots: Arc<Semaphore>,
}

impl Connection {
    /// Starts the program, shakes hands and lists.
    ///
    /// # Errors
    /// The text says at which of these it failed, and what the program said last.
    pub(super) async fn open(settings: &config::Server, changed: watch::Sender<()>) -> Result<Self, String> {
        let (mut child, stdout, stdin) =
            Child::spawn(settings).map_err(|error| format!("`{}` could not be started: {error}", echo(&settings.command)))?;
        let stale = Arc::new(AtomicBool::new(false));
        let listeners = Listeners::default();
        let client = Client { stale: stale.clone(), changed, listeners: listeners.clone() };
        let (running, listed) = match greet(client, stdout, stdin).await {
            Ok(greeted) => greeted,
            Err(what) => match child.said().await {
                said if said.is_empty() => return Err(what),
                said => return Err(format!("{what}; it last said: {said}")),
            },
        };
        Ok(Self {
            peer: running.peer().clone(),
            parts: Mutex::new(Some((running, child))),
            listed: Mutex::new(Arc::new(listed)),
            stale,
            listeners,
            slots: Arc::new(Semaphore::new(CALLS)),
        })
    }

    /// The way to it.
    pub(super) const fn peer(&self) -> &Peer<RoleClient> {
        &self.peer
    }

    /// Who listens to its calls.
    pub(super) const fn listeners(&self) -> &Listeners {
        &self.listeners
    }

    /// Whether it still takes messages.
    pub(super) fn is_open(&self) -> bool {
        !self.peer.is_transport_closed()
    }

    /// What it listed last.
    pub(super) fn listed(&self) -> Arc<Listed> {
        self.listed.lock().clone()
    }

    /// Lists again where it said that its list changed.
    ///
    /// # Errors
    /// As [`list`]; it then stays to be listed.
    pub(super) async fn relist(&self) -> Result<(), String> {
        if self.stale.swap(false, Ordering::AcqRel) {
            let mut owed = Owed(Some(&self.stale));
            *self.listed.lock() = Arc::new(list(&self.peer).await?);
            owed.0 = None;
        }
        Ok(())
    }

    /// Closes its input and waits for it to end.
    pub(super) async fn stop(&self) {
        let parts = self.parts.lock().take();
        if let Some((mut running, child)) = parts {
            if let Err(error) = running.close_with_timeout(PATIENCE).await {
                tracing::debug!(%error, "the connection's task ended badly");
            }
            child.stop(PATIENCE).await;
        }
    }
}

/// A listing that is owed until it is kept, also where who asked for it went away.
struct Owed<'a>(Option<&'a AtomicBool>);

impl Drop for Owed<'_> {
    fn drop(&mut self) {
        if let Some(stale) = self.0 {
            stale.store(true, Ordering::Release);
        }
    }
}

async fn greet(client: Client, stdout: ChildStdout, stdin: ChildStdin) -> Result<(RunningService<RoleClient, Client>, Listed), String> {
    let running = match tokio::time::timeout(START, client.serve((stdout, stdin))).await {
        Ok(running) => running.map_err(|error| format!("it would not shake hands: {}", unmet(&error)))?,
        Err(_) => return Err(format!("it did not shake hands within {START:?}")),
    };
    running.peer().set_response_cache_config(ClientCacheConfig::disabled()).await;
    let listed = list(running.peer()).await?;
    Ok((running, listed))
}

/// Why there was no handshake, in words without types.
fn unmet(error: &ClientInitializeError) -> String {
    match error {
        ClientInitializeError::ConnectionClosed(_) => "it closed its output".to_owned(),
        ClientInitializeError::TransportError { .. } => "it closed its input".to_owned(),
        ClientInitializeError::JsonRpcError(error) => format!("it answered: {}", echo(&error.message)),
        error => echo(&error.to_string()),
    }
}

/// What a server can ask of us: nothing.
pub(super) struct Client {
    stale: Arc<AtomicBool>,
    changed: watch::Sender<()>,
    listeners: Listeners,
}

impl ClientHandler for Client {
    fn get_info(&self) -> ClientConfig {
        ClientConfig::new(ClientCapabilities::default(), Implementation::new("agent-host", env!("CARGO_PKG_VERSION")))
    }

    async fn create_elicitation(&self, _: ElicitRequestParams, _: RequestContext<RoleClient>) -> Result<ElicitResult, ErrorData> {
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, "this client did not declare that", None))
    }

    async fn on_progress(&self, step: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        self.listeners.tell(&step);
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.stale.store(true, Ordering::Release);
        self.changed.send_replace(());
    }
}
