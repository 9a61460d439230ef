//! The record of a grant: a plain value without power.
//!
//! Is not: the grant itself, which the engine makes from a confirmation alone. Clause: ACT-4.

use crate::request::Decider;
use crate::session::{Bound, RequestId};
use crate::time::Instant;
use serde::{Deserialize, Serialize};

/// One tool granted to the session and principal whose stream holds the record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GrantRecord {
    /// The exact definition.
    pub bound: Bound,
    /// The request it came from; with the id it names this grant for good.
    pub request: RequestId,
    /// Who allowed it, by what evidence.
    pub by: Decider,
    /// When it ends; a preset ends with its session.
    pub end: Option<Instant>,
    /// Calls it is good for, where bounded.
    pub max_calls: Option<u32>,
    /// Whether it was active from the start by the operator's list.
    pub preset: bool,
}

/// Why a grant is not to be used for now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Suspended {
    /// The tool is not in the catalog.
    Away,
    /// Its definition, or its pin, is not the granted one.
    Drifted,
    /// The policy in force denies it.
    Policy,
    /// The policy in force demands a strong answer, and it rests on less.
    Strength,
}

/// Why a grant is gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Gone {
    /// An operator took it back.
    Revoked,
    /// It came to its end.
    Expired,
    /// The session gave it up.
    Deactivated,
    /// Another definition was accepted in its place.
    Replaced,
    /// The session ended.
    Ended,
}
