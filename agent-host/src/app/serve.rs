//! `serve --standalone`: one client, one session, everything in this process.
//!
//! In order: the configuration, the store with its lock, the engine on what the store kept, the operator's socket, the
//! servers, then the client. Back in the other order. Clauses: SES-2 (one session), AUTH-5 (its client gone), ACT-9.

use super::tell;
use crate::admin::Listener;
use crate::cli::{Exit, Failure, Places, Serve};
use crate::config::Config;
use crate::mcp::{self, Connection};
use crate::store::SqliteLedger;
use crate::system::{SystemClock, SystemEntropy, user};
use crate::upstream::{Trouble, Upstreams};
use agent_core::id::{ToolId, WireName};
use agent_core::session::PrincipalId;
use agent_engine::catalog::assemble_named;
use agent_engine::desk::Desk;
use agent_engine::engine::{Front, Opened, Parts, build};
use agent_engine::policy::Verdict;
use agent_engine::session::{Cell, Starts};
use std::collections::BTreeMap;
use std::path::Path;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;
use tokio::task::JoinSet;

/// How long the client waits for the servers' first lists; what comes later is published later.
const FIRST_LISTS: Duration = Duration::from_secs(10);
/// Between two looks at what came to its end, and between two publications.
const TICK: Duration = Duration::from_secs(1);

/// A host that is ready for its client. Dropping it ends everything, servers included, if less politely than
/// [`Ready::end`].
struct Ready {
    front: Front,
    desk: Desk,
    session: Arc<Cell>,
    listener: Listener,
    upstreams: Arc<Upstreams>,
    tasks: JoinSet<()>,
}

pub(super) async fn standalone(places: &Places, options: Serve) -> Result<(), Failure> {
    let (config, state) = places.serving(options.trust_here)?;
    let mut end = pin!(asked_to_end());
    let ready = tokio::select! {
        ready = prepare(&config, &state, options) => ready?,
        () = &mut end => return Ok(()),
    };
    let (front, desk, session) = (ready.front.clone(), ready.desk.clone(), ready.session.clone());
    let served = tokio::select! {
        served = mcp::stdio(Connection { front, desk, session, wait: config.wait }) => served,
        () = &mut end => Ok(()),
    };
    ready.end().await;
    served.map_err(|what| Failure::new(Exit::Failed, what))
}

async fn prepare(config: &Config, state: &Path, options: Serve) -> Result<Ready, Failure> {
    let principal = options.principal.map_or_else(local, Ok)?;
    let ledger = Arc::new(SqliteLedger::open(state)?);
    // What a lock file says would be known; without one, each server is asked once.
    let known = BTreeMap::new();
    let upstreams = Arc::new(Upstreams::new(&config.servers, &known));
    let mut parts = Parts::new(ledger, upstreams.clone(), Arc::new(SystemClock::new()), Arc::new(SystemEntropy));
    parts.policy = config.policy.clone();
    parts.starts = config.starts;
    let (front, desk) = build(parts).await.map_err(|error| failed("the store can't be read", &error))?;
    let listener = Listener::open(state, desk.clone());
    let listener =
        listener.map_err(|error| failed("operators can't be listened to", &format!("{error}\nhint: name a shorter `--state DIR`")))?;
    // Sessions of clients that are gone: over stdio nobody can take them up again.
    for orphan in desk.sessions() {
        front.close(&orphan).await;
    }
    let all_listed = tokio::time::timeout(FIRST_LISTS, upstreams.refresh()).await.is_ok();
    let changed = upstreams.changed();
    let troubles = upstreams.troubles();
    let catalog = Publishing { upstreams: upstreams.clone(), desk: desk.clone(), names: config.names.clone() };
    catalog.publish().await;
    let (_, recorded) = desk.put_in_force(config.policy.clone()).await;
    if !recorded {
        tell("the policy is in force, and that could not be recorded");
    }
    let opened =
        front.open(principal, config.profile.clone(), false).await.map_err(|error| failed("no session could be opened", &error))?;
    greet(config, state, &desk, &opened, &troubles);
    if !all_listed {
        tell("some servers are still starting; their tools come as they are listed");
    }
    let mut tasks = JoinSet::new();
    tasks.spawn(catalog.follow(changed, troubles));
    tasks.spawn(tick(desk.clone()));
    tasks.spawn(sweep(upstreams.clone()));
    Ok(Ready { front, desk, session: opened.session, listener, upstreams, tasks })
}

impl Ready {
    /// Ends the session, then everything else in the order it was made, backwards.
    async fn end(mut self) {
        if !self.front.close(&self.session).await.recorded {
            tell("the session's end is in effect, and could not be recorded");
        }
        drop(self.listener);
        self.tasks.shutdown().await;
        self.upstreams.close().await;
    }
}

fn failed(what: &str, why: &impl std::fmt::Display) -> Failure {
    Failure::new(Exit::Failed, format!("{what}: {why}"))
}

fn local() -> Result<PrincipalId, Failure> {
    PrincipalId::parse(&user()).map_err(|why| Failure::new(Exit::Failed, why))
}

/// What the servers list, on its way to the catalog in force.
struct Publishing {
    upstreams: Arc<Upstreams>,
    desk: Desk,
    names: BTreeMap<ToolId, WireName>,
}

impl Publishing {
    async fn publish(&self) {
        let (sources, names) = (self.upstreams.listing(), self.names.clone());
        // Judging what servers wrote can take long; nobody else waits for it.
        match tokio::task::spawn_blocking(move || assemble_named(&sources, &names)).await {
            Ok(snapshot) => drop(self.desk.publish(snapshot).await),
            Err(error) => tracing::error!(%error, "the servers' lists could not be judged"),
        }
    }

    /// Publishes what servers list from now on, and tells what goes wrong with them, each as it comes.
    async fn follow(self, mut changed: watch::Receiver<()>, mut known: Vec<Trouble>) {
        while changed.changed().await.is_ok() {
            self.publish().await;
            let troubles = self.upstreams.troubles();
            troubles.iter().filter(|trouble| !known.contains(trouble)).for_each(|trouble| tell(&trouble.to_string()));
            known = troubles;
            tokio::time::sleep(TICK).await;
        }
    }
}

async fn tick(desk: Desk) {
    let mut every = tokio::time::interval(TICK);
    loop {
        every.tick().await;
        desk.tick().await;
    }
}

/// Apart from the other look, for a server that is slow to stop holds this one up.
async fn sweep(upstreams: Arc<Upstreams>) {
    let mut every = tokio::time::interval(TICK);
    loop {
        every.tick().await;
        upstreams.sweep().await;
    }
}

/// What the person who started this is told, on standard error.
fn greet(config: &Config, state: &Path, desk: &Desk, opened: &Opened, troubles: &[Trouble]) {
    let catalog = desk.catalog();
    let asker = opened.session.asker();
    let default = match config.policy.activation {
        Verdict::Auto => "auto",
        Verdict::Prompt => "prompt",
        Verdict::Deny | Verdict::Hide => "deny",
    };
    let profile = asker.profile.as_ref().map(|profile| format!(", profile {profile}")).unwrap_or_default();
    let (tools, servers, withheld) = (catalog.tools().len(), catalog.servers().len(), catalog.quarantined().len());
    tell(&format!("agent-host {}: {tools} tools of {servers} servers, activation {default}{profile}", env!("CARGO_PKG_VERSION")));
    tell(&format!("session {} of {}, state in {}", asker.session, asker.principal, state.display()));
    if config.starts == Starts::Buffered {
        tell("calls start before their record is durable (`records.start = \"buffered\"`); a crash can lose the last of them");
    }
    troubles.iter().for_each(|trouble| tell(&trouble.to_string()));
    if withheld > 0 {
        tell(&format!("{withheld} tools are not served:"));
        catalog.quarantined().iter().take(16).for_each(|tool| tell(&format!("  {} `{}`: {}", tool.server, tool.name, tool.reason)));
    }
    for (id, refusal) in &opened.refused {
        tell(&format!("preset {id} is not active: {}", agent_engine::projection::text::refusal(refusal)));
    }
    if let Some(by) = desk.stopped() {
        tell(&format!("everything is stopped by {by}; `agent-host resume` lifts it"));
    }
}

async fn asked_to_end() {
    let signals = (signal(SignalKind::terminate()), signal(SignalKind::interrupt()));
    let (Ok(mut terminate), Ok(mut interrupt)) = signals else { return std::future::pending().await };
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
}
