//! The place of one connection: opened when it is needed, listed before it is used, stopped when it is not.
//!
//! Is: the order of those steps for one server and one principal. Is not: what holds for the server as a whole: its rests,
//! its turns at listing, what it listed (`server`). Clauses: UP-1 (single flight, idle stop), CAT-6 (notices). Invariant: I-3.
//!
//! Every step is taken by whoever holds the line's one turn. So a process is started once, however many ask for it; none is
//! stopped while somebody gets it ready; and a successor starts when the one before it is gone.

use super::connection::{CALLS, Connection};
use super::questions::Questions;
use super::server::Server;
use super::start_error::StartError;
use agent_core::session::PrincipalId;
use parking_lot::Mutex;
use std::sync::{Arc, Weak};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::Instant;

/// How long notices are gathered once one was acted on (CAT-6).
const COALESCE: Duration = Duration::from_secs(1);

/// A connection or the place for one.
pub(super) struct Line {
    /// With whose login it is opened; none is the operator's.
    login: Option<PrincipalId>,
    turn: Semaphore,
    running: Mutex<Option<Running>>,
}

struct Running {
    connection: Arc<Connection>,
    since: Instant,
    used: Instant,
    retired: bool,
    /// When the listing began that was last read on account of a notice.
    read: Option<Instant>,
}

/// A connection that is open and listed, with room for one call.
pub(super) struct Taken {
    pub(super) connection: Arc<Connection>,
    pub(super) slot: OwnedSemaphorePermit,
}

impl Default for Line {
    fn default() -> Self {
        Self::of(None)
    }
}

impl Line {
    /// The place of a connection that is opened with somebody's login.
    pub(super) fn of(login: Option<PrincipalId>) -> Self {
        Self { login, turn: Semaphore::new(1), running: Mutex::default() }
    }

    /// What is there without waiting for anything.
    pub(super) fn at_once(&self) -> Option<Taken> {
        // During a listing the old one must not be used, so the turn is needed here, too.
        let _turn = self.turn.try_acquire().ok()?;
        let mut running = self.running.lock();
        running.as_mut().filter(|running| running.connection.is_open() && !running.connection.is_stale())?.take().ok()
    }

    /// Opens and lists as far as that is needed. Whoever asked at `asked` is served by any listing that began since.
    pub(super) async fn ready(self: &Arc<Self>, server: &Arc<Server>, asked: Instant) -> Result<Taken, StartError> {
        let _turn = self.turn.acquire().await.map_err(|_| gone())?;
        self.bury_the_lost(server).await;
        let open = self.running.lock().as_ref().map(|running| running.connection.clone());
        let connection = match open {
            Some(connection) => connection,
            None => self.open(server).await?,
        };
        self.list(server, &connection, asked).await?;
        self.running.lock().as_mut().ok_or_else(gone)?.take()
    }

    async fn open(self: &Arc<Self>, server: &Arc<Server>) -> Result<Arc<Connection>, StartError> {
        let (tell, notices) = watch::channel(());
        let connection = server.start(self.login.as_ref(), tell).await?;
        let now = Instant::now();
        *self.running.lock() = Some(Running { connection: connection.clone(), since: now, used: now, retired: false, read: None });
        tokio::spawn(follow(Arc::downgrade(server), Arc::downgrade(self), notices));
        Ok(connection)
    }

    /// Reads the list again where that is owed, in the server's turn.
    // INVARIANT: I-3 what a call is compared with was read after it was asked for, or nothing changed since it was read
    async fn list(&self, server: &Server, connection: &Connection, asked: Instant) -> Result<(), StartError> {
        let read = self.running.lock().as_ref().and_then(|running| running.read);
        if !connection.is_stale() || read.is_some_and(|read| read >= asked) {
            return Ok(());
        }
        let _one = server.turn_to_list().await?;
        let began = Instant::now();
        connection.relist().await?;
        if let Some(running) = self.running.lock().as_mut() {
            running.read = Some(began);
        }
        server.remember(connection.listed());
        Ok(())
    }

    /// Reads the list of a running server that said that it changed. Starts nothing.
    async fn catch_up(&self, server: &Server) -> Result<(), StartError> {
        let _turn = self.turn.acquire().await.map_err(|_| gone())?;
        let open = self.running.lock().as_ref().map(|running| running.connection.clone());
        match open.filter(|connection| connection.is_open()) {
            Some(connection) => self.list(server, &connection, Instant::now()).await,
            None => Ok(()),
        }
    }

    /// Stops it where it was lost or has nothing to do. One that somebody gets ready is left to them.
    pub(super) async fn sweep(&self, server: &Server) {
        let Ok(_turn) = self.turn.try_acquire() else { return };
        self.bury_the_lost(server).await;
        let idle = self.running.lock().take_if(|running| running.is_idle(server.idle()));
        if let Some(idle) = idle {
            tracing::debug!(server = %server.alias(), "stopped, for nobody uses it");
            idle.connection.stop().await;
            server.lived();
        } else if self.running.lock().as_ref().is_some_and(|running| server.is_past_its_start(running.since)) {
            server.lived();
        }
    }

    async fn bury_the_lost(&self, server: &Server) {
        let lost = self.running.lock().take_if(|running| !running.connection.is_open());
        if let Some(lost) = lost {
            let gone = lost.connection.gone();
            let said = lost.connection.bury().await;
            server.lost(lost.since, gone, &said);
        }
    }

    /// Stops it, whatever it does.
    pub(super) async fn stop(&self) {
        let _turn = self.turn.acquire().await;
        let running = self.running.lock().take();
        if let Some(running) = running {
            running.connection.stop().await;
        }
    }

    /// Its connection is stopped by the next sweep that finds it without a call.
    pub(super) fn retire(&self) {
        if let Some(running) = self.running.lock().as_mut() {
            running.retired = true;
        }
    }

    /// Whether nothing is here that would be lost with it.
    pub(super) fn is_empty(&self) -> bool {
        self.running.lock().is_none()
    }

    /// The calls on its connection, where there is one.
    pub(super) fn calls(&self) -> Option<usize> {
        self.running.lock().as_ref().filter(|running| running.connection.is_open()).map(Running::calls)
    }
}

impl Running {
    fn take(&mut self) -> Result<Taken, StartError> {
        let slot = self.connection.slots.clone().try_acquire_owned();
        let slot = slot.map_err(|_| StartError::other("too many calls run on it at a time".to_owned()))?;
        self.used = Instant::now();
        Ok(Taken { connection: self.connection.clone(), slot })
    }

    fn calls(&self) -> usize {
        CALLS.saturating_sub(self.connection.slots.available_permits())
    }

    /// Whether it can't be told any more whose its questions are; the next connection is a new one.
    fn doubtful(&self) -> bool {
        self.connection.questions().is_some_and(Questions::doubtful)
    }

    fn is_idle(&mut self, idle: Duration) -> bool {
        if self.calls() > 0 {
            self.used = Instant::now();
        }
        self.calls() == 0 && (self.retired || self.doubtful() || self.used.elapsed() >= idle)
    }
}

/// Acts on a connection's notices until it is gone: on the first at once, on what comes in the next second together. Holds
/// neither the server nor the line meanwhile.
async fn follow(server: Weak<Server>, line: Weak<Line>, mut notices: watch::Receiver<()>) {
    while notices.changed().await.is_ok() {
        let (Some(server), Some(line)) = (server.upgrade(), line.upgrade()) else { return };
        if let Err(error) = server.unless_closing(line.catch_up(&server)).await {
            tracing::warn!(server = %server.alias(), %error, "its list changed and could not be read");
        }
        drop((server, line));
        tokio::time::sleep(COALESCE).await;
    }
}

fn gone() -> StartError {
    StartError::other("it was stopped".to_owned())
}
