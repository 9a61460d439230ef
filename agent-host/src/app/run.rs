//! `run`: the one host of a user, for every client that comes in at the door, and over HTTP and with the operator's pages where that is asked for.
//!
//! Clauses: HOST-1 (socket), SES-4 (the first token). Neighbours: `serve` is how clients come, and starts this where it does not run.

use super::host::{Host, failed};
use super::tell;
use crate::cli::{Exit, Failure, Places, Run};
use crate::console::Console;
use crate::door::Door;
use crate::http::{Credentials, Endpoint};
use crate::system::{asked_to_end, user};
use agent_core::session::PrincipalId;
use agent_engine::token::Wanted;
use std::net::SocketAddr;
use std::path::Path;
use std::pin::pin;
use std::time::Duration;
use tokio::sync::watch;

/// How long the first token stands.
const FIRST: Duration = Duration::from_secs(90 * 24 * 3600);

pub(super) async fn run(places: &Places, options: Run) -> Result<(), Failure> {
    let (config, state) = places.configured()?;
    let mut end = pin!(asked_to_end());
    let host = tokio::select! {
        host = Host::start(config, &state, places.again(false)) => host?,
        () = &mut end => return Ok(()),
    };
    let console = match options.console.or(host.clients.config().console.listen) {
        Some(at) => Some(pages(at, &state, &host).await?),
        None => None,
    };
    let door = Door::open(&state, host.clients.clone());
    let door = door.map_err(|error| failed("clients can't come in", &format!("{error}\nhint: name a shorter `--state DIR`")))?;
    let endpoint = match options.http {
        Some(at) => Some(listen(at, &host).await?),
        None => None,
    };
    host.greet(&state);
    if console.is_some() {
        tell("the operator's pages are served; `agent-host console` says where");
    }
    if let Some(endpoint) = &endpoint {
        tell(&format!("clients over HTTP come to {}", endpoint.url()));
        first_token(endpoint, &host).await?;
    }
    tokio::select! {
        () = end => {}
        () = unused(door.clients(), options.linger.map(|length| length.0)) => tell("no client for a while; this host ends"),
    }
    if let Some(endpoint) = endpoint {
        endpoint.end().await;
    }
    drop(console);
    // Sessions stay: their clients take them up again at the next host.
    drop(door);
    host.end().await;
    Ok(())
}

async fn listen(at: SocketAddr, host: &Host) -> Result<Endpoint, Failure> {
    let clients = host.clients.clone();
    let (http, credentials) = (clients.config().http.clone(), Credentials::new(clients.clone()));
    let endpoint = Endpoint::open(at, &http, clients, credentials).await;
    endpoint.map_err(|error| Failure::new(Exit::Usage, format!("{error}\nhint: {}", error.hint("http"))))
}

async fn pages(at: SocketAddr, state: &Path, host: &Host) -> Result<Console, Failure> {
    let console = Console::open(at, state, host.office.clone(), host.clients.configs()).await;
    let console = console.map_err(|error| Failure::new(Exit::Usage, format!("{error}\nhint: {}", error.hint("console"))))?;
    host.clients.show_pages(&console.url(), console.is_secret());
    Ok(console)
}

/// Who starts this for the first time has no token yet, and without one nobody comes in: so one is made and shown, once.
async fn first_token(endpoint: &Endpoint, host: &Host) -> Result<(), Failure> {
    let desk = &host.clients.desk;
    if !desk.tokens().is_empty() || host.clients.config().oauth.is_some() {
        return Ok(());
    }
    let principal = PrincipalId::parse(&user()).map_err(|why| Failure::new(Exit::Failed, why))?;
    let wanted = Wanted { principal, profile: None, lasts: Some(FIRST), url: false, note: None };
    let (record, token) = desk.create_token(wanted, "the first start").await.map_err(|error| failed("no token could be made", &error))?;
    tell(&format!(
        "a first token, {} of `{}`, good for 90 days and shown this once; a client comes in by it:",
        record.id, record.principal
    ));
    tell(&format!("  claude mcp add --transport http agent-host {} --header \"Authorization: Bearer {}\"", endpoint.url(), token.reveal()));
    tell("`agent-host token create --principal NAME` makes one for each further person");
    Ok(())
}

/// Returns once there was no client for so long; never where that is no matter.
async fn unused(mut clients: watch::Receiver<usize>, linger: Option<Duration>) {
    let Some(linger) = linger else { return std::future::pending().await };
    loop {
        let used = *clients.borrow_and_update() > 0;
        if used {
            // Its sender goes with the door alone.
            let _ = clients.changed().await;
        } else if tokio::time::timeout(linger, clients.changed()).await.is_err() {
            return;
        }
    }
}
