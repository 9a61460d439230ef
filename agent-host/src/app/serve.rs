//! `serve --standalone`: one client, one session, everything in this process.
//!
//! Clauses: SES-2 (one session), AUTH-5 (its client gone), ACT-9. Neighbours: `host` is everything but the client.

use super::host::{Host, failed};
use super::tell;
use crate::cli::{Exit, Failure, Places, Serve};
use crate::mcp::{self, Connection};
use crate::system::{asked_to_end, user};
use agent_core::session::PrincipalId;
use agent_engine::engine::Opened;
use std::pin::pin;

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
    let connection = Connection {
        front: host.front.clone(),
        desk: host.desk.clone(),
        session: session.clone(),
        boundary: host.boundary,
        wait: config.wait,
    };
    let served = tokio::select! {
        served = mcp::stdio(connection) => served,
        () = &mut end => Ok(()),
    };
    if !host.front.close(&session).await.recorded {
        tell("the session's end is in effect, and could not be recorded");
    }
    host.end().await;
    served.map_err(|what| Failure::new(Exit::Failed, what))
}

fn local() -> Result<PrincipalId, Failure> {
    PrincipalId::parse(&user()).map_err(|why| Failure::new(Exit::Failed, why))
}

fn greet(opened: &Opened) {
    let asker = opened.session.asker();
    let profile = asker.profile.as_ref().map(|profile| format!(", profile {profile}")).unwrap_or_default();
    tell(&format!("session {} of {}{profile}", asker.session, asker.principal));
    for (id, refusal) in &opened.refused {
        tell(&format!("preset {id} is not active: {}", agent_engine::projection::text::refusal(refusal)));
    }
}
