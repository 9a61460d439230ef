//! One configured server: what is known of it, and its lines.
//!
//! Is: what all connections of the server share: what it listed last, the rest it is given, the turns at listing. Is not: a
//! connection (`line`). Clauses: UP-1 (one connection for each principal, backoff), UP-10, CAT-6 (notices), UP-3.

use super::SOON;
use super::authorize::Authorize;
use super::backoff::Backoff;
use super::connection::Connection;
use super::health::Health;
use super::http::Gone;
use super::line::{Line, Taken};
use super::listing::Listed;
use super::news::Told;
use super::questions::Way;
use super::rate::Rate;
use super::server_lease::{Asking, ServerLease};
use super::start_error::StartError;
use super::target::Target;
use crate::config::{self, Identity};
use crate::egress::Clients;
use agent_core::id::{Alias, SourceClass, ToolId};
use agent_core::session::{Asker, PrincipalId};
use agent_engine::call::Absent;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Semaphore, SemaphorePermit, watch};
use tokio::time::Instant;

/// Why nothing is started of a server that is no longer configured as it was.
pub(super) const WITHDRAWN: &str = "it was taken out of the configuration, or has other settings by now";

/// What a server is given by the pool that it is part of.
#[derive(Clone)]
pub(super) struct Pool {
    /// Servers being started.
    pub(super) starts: Arc<Semaphore>,
    /// Told when something else is known of a server.
    pub(super) changed: watch::Sender<()>,
    /// Told, or its sender gone, when everything ends.
    pub(super) closing: watch::Receiver<()>,
    /// Whoever keeps logins.
    pub(super) logins: Arc<dyn Authorize>,
    pub(super) clients: Arc<Clients>,
    /// Who puts questions of servers to persons.
    pub(super) way: Way,
    /// Told what servers say of their prompts and resources.
    pub(super) told: Told,
}

/// A server, running or not.
pub(super) struct Server {
    target: Target,
    pool: Pool,
    /// Whether it is no longer part of the pool, or has other settings there.
    withdrawn: watch::Sender<bool>,
    /// By whom each serves; by nobody where it serves everybody, or was started to be listed.
    lines: Mutex<BTreeMap<Option<PrincipalId>, Arc<Line>>>,
    known: Mutex<Known>,
    listing: Semaphore,
}

#[derive(Default)]
struct Known {
    listed: Option<Arc<Listed>>,
    /// Why what it listed last was not taken in its place.
    cut: Option<String>,
    backoff: Backoff,
    rate: Rate,
    /// When a connection was last made anew without a rest.
    anew: Option<Instant>,
    /// What a call was last answered in place of a result, where that was the want of a login.
    login: Option<StartError>,
}

impl Server {
    pub(super) fn new(alias: Alias, settings: config::Server, listed: Option<Listed>, pool: Pool) -> Self {
        let known = Known { listed: listed.map(Arc::new), ..Known::default() };
        let (withdrawn, lines) = (watch::Sender::new(false), Mutex::default());
        let (logins, clients, way, told) = (pool.logins.clone(), pool.clients.clone(), pool.way.clone(), pool.told.clone());
        let target = Target { alias, settings, logins, clients, way, told };
        Self { target, pool, withdrawn, lines, known: Mutex::new(known), listing: Semaphore::new(1) }
    }

    pub(super) const fn alias(&self) -> &Alias {
        &self.target.alias
    }

    pub(super) const fn target(&self) -> &Target {
        &self.target
    }

    pub(super) const fn settings(&self) -> &config::Server {
        &self.target.settings
    }

    /// How long a connection of it runs on without a call.
    pub(super) fn idle(&self) -> Duration {
        if self.is_withdrawn() { Duration::ZERO } else { self.settings().idle() }
    }

    /// From now on nothing is started of it, neither a process nor a call.
    pub(super) fn withdraw(&self) {
        self.withdrawn.send_replace(true);
    }

    pub(super) fn is_withdrawn(&self) -> bool {
        *self.withdrawn.borrow()
    }

    /// How long a call may take.
    pub(super) fn patience(&self) -> Duration {
        self.settings().timeout()
    }

    /// What it listed last on any of its lines, or before this process.
    pub(super) fn listed(&self) -> Option<Arc<Listed>> {
        self.known.lock().listed.clone()
    }

    pub(super) fn lines(&self) -> Vec<Arc<Line>> {
        self.lines.lock().values().cloned().collect()
    }

    /// The line of one principal. One that was started to be listed has served nobody, and becomes the first's who comes;
    /// unless it was started with another login than theirs.
    fn line(&self, principal: &PrincipalId) -> Arc<Line> {
        let key = (!self.settings().shared).then(|| principal.clone());
        let own = (self.settings().identity == Identity::PerPrincipal).then(|| principal.clone());
        let mut lines = self.lines.lock();
        if let Some(line) = lines.get(&key) {
            return line.clone();
        }
        let listed = lines.remove(&None).filter(|_| own.is_none());
        let line = listed.unwrap_or_else(|| Arc::new(Line::of(own)));
        lines.insert(key, line.clone());
        line
    }

    fn any_line(&self) -> Arc<Line> {
        let mut lines = self.lines.lock();
        let first = lines.values().next().cloned();
        first.unwrap_or_else(|| lines.entry(None).or_default().clone())
    }

    /// Forgets lines without a connection that nobody holds. Lines are given out under the same lock, so none is in between.
    pub(super) fn tidy(&self) {
        self.lines.lock().retain(|_, line| Arc::strong_count(line) > 1 || !line.is_empty());
    }

    /// Everything ready for one call of a tool.
    ///
    /// # Errors
    /// Why the server can't take it now.
    pub(super) async fn lease(self: &Arc<Self>, asker: &Asker, id: &ToolId) -> Result<ServerLease, StartError> {
        let Taken { connection, slot } = self.taken(&asker.principal).await?;
        let asking = self.asking(&connection, asker, id).await?;
        let unlisted = || StartError::other("it no longer lists this tool, or not as one that can be served".to_owned());
        let live = connection.listed().live.get(id.name()).copied().ok_or_else(unlisted)?;
        Ok(ServerLease::new(self.clone(), connection, slot, id.name().to_owned(), live, asking))
    }

    /// Where its questions are put to persons: for whom a call of it is. One whose messages don't say which call they are about has
    /// one call at a time, and no other while a person is asked.
    async fn asking(&self, connection: &Connection, asker: &Asker, id: &ToolId) -> Result<Option<Asking>, StartError> {
        let Some(questions) = connection.questions() else { return Ok(None) };
        let turn = match connection.asks_by_call() {
            true => None,
            false => {
                let busy = || StartError::other("another call of it goes on, and it takes one at a time".to_owned());
                Some(questions.turn(self.patience()).await.ok_or_else(busy)?)
            }
        };
        Ok(Some(Asking { questions: questions.clone(), asker: asker.clone(), tool: id.clone(), turn }))
    }

    /// A principal's connection, open and listed, with room for one request.
    ///
    /// # Errors
    /// Why there is none now.
    pub(super) async fn taken(self: &Arc<Self>, principal: &PrincipalId) -> Result<Taken, StartError> {
        let line = self.line(principal);
        match line.at_once() {
            Some(taken) => Ok(taken),
            None => self.ready(line).await,
        }
    }

    /// By whose alias the links in its results are known to clients, where its resources are relayed.
    pub(super) fn links(&self) -> Option<&Alias> {
        self.settings().resources.then(|| self.alias())
    }

    /// Gets a principal's line ready before it is needed.
    pub(super) fn prewarm(self: &Arc<Self>, principal: &PrincipalId) {
        let line = self.line(principal);
        if line.at_once().is_none() {
            let server = self.clone();
            tokio::spawn(async move { server.ready(line).await.map(drop) });
        }
    }

    /// Lists it where nothing is known of it.
    pub(super) async fn look_once(self: &Arc<Self>) {
        if self.listed().is_none() {
            let line = self.any_line();
            if let Err(error) = self.ready(line).await {
                tracing::debug!(server = %self.alias(), %error, "not listed");
            }
        }
    }

    /// Gets a line ready in a task that runs to its end, whoever stops waiting for it.
    async fn ready(self: &Arc<Self>, line: Arc<Line>) -> Result<Taken, StartError> {
        let (server, asked) = (self.clone(), Instant::now());
        let task = tokio::spawn(async move { server.unless_closing(line.ready(&server, asked)).await });
        task.await.unwrap_or_else(|_| Err(StartError::other("its start broke off".to_owned())))
    }

    /// Does some work, unless everything ends or the server is withdrawn.
    pub(super) async fn unless_closing<T>(&self, work: impl Future<Output = Result<T, StartError>>) -> Result<T, StartError> {
        let (mut closing, mut withdrawn) = (self.pool.closing.clone(), self.withdrawn.subscribe());
        tokio::select! {
            biased;
            _ = closing.changed() => Err(StartError::other("this host is ending".to_owned())),
            _ = withdrawn.wait_for(|withdrawn| *withdrawn) => Err(StartError::other(WITHDRAWN.to_owned())),
            done = work => done,
        }
    }

    /// Starts a process for a line, unless it is being left alone.
    pub(super) async fn start(&self, login: Option<&PrincipalId>, notices: watch::Sender<()>) -> Result<Arc<Connection>, StartError> {
        self.rested()?;
        self.target.credentials()?;
        let _start = self.pool.starts.acquire().await.map_err(|_| StartError::other("this host is ending".to_owned()))?;
        self.rested()?;
        let listed = self.listed();
        let spoken = listed.as_ref().and_then(|listed| listed.protocol.as_deref());
        match Connection::open(&self.target, login, spoken, notices).await {
            Ok(connection) => {
                let mut known = self.known.lock();
                // The listing of a start counts, and waits for nothing.
                known.rate.take(Instant::now());
                known.login = None;
                drop(known);
                self.remember(connection.listed());
                Ok(Arc::new(connection))
            }
            Err(error) => {
                tracing::debug!(server = %self.alias(), %error, "it could not be started");
                // What one principal lacks is held against no other.
                if error.login && login.is_some() {
                    return Err(error);
                }
                self.failed(error.clone());
                Err(self.rested().err().unwrap_or(error))
            }
        }
    }

    fn rested(&self) -> Result<(), StartError> {
        self.known.lock().backoff.resting(Instant::now()).map_or(Ok(()), Err)
    }

    fn failed(&self, why: StartError) {
        self.known.lock().backoff.failed(why, Instant::now());
        self.pool.changed.send_replace(());
    }

    /// A connection that was open since then was lost. One whose session the server forgot, or whose credential it refused, is
    /// made anew at once, unless that was so a moment ago.
    pub(super) fn lost(&self, since: Instant, gone: Option<Gone>, said: &str) {
        tracing::warn!(server = %self.alias(), said, ?gone, "the connection was lost");
        let anew = matches!(gone, Some(Gone::Forgotten | Gone::Refused(_))) && {
            let before = self.known.lock().anew.replace(Instant::now());
            before.is_none_or(|before| before.elapsed() >= SOON)
        };
        let own = matches!(gone, Some(Gone::Refused(_))) && self.settings().identity == Identity::PerPrincipal;
        if anew || own || self.is_past_its_start(since) {
            return self.lived();
        }
        self.failed(match gone {
            Some(Gone::Away(why)) => StartError::other(format!("it can't be reached: {why}")),
            Some(Gone::Forgotten) => StartError::other("it forgets its sessions as soon as they begin".to_owned()),
            Some(Gone::Refused(command)) => StartError::login("it wants a credential, or another one".to_owned()).met_by(command),
            None => StartError::other("it ended soon after it was started".to_owned()).saying(said),
        });
    }

    /// Whether a start at that moment was a good one.
    pub(super) fn is_past_its_start(&self, since: Instant) -> bool {
        since.elapsed() >= SOON
    }

    /// Nothing is held against it any more.
    pub(super) fn lived(&self) {
        self.known.lock().backoff.lived();
    }

    /// The server's one turn at listing, when it is due.
    pub(super) async fn turn_to_list(&self) -> Result<SemaphorePermit<'_>, StartError> {
        let turn = self.listing.acquire().await.map_err(|_| StartError::other("this host is ending".to_owned()))?;
        let wait = self.known.lock().rate.take(Instant::now());
        tokio::time::sleep(wait).await;
        Ok(turn)
    }

    /// Takes a listing that was read elsewhere. Lines that listed something else are ended once they are idle.
    pub(super) fn learn(&self, listed: &Listed) {
        if self.listed().is_some_and(|known| known.agrees(listed)) {
            return;
        }
        self.lines().iter().for_each(|line| line.retire());
        self.remember(Arc::new(listed.clone()));
    }

    /// Keeps a listing, and tells where it is another than before. One that is not whole neither adds to one that was nor
    /// takes from it.
    pub(super) fn remember(&self, listed: Arc<Listed>) {
        let mut known = self.known.lock();
        let whole = known.listed.as_ref().is_some_and(|before| before.cut.is_none());
        let cut = listed.cut.as_ref().filter(|_| whole).map(|cut| format!("{cut}; what it listed before is served"));
        let same = known.cut == cut && (cut.is_some() || known.listed.as_ref().is_some_and(|known| known.agrees(&listed)));
        if cut.is_none() {
            known.listed = Some(listed);
        }
        known.cut = cut;
        drop(known);
        if !same {
            self.pool.changed.send_replace(());
        }
    }

    /// Why what it listed last is not whole, or was not taken.
    pub(super) fn cut(&self) -> Option<String> {
        let known = self.known.lock();
        known.cut.clone().or_else(|| known.listed.as_ref()?.cut.as_ref().map(|cut| format!("{cut}; what came before is served")))
    }

    /// A call was answered: with the want of a login, or with anything else. What one principal lacks is held against no other.
    pub(super) fn answered(&self, login: Option<StartError>) {
        self.known.lock().login = login.filter(|_| self.settings().identity != Identity::PerPrincipal);
    }

    /// What a search is told of it where it can't be used.
    pub(super) fn absent(&self) -> Option<Absent> {
        let how = match self.health() {
            Health::Failed { .. } => "it could not be started".to_owned(),
            Health::NeedsLogin { command: Some(command), .. } => format!("it needs login, a person runs `{command}`"),
            Health::NeedsLogin { command: None, .. } => "it needs login, by a person".to_owned(),
            Health::Unstarted | Health::Running { .. } => return None,
        };
        let words = format!("{} {}", self.settings().tags.join(" "), self.settings().description);
        Some(Absent { class: SourceClass::Mcp, server: self.alias().clone(), words, how })
    }

    pub(super) fn health(&self) -> Health {
        let calls: Vec<_> = self.lines().iter().filter_map(|line| line.calls()).collect();
        if let Some(error) = self.known.lock().login.clone() {
            return self.target.needs_login(&error, error.to_string());
        }
        if !calls.is_empty() {
            return Health::Running { processes: calls.len(), calls: calls.iter().sum() };
        }
        if let Err(error) = self.target.credentials() {
            return self.target.needs_login(&error, error.to_string());
        }
        let known = self.known.lock();
        match known.backoff.last(Instant::now()) {
            Some((error, _)) if error.login => self.target.needs_login(error, error.to_string()),
            Some((error, retry_in)) => Health::Failed { why: error.to_string(), retry_in },
            None => Health::Unstarted,
        }
    }
}
