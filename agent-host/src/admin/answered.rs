//! The parts of what an operator is answered: plain values, with no power.
//!
//! Clauses: AUTH-4 (socket, passphrase), AUTH-9, HOST-3 (socket).

use agent_core::grant::Gone;
use agent_core::id::ToolId;
use agent_core::request::{Decider, Decision, Question};
use agent_core::session::{Asker, Bound, CallId, RequestId};
use agent_core::state::{Held, Settlement};
use agent_core::time::Instant;
use agent_engine::gate::{Condition, Facts};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Where a host stands to its clients (AUTH-9).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Boundary {
    /// Clients run as another user, who can't write to what the host rests on.
    SeparateUser,
    /// Clients run as the host's own user, and can rewrite its configuration, its store and its program.
    SameUser,
}

impl Boundary {
    /// As it is shown, everywhere the same.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::SeparateUser => "separate user",
            Self::SameUser => "same user: advisory only",
        }
    }
}

/// Who stopped everything.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Stop {
    /// By whatever name the host knows them.
    pub by: String,
    /// When it took effect, where its record says so.
    pub since: Option<Instant>,
}

/// What a person's answer came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Answered {
    /// Granted.
    Granted {
        /// The set's version.
        set: u64,
        /// How many tools were added.
        added: usize,
    },
    /// Granted, where the person said always.
    Always {
        /// The set's version.
        set: u64,
        /// How many tools were added.
        added: usize,
        /// Whether it stands for later requests; not where a rule demands a strong answer.
        stands: bool,
    },
    /// Denied and remembered.
    Denied {
        /// Whether it is recorded; it is in effect either way.
        recorded: bool,
    },
    /// The request ended without a grant, and nobody's no is remembered.
    Withdrawn {
        /// How.
        ended: Option<Settlement>,
    },
    /// Nothing changed: a rule demands a stronger answer.
    TooWeak,
    /// Nothing changed: it was no answer to what waits.
    Void {
        /// Whether the request waits, with another question than the one that was shown.
        waits: bool,
        /// How it ended, where it did.
        ended: Option<Settlement>,
    },
    /// Nothing changed: somebody decided the request before.
    Before {
        /// What they decided.
        decision: Decision,
        /// Who, by what evidence.
        by: Decider,
        /// How the request ended by it.
        ended: Option<Settlement>,
    },
    /// A yes that could not be put in effect. The request waits on.
    Failed {
        /// Why.
        why: String,
    },
}

/// One session, with all that is kept of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Whole {
    /// As in the list of all.
    pub session: Session,
    /// Whether it ended.
    pub ended: bool,
    /// The set's version.
    pub set: u64,
    /// What it held once, and how that went.
    pub former: BTreeMap<ToolId, Gone>,
    /// What a person denied in it.
    pub denied: Vec<Bound>,
    /// How its last requests ended, oldest first.
    pub settled: Vec<(RequestId, Settlement)>,
    /// Calls of it that started and did not end, by what they run.
    pub calls: BTreeMap<CallId, Bound>,
}

/// Why a session may or may not call a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Why {
    /// What a call by its id would be told, before its arguments and guards are looked at; none where it may run.
    pub refused: Option<String>,
    /// The same of a call by its name.
    pub by_name: Option<String>,
    /// Each condition of the gate and whether it holds; none where it has nothing to judge.
    pub conditions: Vec<(Condition, Option<bool>)>,
    /// What they were judged by.
    pub facts: Facts,
}

/// One session as an operator sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Session {
    /// Whose it is.
    pub asker: Asker,
    /// What it holds, in activation order.
    pub active: Vec<Held>,
    /// The request that waits for a person.
    pub waiting: Option<Question>,
    /// Calls that run.
    pub running: Vec<CallId>,
    /// When the last record of it was made.
    #[serde(default)]
    pub last: Option<Instant>,
    /// Whether it ended.
    #[serde(default)]
    pub ended: bool,
    /// What its client calls itself, cut and made visible: the client's own word, which proves nothing.
    #[serde(default)]
    pub client: Option<String>,
}
