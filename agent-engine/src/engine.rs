//! Wiring: from a host's parts to the two faces.
//!
//! Is: `build`. Is not: logic. The client's face asks and calls; the operator's face answers. Clauses: ACT-5, ACT-9,
//! SES-1, AUD-1. Invariants: I-1, I-10.

mod reader;
mod restore;

pub use reader::Reader;

use crate::activation::{Asked, pair};
use crate::builtins::{Builtin, Builtins, Reply, faces};
use crate::call::{Calls, Progress, ToolHost};
use crate::carry;
use crate::catalog::Tool;
use crate::desk::Desk;
use crate::gate::{Guard, Target};
use crate::index::Indexes;
use crate::ledger::{CommitError, Journal, Ledger};
use crate::policy::{Policy, Verdict};
use crate::projection::{Surface, Terms, surface};
use crate::revocation::Revocation;
use crate::search::Search;
use crate::session::{Cell, Narrowed, Presented, Registry, Starts};
use crate::standing::Standing;
use crate::token::Tokens;
use crate::view::Views;
use agent_core::digest::Digest;
use agent_core::id::ToolId;
use agent_core::limits::ACTIVE_MAX;
use agent_core::mirrored::Mirrored;
use agent_core::refusal::Refusal;
use agent_core::request::Question;
use agent_core::session::{Asker, PrincipalId, ProfileId, SessionId, SessionKey};
use agent_core::time::{Clock, Entropy};
use serde_json::{Map, Value};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// Bytes of search indexes kept where the host says nothing.
pub const INDEX_BYTES: usize = 256 * 1024 * 1024;

/// What a host brings.
pub struct Parts {
    /// Where transitions are kept.
    pub ledger: Arc<dyn Ledger>,
    /// Where tools run.
    pub tools: Arc<dyn ToolHost>,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// Randomness fit for secrets.
    pub entropy: Arc<dyn Entropy>,
    /// The policy in force from the start.
    pub policy: Policy,
    /// The host's own checks round every call.
    pub guards: Vec<Arc<dyn Guard>>,
    /// The builtins offered.
    pub builtins: Vec<Builtin>,
    /// Bytes of search indexes kept.
    pub index_bytes: usize,
    /// How starts are recorded.
    pub starts: Starts,
}

impl Parts {
    /// A host's ports, with every builtin, no guard of its own, and a policy that denies everything until it is told
    /// otherwise (NAT-4).
    #[must_use]
    pub fn new(ledger: Arc<dyn Ledger>, tools: Arc<dyn ToolHost>, clock: Arc<dyn Clock>, entropy: Arc<dyn Entropy>) -> Self {
        Self {
            ledger,
            tools,
            clock,
            entropy,
            policy: Policy::default(),
            guards: Vec::new(),
            builtins: Builtin::ALL.to_vec(),
            index_bytes: INDEX_BYTES,
            starts: Starts::Durable,
        }
    }
}

/// Builds the engine on what the ledger kept: sets are retained, calls that ran are ended as unknown, what waited is
/// withdrawn, and where an earlier run left a narrowing unrecorded everything is stopped.
///
/// # Errors
/// [`CommitError`] where the ledger can't be read.
pub async fn build(parts: Parts) -> Result<(Front, Desk), CommitError> {
    let journal = Journal::new(parts.ledger, parts.clock.clone());
    let standing = Standing::load(&journal).await?;
    let views = Arc::new(Views::new(standing, parts.policy, parts.clock));
    let sessions = Arc::new(Registry::default());
    let revocation = Arc::new(Revocation::new(views.clone(), journal.clone(), sessions.clone()));
    restore::all(&views, &journal, &sessions, &revocation).await?;
    let host = parts.tools.clone();
    let tell = Box::new(move |asker: &Asker, ids: &[ToolId]| host.activated(asker, ids));
    let (asking, answering) = pair(views.clone(), journal.clone(), sessions.clone(), parts.entropy.clone(), tell);
    let calls = Arc::new(Calls::new(views.clone(), journal.clone(), parts.tools, parts.guards, parts.entropy.clone(), parts.starts));
    let search = Arc::new(Search::new(Indexes::new(parts.index_bytes)));
    let builtins = Builtins {
        views: views.clone(),
        journal: journal.clone(),
        search: search.clone(),
        asking,
        calls,
        revocation: revocation.clone(),
        offered: parts.builtins,
    };
    let tokens = Arc::new(Tokens::new(views.clone(), journal.clone(), parts.entropy.clone()));
    let desk = Desk::new(answering, revocation.clone(), views.clone(), journal.clone(), sessions.clone(), search, tokens);
    let inner = Inner { views, journal, sessions, revocation, builtins, entropy: parts.entropy };
    Ok((Front(Arc::new(inner), Terms::default()), desk))
}

struct Inner {
    views: Arc<Views>,
    journal: Arc<Journal>,
    sessions: Arc<Registry>,
    revocation: Arc<Revocation>,
    builtins: Builtins,
    entropy: Arc<dyn Entropy>,
}

/// The client's face: it can ask, wait and call. It can't answer. Each client has it under its own terms.
#[derive(Clone)]
pub struct Front(Arc<Inner>, Terms);

/// A session just opened.
pub struct Opened {
    /// The session.
    pub session: Arc<Cell>,
    /// Its secret, where one was asked for; shown once.
    pub key: Option<SessionKey>,
    /// Presets that could not be activated, each with the reason.
    pub refused: Vec<(ToolId, Refusal)>,
}

impl Front {
    /// Opens a session with its profile's presets. `keyed` asks for a secret by which it can be taken up again.
    ///
    /// # Errors
    /// [`CommitError`] where it could not be recorded; there is no session then.
    pub async fn open(&self, principal: PrincipalId, profile: Option<ProfileId>, keyed: bool) -> Result<Opened, CommitError> {
        let key = keyed.then(|| SessionKey::new(self.0.entropy.bits()));
        let by = Presented { key: key.as_ref().map(SessionKey::digest), credential: None };
        self.open_by(principal, profile, by).await.map(|opened| Opened { key, ..opened })
    }

    /// The same for a session that is known by what the host says; its secret, if it has one, is the host's to make.
    ///
    /// # Errors
    /// As [`Front::open`].
    pub async fn open_by(&self, principal: PrincipalId, profile: Option<ProfileId>, by: Presented) -> Result<Opened, CommitError> {
        let inner = &self.0;
        inner.views.standing.admit(&inner.journal, &principal).await?;
        let asker = Asker { session: SessionId::new(inner.entropy.bits()), principal, profile };
        let session = inner.sessions.open(&inner.journal, asker, by).await?;
        let presets = inner.views.policy.load().policy.presets(session.asker().profile.as_ref()).to_vec();
        let mut refused = Vec::new();
        for id in presets {
            if let Asked::Refused(refusal) = inner.builtins.asking.preset(&session, id.as_str()).await {
                refused.push((id, refusal));
            }
        }
        Ok(Opened { session, key: None, refused })
    }

    /// Takes a session up again. Another principal's, a wrong key and an unknown session are the same nothing (SES-1).
    #[must_use]
    pub fn resume(&self, principal: &PrincipalId, session: SessionId, key: Option<&SessionKey>) -> Option<Arc<Cell>> {
        let cell = self.0.sessions.find(session)?;
        let stored = cell.state().key;
        let proven = match (stored, key) {
            (None, None) => true,
            (Some(stored), Some(key)) => key.matches(&stored),
            _ => false,
        };
        (cell.asker().principal == *principal && proven).then_some(cell)
    }

    /// The live session of a key's digest, for the principal whose it is. Another principal's is the same nothing (SES-1).
    #[must_use]
    pub fn keyed(&self, principal: &PrincipalId, key: &Digest) -> Option<Arc<Cell>> {
        self.0.sessions.keyed(key).filter(|cell| cell.asker().principal == *principal && !cell.state().ended)
    }

    /// The same face under other terms.
    #[must_use]
    pub fn under(&self, terms: Terms) -> Self {
        Self(self.0.clone(), terms)
    }

    /// The terms it serves under.
    #[must_use]
    pub const fn terms(&self) -> &Terms {
        &self.1
    }

    /// Makes presets of the tools that a rule says `auto` of, in the order of their ids, until the session holds as many
    /// as may be active. Returns what was left for lack of room. What a rule says otherwise of by then is no preset.
    pub async fn preset_by_rule(&self, session: &Arc<Cell>) -> Vec<ToolId> {
        let frame = self.0.views.frame(session);
        let auto = |tool: &&Arc<Tool>| frame.shows(tool) && frame.verdict(tool) == Verdict::Auto;
        let ids: Vec<_> = frame.catalog.tools().iter().filter(auto).map(|tool| tool.descriptor.id.clone()).collect();
        let mut left = Vec::new();
        for id in ids.into_iter().filter(|id| frame.state.held(id).is_none()) {
            if session.state().active.len() < ACTIVE_MAX {
                self.0.builtins.asking.preset_by_rule(session, id.as_str()).await;
            } else {
                left.push(id);
            }
        }
        left
    }

    /// What the session is listed now.
    #[must_use]
    pub fn surface(&self, session: &Cell) -> Surface {
        surface(&self.0.views.frame(session), faces(&self.0.builtins.offered, &self.1), self.1.listing)
    }

    /// What is listed to whoever has no session yet: the builtins.
    #[must_use]
    pub fn bare(&self) -> Surface {
        Surface { builtins: faces(&self.0.builtins.offered, &self.1), tools: Vec::new() }
    }

    /// The arguments that a call by this name has to bring in headers, too: those of a tool that may be called by it now, and
    /// none of any other, so that nothing is told of what is not active (GATE-2).
    #[must_use]
    pub fn mirrored(&self, session: &Cell, name: &str) -> Vec<Mirrored> {
        let frame = self.0.views.frame(session);
        let decided = crate::gate::decide(&frame, Target::Wire(name, self.1.listing), 0);
        decided.map_or_else(|_| Vec::new(), |(tool, _)| tool.definition.mirrored.clone())
    }

    /// The ids that may be called now, verbatim and in order: what a compaction carries over (ACT-5).
    #[must_use]
    pub fn carried_state(&self, session: &Cell) -> Vec<ToolId> {
        let frame = self.0.views.frame(session);
        crate::gate::usable(&frame).into_iter().map(|(tool, _)| tool.descriptor.id.clone()).collect()
    }

    /// Answers a call of a builtin or a tool by its name. Never waits for a person.
    pub async fn call(&self, session: &Arc<Cell>, name: &str, arguments: Map<String, Value>) -> Reply {
        self.call_heard(session, name, arguments, Progress::none()).await
    }

    /// The same for a caller who wants to hear how far it is. Nobody hears a step that comes once it
    /// ended.
    pub async fn call_heard(&self, session: &Arc<Cell>, name: &str, arguments: Map<String, Value>, progress: Progress) -> Reply {
        session.served(self.1.listing);
        carry::over(&self.0.views, &self.0.journal, session).await;
        self.0.builtins.call(session, name, arguments, &self.1, &progress).await
    }

    /// Waits for the answer to a question, at most so long; then it is still waiting.
    pub async fn wait(&self, session: &Arc<Cell>, question: &Question, at_most: Duration) -> Reply {
        self.0.builtins.wait(session, question, at_most, self.1.listing).await
    }

    /// Says no for the adapter at the asker's side, on record.
    #[must_use]
    pub fn refuse(&self, session: &Cell, refusal: Refusal, about: &str) -> Reply {
        self.0.builtins.refuse(session, refusal, about, self.1.listing)
    }

    /// The calls of the session as three steps, for hosts that need a say in between.
    #[must_use]
    pub fn calls(&self) -> &Arc<Calls> {
        &self.0.builtins.calls
    }

    /// Wakes whenever something of the session changed; compare surfaces to see whether its list did.
    #[must_use]
    pub fn watch(&self, session: &Cell) -> watch::Receiver<u64> {
        session.listen()
    }

    /// Ends a session with everything it held.
    pub async fn close(&self, session: &Cell) -> Narrowed {
        self.0.revocation.close(session, "client").await
    }
}
