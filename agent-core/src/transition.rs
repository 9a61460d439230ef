//! The transitions of every stream: each is a state change and its audit record at once.
//!
//! Is: the records. Is not: what they add up to (`state`), or where they are kept (the engine's `ledger` port).
//! Clauses: AUD-1, AUD-2, STO-1.

use crate::digest::{Digest, Domain, Hasher};
use crate::grant::{GrantRecord, Suspended};
use crate::id::{Alias, ToolId};
use crate::inquiry::{Answerer, Inquiry, Reply};
use crate::outcome::End;
use crate::request::{Decider, Question};
use crate::session::{Asker, Bound, CallId, PrincipalId, RequestId, SessionId, TokenId};
use crate::time::Instant;
use crate::token::TokenRecord;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// A unit of state and of ordering.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(try_from = "String", into = "String")]
pub enum Stream {
    /// Kill switch, pins, policy in force, bearer tokens.
    Host,
    /// A principal's denials and standing approvals.
    Principal(PrincipalId),
    /// A session's set, waiting request and calls.
    Session(SessionId),
}

impl fmt::Display for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Host => f.write_str("host"),
            Self::Principal(principal) => write!(f, "principal:{principal}"),
            Self::Session(session) => write!(f, "session:{session}"),
        }
    }
}

impl From<Stream> for String {
    fn from(stream: Stream) -> Self {
        stream.to_string()
    }
}

impl TryFrom<String> for Stream {
    type Error = &'static str;
    fn try_from(text: String) -> Result<Self, Self::Error> {
        match text.split_once(':') {
            None if text == "host" => Ok(Self::Host),
            Some(("principal", name)) => PrincipalId::parse(name).map(Self::Principal),
            Some(("session", id)) => SessionId::parse(id).map(Self::Session).ok_or("not a session id"),
            _ => Err("not a stream"),
        }
    }
}

/// How often a stream's state was changed by something that plans depend on. Starts, ends and notes don't count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Version(pub u64);

impl Version {
    /// The version after this one.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

/// Why a waiting request ended without an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Withdrawal {
    /// What was asked for is no longer what was shown.
    Changed,
    /// The policy in force denies it now, or the cap no longer allows it.
    Refused,
    /// Its time was over.
    Expired,
    /// The host restarted.
    Restarted,
    /// The asker went away, or dismissed the question.
    Dismissed,
}

/// One change, or one event worth a record, of one stream.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Transition {
    /// Host: every activation and start stopped.
    Stopped {
        /// Who did it.
        by: String,
        /// When it took effect, which is before it is recorded. Older records don't say.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        since: Option<Instant>,
    },
    /// Host: the stop lifted.
    Resumed {
        /// Who did it.
        by: String,
    },
    /// Host: these definitions were accepted.
    Pinned {
        /// The exact definitions.
        bounds: Vec<Bound>,
    },
    /// Host: a policy came in force.
    PolicySet {
        /// Its digest.
        policy: Digest,
    },
    /// Host: a bearer token was made.
    TokenMade {
        /// What is kept of it.
        token: Arc<TokenRecord>,
        /// Who did it.
        by: String,
    },
    /// Host: a bearer token was taken back.
    TokenRevoked {
        /// Which.
        id: TokenId,
        /// Who did it.
        by: String,
    },
    /// Principal: a person said no to these. A standing approval of one of them is gone with it.
    Denied {
        /// The exact definitions.
        bounds: Vec<Bound>,
        /// Until when it is remembered.
        until: Instant,
    },
    /// Principal: the denials were cleared by an operator. Session: likewise its own.
    DenialsCleared {
        /// Those of this tool alone; of every one where it is left out.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tool: Option<ToolId>,
        /// Who did it.
        by: String,
    },
    /// Principal: a person said always to these.
    StandingMade {
        /// The exact definitions.
        bounds: Vec<Bound>,
        /// Who said it.
        by: Decider,
    },
    /// Principal: standing approvals were taken back by an operator.
    StandingRevoked {
        /// That of this tool alone; every one where it is left out.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tool: Option<ToolId>,
        /// Who did it.
        by: String,
    },
    /// Session: opened.
    Opened {
        /// For whom.
        asker: Asker,
        /// What is kept of its key, where its client has one.
        key: Option<Digest>,
        /// Under which credential, where it was opened over HTTP.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        credential: Option<Digest>,
    },
    /// Session: ended, with everything it held.
    Closed {
        /// Who did it.
        by: String,
    },
    /// Session: a person is asked.
    Requested {
        /// The question.
        question: Box<Question>,
    },
    /// Session: the waiting request ended without an answer.
    Withdrawn {
        /// The request.
        request: RequestId,
        /// Why.
        why: Withdrawal,
    },
    /// Session: a person said no.
    Answered {
        /// The request.
        request: RequestId,
        /// What was denied.
        denied: Vec<Bound>,
        /// Who decided.
        by: Decider,
    },
    /// Session: a person is asked a question that is about no permission.
    Inquired {
        /// The question.
        inquiry: Box<Inquiry>,
    },
    /// Session: a person answered such a question.
    Replied {
        /// Which.
        index: u64,
        /// What they answered.
        reply: Reply,
        /// Who answered. No rule can be.
        by: Answerer,
    },
    /// Session: such a question ended without an answer.
    InquiryWithdrawn {
        /// Which.
        index: u64,
        /// Why.
        why: Withdrawal,
    },
    /// Session: one batch granted.
    Granted {
        /// The request.
        request: RequestId,
        /// The batch, in activation order.
        grants: Vec<GrantRecord>,
    },
    /// Session: given up by the session itself.
    Deactivated {
        /// What.
        ids: Vec<ToolId>,
    },
    /// Session: taken back by an operator.
    Revoked {
        /// What.
        ids: Vec<ToolId>,
        /// By whom.
        by: String,
    },
    /// Session: came to their end.
    Expired {
        /// What.
        ids: Vec<ToolId>,
    },
    /// Session: another definition was accepted in place of the granted one.
    Replaced {
        /// What.
        ids: Vec<ToolId>,
    },
    /// Session: not to be used for now.
    Suspended {
        /// What, and why.
        ids: Vec<(ToolId, Suspended)>,
    },
    /// Session: usable again; the very definition is back.
    Unsuspended {
        /// What.
        ids: Vec<ToolId>,
    },
    /// Session: a call is about to start.
    Starting {
        /// The call.
        call: CallId,
        /// The exact definition it runs.
        bound: Bound,
        /// The grant it uses.
        request: RequestId,
        /// The digest of its arguments.
        arguments: Digest,
    },
    /// Session: a call ended, or never started.
    Ended {
        /// The call.
        call: CallId,
        /// How.
        end: End,
    },
    /// Session: searched. An event alone; searches close on one another are one record with a count.
    Searched {
        /// Hits returned, of all of them together.
        hits: usize,
        /// How often.
        count: u64,
    },
    /// Session or principal: a prompt or a resource of a server was asked for. An event alone.
    Relayed {
        /// Of which server.
        server: Alias,
        /// By which method of MCP.
        method: String,
        /// Which, by the server's own name of it, cut and made visible.
        about: String,
    },
    /// Session: refused. An event alone; the same refusal many times over is one record with a count.
    Refused {
        /// The refusal's stable code.
        code: String,
        /// What it was about, cut and made visible.
        about: String,
        /// How often.
        count: u64,
    },
}

impl Transition {
    /// Whether the stream's version counts it.
    #[must_use]
    pub const fn advances(&self) -> bool {
        !matches!(self, Self::Starting { .. } | Self::Ended { .. } | Self::Searched { .. } | Self::Relayed { .. } | Self::Refused { .. })
    }

    /// Whether it can only take away.
    #[must_use]
    pub const fn narrows(&self) -> bool {
        matches!(
            self,
            Self::Stopped { .. }
                | Self::TokenRevoked { .. }
                | Self::Denied { .. }
                | Self::StandingRevoked { .. }
                | Self::Closed { .. }
                | Self::Withdrawn { .. }
                | Self::InquiryWithdrawn { .. }
                | Self::Answered { .. }
                | Self::Deactivated { .. }
                | Self::Revoked { .. }
                | Self::Expired { .. }
                | Self::Replaced { .. }
                | Self::Suspended { .. }
        )
    }
}

/// One link of a writer's chain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Record {
    /// Its place in the chain, from 1.
    pub seq: u64,
    /// Whose state it changed.
    pub stream: Stream,
    /// The stream's version after it.
    pub version: Version,
    /// When.
    pub at: Instant,
    /// What.
    pub what: Transition,
    /// The hash of the record before it; of the first, [`Record::genesis`].
    pub prev: Digest,
    /// The hash over all of the above.
    pub hash: Digest,
}

impl Record {
    /// What the first record of every chain links to.
    #[must_use]
    pub fn genesis() -> Digest {
        Hasher::new(Domain::Record).finish()
    }

    /// The record that follows `prev`.
    #[must_use]
    pub fn link(seq: u64, stream: Stream, version: Version, at: Instant, what: Transition, prev: Digest) -> Self {
        let mut record = Self { seq, stream, version, at, what, prev, hash: prev };
        record.hash = record.expected();
        record
    }

    /// The hash that the record's contents call for.
    #[must_use]
    pub fn expected(&self) -> Digest {
        let body = serde_json::to_vec(&(self.seq, &self.stream, self.version, self.at, &self.what)).unwrap_or_default();
        Hasher::new(Domain::Record).part(self.prev.bytes()).part(&body).finish()
    }

    /// Whether the record follows one with this place and hash, unchanged.
    #[must_use]
    pub fn follows(&self, seq: u64, prev: &Digest) -> bool {
        self.seq == seq + 1 && self.prev == *prev && self.hash == self.expected()
    }
}

#[cfg(test)]
mod tests;
