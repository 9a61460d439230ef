//! Clients over HTTP: one endpoint for both eras of MCP, for as many principals as have a credential.
//!
//! Is: who asks (its credential, and nothing it says of itself), which of its conversations that is, and bounds on what one
//! principal may take up; then MCP as `mcp` speaks it. Is not: a decision about a tool. Clauses: SES-1, SES-2 (HTTP), SES-3,
//! SES-4. Invariant: I-9. Neighbours: `client` opens sessions, `door` is the same for clients of this user's own processes.

mod account;
mod answer;
mod bound;
mod credentials;
mod direct;
mod drain;
mod handle;
mod held;
mod pages;
mod routes;
mod sessions;
mod visit;

#[cfg(test)]
mod tests;

pub use credentials::Credentials;

use crate::client::Clients;
use crate::config::Http;
use crate::web::{Listening, NoEndpoint};
use agent_engine::token::Standing;
use credentials::of_token;
use drain::Drain;
use routes::Routes;
use sessions::Sessions;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::watch;
use tokio::task::JoinSet;

/// Between two looks at what nobody uses.
const SWEEP: Duration = Duration::from_secs(5);

/// An endpoint that takes clients until it is ended.
pub struct Endpoint {
    at: SocketAddr,
    encrypted: bool,
    routes: Arc<Routes>,
    tasks: JoinSet<()>,
}

impl Endpoint {
    /// Listens at an address.
    ///
    /// # Errors
    /// [`NoEndpoint`].
    pub async fn open(at: SocketAddr, http: &Http, clients: Clients, credentials: Credentials) -> Result<Self, NoEndpoint> {
        let listening = Listening::bind(at, http.into()).await?;
        let at = listening.at();
        let (drain, mut standing) = (Drain::new(), credentials.standing());
        let sessions = Arc::new(Sessions::new(clients));
        let stand = standing.borrow_and_update().clone();
        sessions.end_unless(&stand.iter().copied().map(of_token).collect()).await;
        let routes = Arc::new(Routes::new(at, credentials, sessions.clone(), drain, http));
        let mut tasks = JoinSet::new();
        tasks.spawn(listening.accept(routes.clone()));
        tasks.spawn(sweep(sessions.clone(), routes.clone()));
        tasks.spawn(revoked(sessions, stand, standing));
        Ok(Self { at, encrypted: http.tls.is_some(), routes, tasks })
    }

    /// Where it listens.
    #[must_use]
    pub const fn at(&self) -> SocketAddr {
        self.at
    }

    /// The URL that clients are given, by the address it listens on.
    #[must_use]
    pub fn url(&self) -> String {
        format!("{}://{}/mcp", if self.encrypted { "https" } else { "http" }, self.at)
    }

    /// Takes no more requests, gives those under way a while to end, and goes.
    pub async fn end(mut self) {
        self.routes.drain().await;
        self.tasks.shutdown().await;
    }
}

async fn sweep(sessions: Arc<Sessions>, routes: Arc<Routes>) {
    let since = Instant::now();
    let mut every = tokio::time::interval(SWEEP);
    loop {
        every.tick().await;
        sessions.sweep(since).await;
        routes.sweep();
    }
}

/// Ends the sessions of each token that no longer stands.
async fn revoked(sessions: Arc<Sessions>, mut before: Standing, mut standing: watch::Receiver<Standing>) {
    while standing.changed().await.is_ok() {
        let now = standing.borrow_and_update().clone();
        for gone in before.difference(&now) {
            sessions.end_of(&of_token(*gone)).await;
        }
        before = now;
    }
}
