//! `serve --standalone`: one client, one session, everything in this process.
//!
//! Clauses: SES-2 (stdio), AUTH-5 (its client gone), ACT-9. Neighbours: `host` is everything but the client.

use super::host::{Host, failed};
use super::tell;
use crate::cli::{Exit, Failure, Places, Serve};
use crate::config::Surface;
use crate::mcp::{self, Connection, States};
use crate::system::{SystemEntropy, asked_to_end, user};
use agent_core::session::{Listing, PrincipalId};
use agent_engine::engine::{Front, Opened};
use agent_engine::session::Cell;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

/// How long the client has to take its last answers.
const FAREWELL: Duration = Duration::from_secs(2);

pub(super) async fn standalone(places: &Places, options: Serve) -> Result<(), Failure> {
    let (config, state) = places.serving(options.trust_here)?;
    let principal = options.principal.map_or_else(local, Ok)?;
    let mut end = pin!(asked_to_end());
    let host = tokio::select! {
        host = Host::start(&config, &state) => host?,
        () = &mut end => return Ok(()),
    };
    // Sessions of clients that are gone: nobody can take them up again here.
    for orphan in host.desk.sessions() {
        host.front.close(&orphan).await;
    }
    let opened =
        host.front.open(principal, config.profile.clone(), false).await.map_err(|error| failed("no session could be opened", &error))?;
    host.greet(&config, &state);
    greet(&opened);
    let session = opened.session;
    if config.surface == Some(Surface::Full) {
        fill(&host.front, &session).await;
    }
    let mut serving = pin!(mcp::stdio(Connection {
        front: host.front.clone(),
        desk: host.desk.clone(),
        session: session.clone(),
        name: options.session,
        boundary: host.boundary,
        surface: config.surface,
        states: Arc::new(States::new(Arc::new(SystemEntropy))),
        wait: config.wait,
    }));
    let served = tokio::select! {
        served = &mut serving => Some(served),
        () = &mut end => None,
    };
    if !host.front.close(&session).await.recorded {
        tell("the session's end is in effect, and could not be recorded");
    }
    // A client that is still there gets the answers that it waits for, and the ends of its streams.
    let served = match served {
        Some(served) => served,
        None => tokio::time::timeout(FAREWELL, serving).await.unwrap_or(Ok(())),
    };
    host.end().await;
    served.map_err(|what| Failure::new(Exit::Failed, what))
}

fn local() -> Result<PrincipalId, Failure> {
    PrincipalId::parse(&user()).map_err(|why| Failure::new(Exit::Failed, why))
}

/// Activates what the rules say `auto` of, and says what there was no room for.
async fn fill(front: &Front, session: &Arc<Cell>) {
    let left = front.preset_by_rule(session).await;
    tell(&format!("{} tools are active from the start (`surface = \"full\"`)", session.state().active.len()));
    if !left.is_empty() {
        tell(&format!("{} more would be, and there is no room for them:", left.len()));
        left.iter().take(16).for_each(|id| tell(&format!("  {id}")));
    }
}

fn greet(opened: &Opened) {
    let asker = opened.session.asker();
    let profile = asker.profile.as_ref().map(|profile| format!(", profile {profile}")).unwrap_or_default();
    tell(&format!("session {} of {}{profile}", asker.session, asker.principal));
    for (id, refusal) in &opened.refused {
        tell(&format!("preset {id} is not active: {}", agent_engine::projection::text::refusal(refusal, Listing::Held)));
    }
}
