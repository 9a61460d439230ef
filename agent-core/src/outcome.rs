//! What came of a call, and what that says about whether it happened.
//!
//! Clauses: UP-4, GATE-5, GATE-6.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A tool's own result.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ToolResult {
    /// Content blocks, each as its source wrote it.
    pub content: Vec<Value>,
    /// Structured content, where there is any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub structured: Option<Value>,
}

impl ToolResult {
    /// A result of one text block.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self { content: vec![serde_json::json!({"type": "text", "text": text.into()})], structured: None }
    }
}

/// What came of a message that was, or was to be, handed to an upstream.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// It ran and succeeded.
    Ok(ToolResult),
    /// It ran and says it failed.
    ToolFailed(ToolResult),
    /// It ran and its answer can't be used.
    Malformed(String),
    /// No answer came in time; it may have run.
    TimedOut(String),
    /// The connection was lost, or the call given up, after the message was sent; it may have run.
    Lost(String),
    /// No server took it; it did not run.
    Unreachable(String),
    /// The upstream refused the message before running it.
    Refused(String),
}

/// Whether a call happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Happened {
    /// It never left, or was refused.
    No,
    /// Nobody knows.
    Unknown,
    /// It ran.
    Yes,
}

impl Outcome {
    /// Whether the call happened.
    #[must_use]
    pub const fn happened(&self) -> Happened {
        match self {
            Self::Ok(_) | Self::ToolFailed(_) | Self::Malformed(_) => Happened::Yes,
            Self::TimedOut(_) | Self::Lost(_) => Happened::Unknown,
            Self::Unreachable(_) | Self::Refused(_) => Happened::No,
        }
    }

    /// The word a record keeps.
    #[must_use]
    pub const fn end(&self) -> End {
        match self {
            Self::Ok(_) => End::Ok,
            Self::ToolFailed(_) => End::ToolFailed,
            Self::Malformed(_) => End::Malformed,
            Self::TimedOut(_) => End::TimedOut,
            Self::Lost(_) => End::OutcomeUnknown,
            Self::Unreachable(_) => End::Unreachable,
            Self::Refused(_) => End::Refused,
        }
    }
}

/// How a call that was recorded as starting ended, as records keep it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum End {
    /// Ran and succeeded.
    Ok,
    /// Ran and failed.
    ToolFailed,
    /// Ran, answer unusable.
    Malformed,
    /// In doubt.
    TimedOut,
    /// Never left.
    Unreachable,
    /// Refused by the upstream.
    Refused,
    /// Refused at the permit, or never handed over; its count is given back.
    NotStarted,
    /// In doubt: the process or the caller went away.
    OutcomeUnknown,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn up_4_every_outcome_says_whether_it_happened() {
        let why = || "why".to_owned();
        let table = [
            (Outcome::Ok(ToolResult::text("x")), Happened::Yes, "ok"),
            (Outcome::ToolFailed(ToolResult::text("x")), Happened::Yes, "tool-failed"),
            (Outcome::Malformed(why()), Happened::Yes, "malformed"),
            (Outcome::TimedOut(why()), Happened::Unknown, "timed-out"),
            (Outcome::Lost(why()), Happened::Unknown, "outcome-unknown"),
            (Outcome::Unreachable(why()), Happened::No, "unreachable"),
            (Outcome::Refused(why()), Happened::No, "refused"),
        ];
        for (outcome, happened, word) in table {
            assert_eq!(outcome.happened(), happened, "{outcome:?}");
            assert_eq!(serde_json::json!(outcome.end()), word);
            assert_ne!(outcome.end(), End::NotStarted, "only the engine ends a call so");
        }
    }
}
