//! A host without its clients: the engine on what the store kept, the servers, the catalog, the operators' socket.
//!
//! Made in order, ended backwards. Is not: a session or a client. Clauses: AUD-1, AUTH-9, HOST-2, HOST-3 (socket).

use super::publish::{LockFile, Publishing};
use super::reload::Reload;
use super::{TICK, tell};
use crate::admin::{Listener, Office, Stop, Users};
use crate::cli::{Again, Exit, Failure, counted, stopped};
use crate::client::Clients;
use crate::config::Config;
use crate::login::Logins;
use crate::store::SqliteLedger;
use crate::system::{Hangups, SystemClock, SystemEntropy};
use crate::upstream::{Trouble, Upstreams};
use agent_engine::desk::Desk;
use agent_engine::engine::{Parts, build};
use agent_engine::policy::Verdict;
use agent_engine::session::Starts;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;

/// How long clients wait for the first lists of servers of which nothing is known; what comes later is published later.
const FIRST_LISTS: Duration = Duration::from_secs(10);

/// Operators who ask for a reload at a time; further ones wait for room.
const ASKING: usize = 16;

/// A host that is ready for clients. Dropping it ends everything, servers included, if less politely than [`Host::end`].
pub(super) struct Host {
    pub(super) clients: Clients,
    pub(super) office: Office,
    upstreams: Arc<Upstreams>,
    listener: Listener,
    tasks: JoinSet<()>,
    troubles: Vec<Trouble>,
    all_listed: bool,
}

impl Host {
    /// Starts everything but the servers that are known. `again` is how a reload reads the configuration.
    pub(super) async fn start(config: Config, state: &Path, again: Again) -> Result<Self, Failure> {
        let hangups = Hangups::new();
        let ledger = Arc::new(SqliteLedger::open(state)?);
        let mut file = LockFile::of(&config);
        let lock = file.news().transpose().map_err(|why| Failure::new(Exit::Usage, why))?.unwrap_or_default();
        let upstreams = Arc::new(Upstreams::with_logins(&config.servers, &lock.servers, Arc::new(Logins::of(state))));
        let mut parts = Parts::new(ledger, upstreams.clone(), Arc::new(SystemClock::new()), Arc::new(SystemEntropy));
        parts.policy = config.policy.clone();
        parts.starts = config.starts;
        let (front, desk) = build(parts).await.map_err(|error| failed("the store can't be read", &error))?;
        upstreams.ask_by(desk.inquiring());
        desk.use_synonyms(config.synonyms.clone());
        let users = Users::started_by_client();
        let (ask, asked) = mpsc::channel(ASKING);
        let (tell_config, told_config) = watch::channel(Arc::new(config));
        let config = told_config.borrow().clone();
        let office = Office::new(state, desk.clone(), users).with(upstreams.clone()).reloading(ask).under(told_config.clone());
        let listener = Listener::open(state, office.clone());
        let listener =
            listener.map_err(|error| failed("operators can't be listened to", &format!("{error}\nhint: name a shorter `--state DIR`")))?;
        let changed = upstreams.changed();
        let all_listed = tokio::time::timeout(FIRST_LISTS, upstreams.refresh()).await.is_ok();
        let troubles = upstreams.troubles();
        let catalog = Publishing::new(&config, state, upstreams.clone(), desk.clone(), file, &lock);
        catalog.publish().await;
        if !desk.put_in_force(config.policy.clone()).await.1 {
            tell("the policy is in force, and that could not be recorded");
        }
        let mut tasks = JoinSet::new();
        let reload = Reload::new(again, tell_config, state.to_owned(), upstreams.clone(), desk.clone(), catalog);
        tasks.spawn(reload.follow(asked, hangups, changed, troubles.clone()));
        tasks.spawn(tick(desk.clone()));
        tasks.spawn(crate::notify::follow(desk.clone(), told_config.clone()));
        tasks.spawn(sweep(upstreams.clone()));
        let clients = Clients::new(front, desk, users.boundary(), told_config).with(upstreams.clone());
        Ok(Self { clients, office, upstreams, listener, tasks, troubles, all_listed })
    }

    /// What the person who started this is told, on standard error.
    pub(super) fn greet(&self, state: &Path) {
        let (config, desk) = (self.clients.config(), &self.clients.desk);
        let catalog = desk.catalog();
        let default = match config.policy.activation {
            Verdict::Auto => "auto",
            Verdict::Prompt => "prompt",
            Verdict::Deny | Verdict::Hide => "deny",
        };
        let (tools, servers, withheld) = (catalog.tools().len(), catalog.servers().len(), catalog.quarantined().len());
        let (tools, servers) = (counted(tools, "tool"), counted(servers, "server"));
        tell(&format!("agent-host {}: {tools} of {servers}, activation {default}", env!("CARGO_PKG_VERSION")));
        tell(&format!("state in {}", state.display()));
        tell(&format!("boundary: {}", self.clients.boundary.as_str()));
        if config.starts == Starts::Buffered {
            tell("calls start before their record is durable (`records.start = \"buffered\"`); a crash can lose the last of them");
        }
        self.troubles.iter().for_each(|trouble| tell(&trouble.to_string()));
        if !self.all_listed {
            tell("some servers are still starting; their tools come as they are listed");
        }
        if withheld > 0 {
            tell(&format!("{} not served:", counted(withheld, "tool")));
            catalog.quarantined().iter().take(16).for_each(|tool| tell(&format!("  {} `{}`: {}", tool.server, tool.name, tool.reason)));
        }
        if let Some(by) = desk.stopped() {
            tell(&stopped(&Stop { by, since: desk.stopped_since() }));
        }
    }

    /// Ends everything in the order in which it was made, backwards.
    pub(super) async fn end(mut self) {
        drop(self.listener);
        self.tasks.shutdown().await;
        self.upstreams.close().await;
    }
}

pub(super) fn failed(what: &str, why: &impl std::fmt::Display) -> Failure {
    Failure::new(Exit::Failed, format!("{what}: {why}"))
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
