//! What an operator is answered: one value for each request, named by its word.
//!
//! Is not: the parts, which are beside it. Clause: HOST-3 (socket).

use super::{
    Answered, Bearer, Boundary, CatalogPage, Explained, Found, Numbers, PolicyPage, RecordPage, Reloaded, Remembered, Replied, Running,
    Session, SessionPage, Stands, Stop, TakenBack, Whole, WholeTool, Why,
};
use crate::upstream::Health;
use agent_core::digest::Digest;
use agent_core::id::{Alias, ToolId};
use agent_core::inquiry::Inquiry;
use agent_core::request::Question;
use agent_core::session::RequestId;
use agent_core::token::TokenRecord;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What an operator is answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "is", rename_all = "kebab-case")]
pub enum Response {
    /// To `servers`.
    Servers {
        /// By alias; none of a host that runs no servers.
        health: BTreeMap<Alias, Health>,
        /// Who stopped everything and when, while it is stopped.
        #[serde(default)]
        stopped: Option<Stop>,
    },
    /// To `sessions`.
    Sessions {
        /// Each session, by id.
        sessions: Vec<Session>,
        /// Who stopped everything and when, while it is stopped.
        stopped: Option<Stop>,
        /// Where the host stands to its clients.
        boundary: Boundary,
    },
    /// To `session-list`.
    SessionList {
        /// The page.
        page: Box<SessionPage>,
    },
    /// To `session`; none where this host has no such session.
    Session {
        /// The session.
        session: Option<Box<Whole>>,
    },
    /// To `approvals`.
    Approvals {
        /// Oldest first.
        waiting: Vec<Question>,
        /// The digest of each, which an answer to it names; for who can't make it from the question.
        #[serde(default)]
        shown: BTreeMap<RequestId, Digest>,
        /// As with the sessions.
        stopped: Option<Stop>,
        /// Where the host stands to its clients.
        boundary: Boundary,
    },
    /// To `answer`.
    Answered {
        /// What it came to.
        answered: Answered,
    },
    /// To `denials`.
    Denials {
        /// By principal, tool and definition.
        denials: Vec<Remembered>,
    },
    /// To `questions`.
    Questions {
        /// Oldest first.
        waiting: Vec<Inquiry>,
    },
    /// To `reply`.
    Replied {
        /// What it came to.
        replied: Replied,
    },
    /// To `clear-denials`. Recorded.
    Cleared,
    /// To `standing`.
    Standing {
        /// By principal and tool.
        approvals: Vec<Stands>,
    },
    /// To `withdraw-standing`. In effect.
    StandingWithdrawn {
        /// Of which tools.
        tools: Vec<ToolId>,
        /// Whether it is recorded.
        recorded: bool,
    },
    /// To `why`; none where this host has no such session.
    Why {
        /// The explanation.
        why: Option<Box<Why>>,
    },
    /// To `overview`.
    Overview {
        /// The numbers.
        numbers: Box<Numbers>,
    },
    /// To `catalog`.
    Catalog {
        /// The page.
        page: Box<CatalogPage>,
    },
    /// To `search`.
    Found {
        /// The hits.
        found: Found,
    },
    /// To `tool`; none where no such tool is served.
    Tool {
        /// The tool.
        tool: Option<Box<WholeTool>>,
    },
    /// To `policy`.
    Policy {
        /// It.
        page: Box<PolicyPage>,
    },
    /// To `records`.
    Records {
        /// The page.
        page: Box<RecordPage>,
    },
    /// To `verify`.
    Verified {
        /// Records that were read.
        records: u64,
        /// Streams that they belong to.
        streams: usize,
        /// The hash of the last of them.
        head: Digest,
        /// The first thing that is wrong.
        broken: Option<String>,
    },
    /// To `explain`; none where the catalog does not have the tool.
    Explained {
        /// The explanation.
        explained: Option<Box<Explained>>,
    },
    /// To `revoke`. In effect.
    Revoked {
        /// Whether this host has the session, where one is named.
        known: bool,
        /// What became of running calls.
        running: Running,
        /// Each session in which something was taken back or runs.
        sessions: Vec<TakenBack>,
    },
    /// To `end-session`; none where this host has no such session. In effect.
    Ended {
        /// What it lost.
        session: Option<TakenBack>,
    },
    /// To `stop`. In effect.
    Stopped {
        /// Whether it is recorded.
        recorded: bool,
    },
    /// To `resume`.
    Resumed,
    /// To `console`; none where none are served.
    Console {
        /// Their URL. On loopback it holds a secret, and is for the host's own user alone.
        url: Option<String>,
    },
    /// To `reload`.
    Reloaded {
        /// What it came to.
        reloaded: Reloaded,
    },
    /// To `accept`. Recorded.
    Accepted,
    /// To `create-token`. Recorded.
    TokenMade {
        /// Its secret, which is nowhere else.
        secret: Bearer,
        /// What is kept of it.
        token: Box<TokenRecord>,
    },
    /// To `tokens`.
    Tokens {
        /// Oldest first.
        tokens: Vec<TokenRecord>,
    },
    /// To `revoke-token`. In effect.
    TokenRevoked {
        /// Whether there was such a token.
        known: bool,
        /// Whether it is recorded.
        recorded: bool,
    },
    /// Nothing was done.
    Failed {
        /// Why.
        what: String,
        /// What to do.
        hint: String,
    },
}
