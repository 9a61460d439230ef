//! The operator's API: one line of JSON asked, one answered, over a socket in the state folder.
//!
//! Is: typed requests, one handler each, and both ends of the socket. Is not: anything a client of the model reaches.
//! Whoever asks says what they decided, never who they are or what that proves: the host takes it from the peer.
//! Clauses: HOST-2, HOST-3 (socket), CAT-8 (accept), AUTH-4 (socket, passphrase), AUTH-6, AUTH-8, AUTH-9, POL-4, REV-1, REV-4,
//! SES-4 (tokens).
//! Invariant: I-9.
//! Neighbours: `app` listens, `cli` asks; where no host runs `cli` calls the handler itself.

mod answered;
mod ask;
mod evidence;
mod explain;
mod found;
mod handle;
mod listen;
mod look;
mod looked;
mod operator;
pub mod passphrase;
mod pulse;
mod questions;
mod reloaded;
mod response;
mod revoke;
mod shape;
mod standing;
mod tally;
mod token;

#[cfg(test)]
mod tests;

pub use answered::{Answered, Boundary, Session, Stop, Whole, Why};
pub use ask::{Unanswered, ask};
pub use evidence::Users;
pub use explain::Explained;
pub use found::{Found, Hit, Reason, Standing};
pub use handle::{AskReload, Office, handle};
pub use listen::{Listener, socket};
pub(crate) use look::decides;
pub use look::{RECORDS, REFUSED, ROWS, SESSIONS};
pub use looked::{
    CatalogPage, Counts, Listed, Numbers, PolicyPage, RecordPage, Records, RefusedTool, RuleRow, Served, SessionPage, Span, ToolRow,
    WholeTool,
};
#[cfg(feature = "schema")]
pub(crate) use operator::needs;
pub use operator::{Operator, Over, Role};
pub(crate) use pulse::Pulse;
pub use questions::Replied;
pub use reloaded::{Changes, Reloaded};
pub use response::Response;
pub use revoke::{Ran, Running, Scope, TakenBack};
pub(crate) use shape::misshapen;
pub use standing::{Remembered, Stands};
pub use token::{Bearer, Lifetime, Ordered};

use agent_core::digest::Digest;
use agent_core::id::{Alias, ToolId};
use agent_core::inquiry::Reply;
use agent_core::request::Decision;
use agent_core::session::{Bound, PrincipalId, ProfileId, RequestId, SessionId, TokenId};
use passphrase::Secret;
use serde::{Deserialize, Serialize};

use std::time::Duration;

/// Bytes of one request, its line feed included; room for every tool of a server, by id and digest.
pub(crate) const REQUEST_BYTES: usize = 2 * 1024 * 1024;
/// Bytes of any request that holds a passphrase, escapes included.
const ROOM: usize = 16 * 1024;
/// Bytes of one response.
const RESPONSE_BYTES: usize = 64 * 1024 * 1024;
/// How long either side waits for the other's line, or for room to write its own.
const LINE: Duration = Duration::from_secs(10);

/// What an operator asks. Variants without fields have braces, so that a key too many is refused in them as well.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "do", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Request {
    /// How each server is.
    Servers {},
    /// Every session and what it holds.
    Sessions {},
    /// A page of the sessions: those that wait first, then the last used.
    SessionList {
        /// Which.
        list: Listed,
    },
    /// One session, with all that is kept of it.
    Session {
        /// The session.
        session: SessionId,
    },
    /// Everything that waits for a person.
    Approvals {},
    /// A person's answer to what waits.
    Answer {
        /// The session that asks.
        session: SessionId,
        /// Its request.
        request: RequestId,
        /// The digest of the question that the person was shown.
        shown: Digest,
        /// What they decided.
        answer: Decision,
        /// The passphrase, where they typed it.
        passphrase: Option<Secret>,
    },
    /// Everything that a person said no to and is remembered.
    Denials {},
    /// The questions that are about no permission and wait for a person.
    Questions {},
    /// A person's answer to such a question. It activates nothing.
    Reply {
        /// The session that it is about.
        session: SessionId,
        /// Which of the session's.
        index: u64,
        /// What they answer.
        reply: Reply,
    },
    /// A principal's denials forgotten, so that a person can be asked again.
    ClearDenials {
        /// Whose.
        principal: PrincipalId,
        /// Those of one tool; of every one where it is left out.
        #[serde(default)]
        tool: Option<ToolId>,
    },
    /// Every standing approval.
    Standing {},
    /// A principal's standing approvals taken back, so that a person is asked again.
    WithdrawStanding {
        /// Whose.
        principal: PrincipalId,
        /// That of one tool; every one where it is left out.
        #[serde(default)]
        tool: Option<ToolId>,
    },
    /// Why a session may or may not call a tool.
    Why {
        /// The session.
        session: SessionId,
        /// The tool.
        tool: ToolId,
    },
    /// How the host is now, and what happened lately.
    Overview {
        /// How far back.
        span: Span,
    },
    /// A page of the catalog.
    Catalog {
        /// Of one server.
        server: Option<Alias>,
        /// The tools after this one.
        after: Option<ToolId>,
    },
    /// What a search finds, and why.
    Search {
        /// What for.
        words: String,
        /// Of one server.
        server: Option<Alias>,
    },
    /// Everything about one tool.
    Tool {
        /// Which.
        id: ToolId,
    },
    /// The policy in force.
    Policy {},
    /// What was recorded, newest first.
    Records {
        /// Which of it.
        records: Records,
    },
    /// The chain of records read as a whole.
    Verify {},
    /// What the policy says of a tool, session apart, and which rule says so.
    Explain {
        /// Who would ask.
        principal: PrincipalId,
        /// Under which profile; none is no ceiling.
        #[serde(default)]
        profile: Option<ProfileId>,
        /// For what.
        tool: ToolId,
    },
    /// Something taken back.
    Revoke {
        /// What.
        scope: Scope,
        /// What becomes of calls of it that run.
        #[serde(default)]
        running: Running,
    },
    /// A session ended under its client, with all that it holds and asks for. What it runs is given up.
    EndSession {
        /// The session.
        session: SessionId,
    },
    /// Every activation and start stopped.
    Stop {},
    /// The stop lifted.
    Resume {},
    /// Where the operator's pages are.
    Console {},
    /// The configuration read again.
    Reload {},
    /// Definitions accepted, each by its digest, all of them or none.
    Accept {
        /// The exact definitions.
        bounds: Vec<Bound>,
    },
    /// A bearer token made.
    CreateToken {
        /// What it is to be.
        token: Ordered,
    },
    /// The bearer tokens that stand.
    Tokens {},
    /// A bearer token taken back.
    RevokeToken {
        /// Which.
        id: TokenId,
    },
}
