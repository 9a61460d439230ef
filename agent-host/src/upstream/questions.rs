//! What a server asks of a person while a call of it runs: put to the operators, where the configuration says so of that server.
//!
//! Is: whose call it is about, and the way of its form to a person and back. Is not: the question itself (the engine's `inquiry`),
//! nor the reading of a form (`form`). What is answered goes to the server and nowhere else; it activates nothing (I-1).
//! Clauses: AUTH-8, UP-6 (declared). Neighbours: `server_lease` says what runs, `connection` what is asked.
//!
//! In the modern era a question is the answer to a call, so it is that call's. In the legacy era it is a message of its own, which does
//! not say whose it is: calls run one at a time there, and once one was given up unanswered nothing more is asked on that connection.

use super::form::Form;
use agent_core::id::{Alias, ToolId};
use agent_core::inquiry::{Reply, Wording};
use agent_core::safety::prose;
use agent_core::session::Asker;
use agent_engine::inquiry::{Failure, Inquiring, Unanswered};
use parking_lot::Mutex;
use rmcp::ErrorData;
use rmcp::model::{ElicitRequestParams, ElicitResult, ElicitationAction, ErrorCode};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::Instant;

/// Whoever puts questions, once there is an engine.
pub(super) type Way = Arc<OnceLock<Inquiring>>;

/// The questions of one connection.
#[derive(Clone)]
pub(super) struct Questions {
    alias: Alias,
    way: Way,
    legacy: Arc<Legacy>,
}

struct Legacy {
    turn: Arc<Semaphore>,
    now: Mutex<Now>,
}

/// What runs on a connection of the legacy era.
#[derive(Default)]
struct Now {
    call: Option<About>,
    /// Whether a call was given up that the server may still be at.
    doubtful: bool,
}

/// The call that a question is about.
#[derive(Clone)]
pub(super) struct About {
    asker: Asker,
    tool: ToolId,
    waited: Arc<Mutex<Waited>>,
    over: watch::Receiver<()>,
}

/// How long a call waited for persons; that is not the server's time.
#[derive(Default)]
struct Waited {
    before: Duration,
    since: Vec<Instant>,
}

/// A call that questions can be about, as long as this is held. Dropped without an answer, it leaves a legacy connection in doubt.
pub(super) struct Running {
    questions: Questions,
    about: About,
    answered: bool,
    _over: watch::Sender<()>,
    _turn: Option<OwnedSemaphorePermit>,
}

impl Questions {
    pub(super) fn new(alias: Alias, way: Way) -> Self {
        let legacy = Legacy { turn: Arc::new(Semaphore::new(1)), now: Mutex::default() };
        Self { alias, way, legacy: Arc::new(legacy) }
    }

    /// The one turn of a call, for connections on which questions don't say whose they are. Waits at most so long.
    pub(super) async fn turn(&self, at_most: Duration) -> Option<OwnedSemaphorePermit> {
        tokio::time::timeout(at_most, self.legacy.turn.clone().acquire_owned()).await.ok()?.ok()
    }

    /// A call begins; with a turn where it needs one.
    pub(super) fn begin(&self, asker: Asker, tool: ToolId, turn: Option<OwnedSemaphorePermit>) -> Running {
        let (sender, over) = watch::channel(());
        let about = About { asker, tool, waited: Arc::default(), over };
        if turn.is_some() {
            self.legacy.now.lock().call = Some(about.clone());
        }
        Running { questions: self.clone(), about, answered: false, _over: sender, _turn: turn }
    }

    /// Whether a call was given up on this connection, after which nothing says whose a question is.
    pub(super) fn doubtful(&self) -> bool {
        self.legacy.now.lock().doubtful
    }

    /// Answers a message that asks for something, in the legacy era.
    pub(super) async fn elicited(&self, params: ElicitRequestParams) -> Result<ElicitResult, ErrorData> {
        let about = {
            let now = self.legacy.now.lock();
            now.call.clone().filter(|_| !now.doubtful)
        };
        let about = about.ok_or_else(|| refused("it can't be told which call this is about"))?;
        self.put(about, params).await
    }

    async fn put(&self, about: About, params: ElicitRequestParams) -> Result<ElicitResult, ErrorData> {
        let ElicitRequestParams::FormElicitationParams { message, requested_schema, .. } = params else {
            return Err(refused("only forms are put to a person here"));
        };
        let schema = serde_json::to_value(requested_schema).unwrap_or_default();
        let form = Form::read(&message, &schema).map_err(refused)?;
        let inquiring = self.way.get().ok_or_else(|| refused("nobody can be asked now"))?;
        let mut context = form.context.clone();
        context.insert("server".to_owned(), self.alias.to_string());
        context.insert("tool".to_owned(), about.tool.to_string());
        context.insert("session".to_owned(), about.asker.session.to_string());
        context.insert("principal".to_owned(), about.asker.principal.to_string());
        let wording = Wording::new(form.text.clone(), form.shown(), context).map_err(|unfit| refused(&unfit.to_string()))?;
        let _waiting = Waiting::begin(&about.waited);
        let (mut over, session) = (about.over.clone(), about.asker.session);
        let answer = tokio::select! {
            answer = inquiring.ask(session, wording) => answer,
            _ = over.changed() => return Ok(ElicitResult::new(ElicitationAction::Cancel)),
        };
        match answer {
            Ok(Reply::Said(text)) => match form.content(&text) {
                Some(content) => Ok(ElicitResult::new(ElicitationAction::Accept).with_content(content.into())),
                None => Err(refused("what was answered is not one of the choices")),
            },
            Ok(Reply::Declined) => Ok(ElicitResult::new(ElicitationAction::Decline)),
            // Nobody decided. A machine's no is an error, and no word of a person's (AUTH-7).
            Err(Unanswered::Failed(Failure::Ended(_))) => Ok(ElicitResult::new(ElicitationAction::Cancel)),
            Err(error) => Err(refused(&error.to_string())),
        }
    }
}

impl Running {
    /// Puts a question that came as the answer to this very call.
    pub(super) async fn put(&self, params: ElicitRequestParams) -> Result<ElicitResult, ErrorData> {
        self.questions.put(self.about.clone(), params).await
    }

    /// How long persons were waited for until now.
    pub(super) fn waited(&self) -> Duration {
        self.about.waited.lock().until_now()
    }

    /// The server has done with the call.
    pub(super) const fn answered(&mut self) {
        self.answered = true;
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if self._turn.is_some() {
            let mut now = self.questions.legacy.now.lock();
            now.call = None;
            now.doubtful |= !self.answered;
        }
    }
}

impl Waited {
    fn until_now(&self) -> Duration {
        self.before + self.since.first().map(Instant::elapsed).unwrap_or_default()
    }
}

/// One question that waits. The time of several at once is counted once.
struct Waiting<'a>(&'a Mutex<Waited>);

impl<'a> Waiting<'a> {
    fn begin(waited: &'a Mutex<Waited>) -> Self {
        let mut at = waited.lock();
        let since = at.since.first().copied().unwrap_or_else(Instant::now);
        at.since.push(since);
        drop(at);
        Self(waited)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        let mut waited = self.0.lock();
        if let Some(since) = waited.since.pop()
            && waited.since.is_empty()
        {
            waited.before += since.elapsed();
        }
    }
}

fn refused(why: &str) -> ErrorData {
    ErrorData::new(ErrorCode::INVALID_PARAMS, prose(why, 200), None)
}
