//! `serve --standalone`: one client, one session, everything in this process.
//!
//! In order: the configuration, the store with its lock, the engine on what the store kept, the operator's socket, the
//! servers, then the client. Back in the other order. Clauses: SES-2 (stdio), AUTH-5 (its client gone), ACT-9.

use super::tell;
use crate::admin::Listener;
use crate::cli::{Exit, Failure, Places, Serve};
use crate::config::{Config, Surface};
use crate::mcp::{self, Connection, States};
use crate::store::SqliteLedger;
use crate::system::{SystemClock, SystemEntropy, user};
use crate::upstream::{Trouble, Upstreams};
use agent_core::id::{ToolId, WireName};
use agent_core::session::{PrincipalId, ProfileId};
use agent_engine::catalog::assemble_named;
use agent_engine::desk::Desk;
use agent_engine::engine::{Front, Opened, Parts, build};
use agent_engine::policy::Verdict;
use agent_engine::projection::Listing;
use agent_engine::session::{Cell, Starts};
use std::collections::BTreeMap;
use std::path::Path;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::signal::unix::{SignalKind, signal};
use tokio::task::JoinSet;

/// How long the client waits for the servers' first lists; what comes later is published later.
const FIRST_LISTS: Duration = Duration::from_secs(10);
/// Between two publications, so that no server is listed more than six times a minute (CAT-6).
const PUBLISH: Duration = Duration::from_secs(10);
/// How long the client has to take its last answers.
const FAREWELL: Duration = Duration::from_secs(2);
/// Between two looks at what came to its end.
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
    let missing = || Failure::new(Exit::Usage, "no configuration is named\nhint: `agent-host serve --standalone --config FILE`");
    let config = places.read()?.ok_or_else(missing)?;
    let state = places.state(Some(&config))?;
    let mut end = pin!(asked_to_end());
    let name = options.session.clone();
    let ready = tokio::select! {
        ready = prepare(&config, &state, options) => ready?,
        () = &mut end => return Ok(()),
    };
    let (front, desk, session) = (ready.front.clone(), ready.desk.clone(), ready.session.clone());
    let states = Arc::new(States::new(Arc::new(SystemEntropy)));
    let connection = Connection { front, desk, session, name, surface: config.surface, states, wait: config.wait };
    let mut serving = pin!(mcp::stdio(connection));
    let served = tokio::select! {
        served = &mut serving => served,
        () = &mut end => {
            // What still waits for an answer gets one, and what listens its end.
            ready.front.close(&ready.session).await;
            tokio::time::timeout(FAREWELL, serving).await.unwrap_or(Ok(()))
        }
    };
    ready.end().await;
    served.map_err(|what| Failure::new(Exit::Failed, what))
}

async fn prepare(config: &Config, state: &Path, options: Serve) -> Result<Ready, Failure> {
    let profile = profile(config, options.profile)?;
    let principal = options.principal.map_or_else(local, Ok)?;
    let ledger = Arc::new(SqliteLedger::open(state)?);
    let upstreams = Arc::new(Upstreams::new(&config.servers));
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
    let mut tasks = JoinSet::new();
    let catalog = Publishing { upstreams: upstreams.clone(), desk: desk.clone(), names: config.names.clone() };
    let catalog = Arc::new(catalog);
    let first = start(&mut tasks, catalog.clone());
    let troubles = tokio::time::timeout(FIRST_LISTS, first).await;
    catalog.publish().await;
    let (_, recorded) = desk.put_in_force(config.policy.clone()).await;
    if !recorded {
        tell("the policy is in force, and that could not be recorded");
    }
    let opened = front.open(principal, profile, false).await.map_err(|error| failed("no session could be opened", &error))?;
    greet(config, state, &desk, &opened, troubles.ok().and_then(Result::ok));
    if config.surface == Some(Surface::Full) {
        fill(&front, &opened.session).await;
    }
    tasks.spawn(tick(desk.clone()));
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

fn profile(config: &Config, told: Option<ProfileId>) -> Result<Option<ProfileId>, Failure> {
    match told.or_else(|| config.profile.clone()) {
        Some(name) if !config.policy.profiles.contains_key(&name) => {
            let known: Vec<_> = config.policy.profiles.keys().map(ToString::to_string).collect();
            let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
            Err(Failure::new(Exit::Usage, format!("no profile `{name}`\nhint: the configuration has: {known}")))
        }
        name => Ok(name),
    }
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
}

/// Starts the servers in a task that goes on publishing what they list, and gives their first troubles once all are
/// through.
fn start(tasks: &mut JoinSet<()>, catalog: Arc<Publishing>) -> tokio::sync::oneshot::Receiver<Vec<Trouble>> {
    let (told, first) = tokio::sync::oneshot::channel();
    tasks.spawn(async move {
        let mut changed = catalog.upstreams.changed();
        let mut known = catalog.upstreams.refresh().await;
        if let Err(late) = told.send(known.clone()) {
            late.iter().for_each(|trouble| tell(&trouble.to_string()));
            catalog.publish().await;
        }
        while changed.changed().await.is_ok() {
            tokio::time::sleep(TICK).await;
            changed.mark_unchanged();
            let troubles = catalog.upstreams.refresh().await;
            troubles.iter().filter(|trouble| !known.contains(trouble)).for_each(|trouble| tell(&trouble.to_string()));
            known = troubles;
            catalog.publish().await;
            tokio::time::sleep(PUBLISH).await;
        }
    });
    first
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

async fn tick(desk: Desk) {
    let mut every = tokio::time::interval(TICK);
    loop {
        every.tick().await;
        desk.tick().await;
    }
}

/// What the person who started this is told, on standard error.
fn greet(config: &Config, state: &Path, desk: &Desk, opened: &Opened, troubles: Option<Vec<Trouble>>) {
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
    match troubles {
        Some(troubles) => troubles.iter().for_each(|trouble| tell(&trouble.to_string())),
        None => tell("some servers are still starting; their tools come as they are listed"),
    }
    if withheld > 0 {
        tell(&format!("{withheld} tools are not served:"));
        catalog.quarantined().iter().take(16).for_each(|tool| tell(&format!("  {} `{}`: {}", tool.server, tool.name, tool.reason)));
    }
    for (id, refusal) in &opened.refused {
        tell(&format!("preset {id} is not active: {}", agent_engine::projection::text::refusal(refusal, Listing::Held)));
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
