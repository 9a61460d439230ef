//! `serve`: one client at this process's standard input and output.
//!
//! Is: a relay to the user's host, which is started where none runs; with `--standalone` a host in this very process, with
//! one client and one session. Clauses: HOST-1 (relay), SES-2 (stdio), AUTH-5 (its client gone).
//! Neighbours: `run` is the host, `relay` and `client` do the work.

use super::host::{Host, failed};
use super::tell;
use crate::cli::{Again, Exit, Failure, Places, Serve};
use crate::client::Launch;
use crate::config::{Config, Origin};
use crate::door;
use crate::mcp;
use crate::relay::{self, DOOR, Hello, Link, Start};
use crate::system::{asked_to_end, user};
use agent_core::session::PrincipalId;
use std::path::Path;
use std::pin::pin;
use std::time::Duration;

/// How long the client has to take its last answers.
const FAREWELL: Duration = Duration::from_secs(2);
/// How long a host that was started for a client stays when it has none.
const LINGER: &str = "60s";

pub(super) async fn serve(places: &Places, options: Serve) -> Result<(), Failure> {
    let (config, state) = excused(places.serving(options.trust_here)).await?;
    if options.standalone {
        standalone(config, &state, places.again(!options.trust_here), options).await
    } else {
        relayed(&config, &state, options).await
    }
}

async fn relayed(config: &Config, state: &Path, options: Serve) -> Result<(), Failure> {
    let whole = |path: &Path| std::path::absolute(path).map_err(|error| failed("there is no working folder", &error));
    let (file, state) = (whole(&config.path)?, whole(state)?);
    let hello = Hello {
        door: DOOR,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        config: door::identity(&file),
        profile: config.profile.clone(),
        activation: matches!(config.origins.get("activation"), Origin::Environment { .. }).then_some(config.policy.activation),
        principal: options.principal,
        name: options.session,
        resume: None,
    };
    let program = std::env::current_exe().map_err(|error| failed("this program can't be found again", &error))?;
    let start = Start {
        program,
        arguments: vec![
            "run".into(),
            "--linger".into(),
            LINGER.into(),
            "--config".into(),
            file.into(),
            "--state".into(),
            state.clone().into(),
        ],
        folder: state.clone(),
        another: Exit::InUse as i32,
    };
    let link = Link::new(door::socket(&state), hello, Some(start), tell);
    let (input, output) = mcp::stdio();
    relay::relay(link, input, output).await.map_err(|error| Failure::new(Exit::Failed, error.to_string()))
}

async fn standalone(config: Config, state: &Path, again: Again, options: Serve) -> Result<(), Failure> {
    let principal = options.principal.map_or_else(local, Ok)?;
    let mut end = pin!(asked_to_end());
    let host = tokio::select! {
        host = Host::start(config, state, again) => excused(host).await?,
        () = &mut end => return Ok(()),
    };
    // Sessions of clients that are gone: nobody can take them up again here.
    for orphan in host.clients.desk.sessions().into_iter().filter(|session| session.state().credential.is_none()) {
        host.clients.close(&orphan).await;
    }
    let launch = Launch { principal, profile: None, name: options.session };
    let opened = host.clients.open(launch, false).await;
    let client = opened.map_err(|error| Failure::new(Exit::Failed, format!("{error}\nhint: {}", error.hint())))?;
    host.greet(state);
    client.told.iter().for_each(|line| tell(line));
    let session = client.connection.session.clone();
    let mut serving = pin!(mcp::serve(client.connection, mcp::stdio()));
    let served = tokio::select! {
        served = &mut serving => Some(served),
        () = &mut end => None,
    };
    if !host.clients.close(&session).await {
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

/// A client that can't be served is told why by an answer, too.
async fn excused<T>(ready: Result<T, Failure>) -> Result<T, Failure> {
    if let Err(failure) = &ready {
        let (input, output) = mcp::stdio();
        if let Err(error) = relay::excuse(input, output, &failure.text).await {
            tracing::debug!(%error, "the client was gone");
        }
    }
    ready
}

fn local() -> Result<PrincipalId, Failure> {
    PrincipalId::parse(&user()).map_err(|why| Failure::new(Exit::Failed, why))
}
