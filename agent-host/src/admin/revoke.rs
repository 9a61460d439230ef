//! Taking back over the socket: what is named, what becomes of running calls, and what came of it in each session.
//!
//! Is: the words of it, and the wait for clients to be told. Is not: the narrowing, which is in effect before any of that.
//! Clauses: REV-1, REV-2.

use agent_core::id::{Alias, ToolId};
use agent_core::session::{CallId, PrincipalId, SessionId};
use agent_engine::desk::Desk;
use agent_engine::revocation;
use agent_engine::session::{Cell, Narrowed, Told};
use serde::{Deserialize, Serialize};
use std::time::Duration;
use tokio::time::Instant;

/// How long clients are waited for, all of them together. What was taken back is in effect meanwhile.
const TOLD: Duration = Duration::from_secs(2);

/// What is taken back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "of", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Scope {
    /// One tool of one session.
    Grant {
        /// The session.
        session: SessionId,
        /// The tool.
        tool: ToolId,
    },
    /// One tool of every session.
    Everywhere {
        /// The tool.
        tool: ToolId,
    },
    /// Everything of one session, presets too.
    Session {
        /// The session.
        session: SessionId,
    },
    /// Everything of every session of a principal, presets too.
    Principal {
        /// Whose.
        principal: PrincipalId,
    },
    /// Every tool of one server, of every session, presets too.
    Server {
        /// The server.
        server: Alias,
    },
}

impl From<Scope> for revocation::Scope {
    fn from(scope: Scope) -> Self {
        match scope {
            Scope::Grant { session, tool } => Self::Grant(session, tool),
            Scope::Everywhere { tool } => Self::Everywhere(tool),
            Scope::Session { session } => Self::Session(session),
            Scope::Principal { principal } => Self::Principal(principal),
            Scope::Server { server } => Self::Server(server),
        }
    }
}

impl Scope {
    /// The one session that it is about, if it is about one.
    pub(super) const fn session(&self) -> Option<SessionId> {
        match self {
            Self::Grant { session, .. } | Self::Session { session } => Some(*session),
            Self::Everywhere { .. } | Self::Principal { .. } | Self::Server { .. } => None,
        }
    }
}

/// What becomes of calls that run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Running {
    /// They run on; a result that comes late is marked.
    #[default]
    Leave,
    /// They are given up. What they did until then is done.
    Cancel,
}

/// A call that ran when its tool was taken back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Ran {
    /// The call.
    pub call: CallId,
    /// What it runs.
    pub tool: ToolId,
}

/// What was taken back of one session. In effect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TakenBack {
    /// The session.
    pub session: SessionId,
    /// Whose it is.
    pub principal: PrincipalId,
    /// What it held and holds no more.
    pub removed: Vec<ToolId>,
    /// Calls of it that had started: left to run, or told to give up, as it was asked.
    pub running: Vec<Ran>,
    /// Whether it is recorded.
    pub recorded: bool,
    /// Whether its client was told that its list changed.
    pub told: Told,
    /// What of it a person said always to: it comes back unasked when it is asked for again, until that is taken back too.
    pub stands: Vec<ToolId>,
}

/// Takes back.
pub(super) async fn revoke(desk: &Desk, scope: Scope, running: Running, by: &str) -> Vec<TakenBack> {
    let revoked = desk.revoke(&scope.into(), by, running == Running::Cancel).await;
    let until = Instant::now() + TOLD;
    let mut taken = Vec::new();
    for revoked in revoked {
        taken.push(taken_back(desk, &revoked.cell, revoked.set, revoked.narrowed, until).await);
    }
    taken
}

/// Ends a session. None where it is not there.
pub(super) async fn end(desk: &Desk, session: SessionId, by: &str) -> Option<TakenBack> {
    let (cell, narrowed) = desk.end(session, by).await?;
    Some(taken_back(desk, &cell, cell.state().set, narrowed, Instant::now() + TOLD).await)
}

async fn taken_back(desk: &Desk, cell: &Cell, set: u64, narrowed: Narrowed, until: Instant) -> TakenBack {
    let told = match narrowed.removed.is_empty() {
        true => Told::Unlisted,
        false => cell.told(set, until.saturating_duration_since(Instant::now())).await,
    };
    let running = narrowed.running.into_iter().map(|(call, tool)| Ran { call, tool }).collect();
    let asker = cell.asker();
    let stands = desk.stands(&asker.principal, &narrowed.removed);
    TakenBack {
        session: asker.session,
        principal: asker.principal.clone(),
        removed: narrowed.removed,
        running,
        recorded: narrowed.recorded,
        told,
        stands,
    }
}
