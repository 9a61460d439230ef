//! The operator's API: one line of JSON asked, one answered, over a socket in the state folder.
//!
//! Is: typed requests, one handler each, and both ends of the socket. Is not: anything a client of the model reaches, nor
//! a way to say yes to a request; answers over a socket come with A3. Clauses: HOST-3 (see and take back), CAT-8 (accept),
//! REV-1, REV-4. Invariant: I-9.
//! Neighbours: `app` listens, `cli` asks; where no host runs `cli` calls the handler itself.

mod ask;
mod handle;
mod listen;

#[cfg(test)]
mod tests;

pub use ask::{Unanswered, ask};
pub use handle::handle;
pub use listen::Listener;

use agent_core::id::ToolId;
use agent_core::request::Question;
use agent_core::session::{Asker, Bound, CallId, SessionId};
use agent_core::state::Held;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Bytes of one request, its line feed included; room for every tool of a server, by id and digest.
const REQUEST_BYTES: usize = 2 * 1024 * 1024;
/// Bytes of one response.
const RESPONSE_BYTES: usize = 64 * 1024 * 1024;
/// How long either side waits for the other's line, or for room to write its own.
const LINE: Duration = Duration::from_secs(10);
/// Operators served at a time.
const OPERATORS: usize = 16;

/// Where a state folder's host listens.
#[must_use]
pub fn socket(state: &Path) -> PathBuf {
    state.join("operator.sock")
}

/// What an operator asks. Variants without fields have braces, so that a key too many is refused in them as well.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Request {
    /// Every session and what it holds.
    Sessions {},
    /// Everything that waits for a person.
    Approvals {},
    /// One tool of one session taken back.
    Revoke {
        /// The session.
        session: SessionId,
        /// The tool.
        tool: ToolId,
        /// Whether calls of it that run are given up.
        #[serde(default)]
        cancel: bool,
    },
    /// Every activation and start stopped.
    Stop {},
    /// The stop lifted.
    Resume {},
    /// Definitions accepted, each by its digest, all of them or none.
    Accept {
        /// The exact definitions.
        bounds: Vec<Bound>,
    },
}

/// What an operator is answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "kebab-case")]
pub enum Response {
    /// To `sessions`.
    Sessions {
        /// Each session, by id.
        sessions: Vec<Session>,
        /// Who stopped everything, while it is stopped.
        stopped: Option<String>,
    },
    /// To `approvals`.
    Approvals {
        /// Oldest first.
        waiting: Vec<Question>,
    },
    /// To `revoke`. In effect.
    Revoked {
        /// Whether this host has the session.
        known: bool,
        /// Whether it held the tool.
        removed: bool,
        /// Calls of it that had started; given up where that was asked.
        running: Vec<CallId>,
        /// Whether it is recorded.
        recorded: bool,
    },
    /// To `stop`. In effect.
    Stopped {
        /// Whether it is recorded.
        recorded: bool,
    },
    /// To `resume`.
    Resumed,
    /// To `accept`. Recorded.
    Accepted,
    /// Nothing was done.
    Failed {
        /// Why.
        what: String,
        /// What to do.
        hint: String,
    },
}

/// One session as an operator sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Session {
    /// Whose it is.
    pub asker: Asker,
    /// What it holds, in activation order.
    pub active: Vec<Held>,
    /// The request that waits for a person.
    pub waiting: Option<Question>,
    /// Calls that run.
    pub running: Vec<CallId>,
}
