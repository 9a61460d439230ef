//! Every way the host says no, as one closed enum with stable codes.
//!
//! Is: values. Is not: their words, which are `projection::text` in the engine. Clauses: ACT-1, ACT-6, GATE-2, AUTH-3, AUTH-7, BLT-2.

use crate::grant::{Gone, Suspended};
use crate::id::{ToolId, WireName};
use crate::session::RequestId;

/// Why something was refused: nothing mutated, nothing sent upstream, one record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// The arguments of a builtin are not of its form.
    Arguments(String),
    /// Not one of these ids can be activated by this session; nothing was.
    UnknownIds(Vec<String>),
    /// The session would hold more than its cap.
    TooManyActive {
        /// Active besides presets.
        active: usize,
        /// Asked for in addition.
        asked: usize,
    },
    /// A rule denies these. A machine's no.
    DeniedByPolicy(Vec<ToolId>),
    /// A person said no to these. Not asked again until an operator clears it or the cool-down ends.
    DeniedByPerson(Vec<ToolId>),
    /// Too many questions were put for this principal lately; ask again in a minute.
    TooOften,
    /// Another set waits for a person.
    AnotherWaiting(RequestId),
    /// The request expired.
    RequestExpired(RequestId),
    /// What was asked for changed, or the host restarted; ask again.
    Withdrawn(RequestId),
    /// An operator stopped all activations and calls.
    Stopped,
    /// The session ended.
    SessionEnded,
    /// Something of this session could not be recorded or read; it is closed until it is.
    SessionClosed,
    /// It could not be recorded, so it did not happen.
    NotRecorded,
    /// It may or may not have been recorded; ask again, which reads it anew.
    RecordUnknown,
    /// Others changed the session at the same time, too often; ask again.
    Contended,
    /// Not active here: unknown, hidden and never activated alike.
    NotActive {
        /// What is callable now, at most 16: by id, and by name.
        callable: Vec<(ToolId, WireName)>,
        /// Which of them it is, for the record alone.
        really: Absent,
    },
    /// A tool called by name where only builtins are listed. Said of every such name alike.
    NotListed,
    /// What came back with a call belongs to no question of this call.
    Misplaced(Misplaced),
    /// This session held the tool.
    Held(ToolId, Gone),
    /// This session holds the tool and may not use it for now.
    Suspended(ToolId, Suspended),
    /// No calls are left.
    CallsSpent(ToolId),
    /// A call's arguments don't satisfy the tool's schema.
    Schema(String),
    /// A guard of the host said no.
    Guard(String),
    /// Too many calls run in this session.
    Busy,
    /// Builtins are called by their names, not through `call_tool`.
    Builtin(String),
    /// Discovery and activation are not available in this context.
    Unavailable,
}

/// Why a tool is not active, as no model is told it (GATE-2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Absent {
    /// There is no such tool.
    Unknown,
    /// It is not there to be found by this asker.
    Hidden,
    /// It was never activated.
    Inactive,
}

/// Why what a client handed back is not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Misplaced {
    /// It was not given out here, was changed, or is too old.
    Unknown,
    /// It was used.
    Used,
    /// It was given out for another call, or to another session.
    Elsewhere,
}

impl Refusal {
    /// The code of its record, which tells apart what the answer doesn't.
    #[must_use]
    pub const fn record(&self) -> &'static str {
        match self {
            Self::NotActive { really: Absent::Unknown, .. } => "not-active-unknown",
            Self::NotActive { really: Absent::Hidden, .. } => "not-active-hidden",
            _ => self.code(),
        }
    }

    /// The stable code, for programs and records.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Arguments(_) => "arguments",
            Self::UnknownIds(_) => "unknown-ids",
            Self::TooManyActive { .. } => "too-many-active",
            Self::DeniedByPolicy(_) => "denied-by-policy",
            Self::DeniedByPerson(_) => "denied-by-person",
            Self::TooOften => "too-often",
            Self::AnotherWaiting(_) => "another-waiting",
            Self::RequestExpired(_) => "request-expired",
            Self::Withdrawn(_) => "withdrawn",
            Self::Stopped => "stopped",
            Self::SessionEnded => "session-ended",
            Self::SessionClosed => "session-closed",
            Self::NotRecorded => "not-recorded",
            Self::RecordUnknown => "record-unknown",
            Self::Contended => "contended",
            Self::NotActive { .. } => "not-active",
            Self::NotListed => "not-listed",
            Self::Misplaced(Misplaced::Unknown) => "state-unknown",
            Self::Misplaced(Misplaced::Used) => "state-used",
            Self::Misplaced(Misplaced::Elsewhere) => "state-elsewhere",
            Self::Held(_, Gone::Revoked) => "revoked",
            Self::Held(_, Gone::Expired) => "expired",
            Self::Held(_, Gone::Deactivated) => "deactivated",
            Self::Held(_, Gone::Replaced) => "replaced",
            Self::Held(_, Gone::Ended) => "ended",
            Self::Suspended(_, Suspended::Away) => "away",
            Self::Suspended(_, Suspended::Drifted) => "drifted",
            Self::Suspended(_, Suspended::Policy) => "suspended-by-policy",
            Self::Suspended(_, Suspended::Strength) => "suspended-by-strength",
            Self::CallsSpent(_) => "calls-spent",
            Self::Schema(_) => "schema",
            Self::Guard(_) => "guard",
            Self::Busy => "busy",
            Self::Builtin(_) => "builtin",
            Self::Unavailable => "unavailable",
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn auth_7_every_no_has_a_code_of_its_own() {
        let id = || ToolId::parse("mcp:s/t").unwrap();
        let request = RequestId::new(1);
        let text = || "x".to_owned();
        let all = [
            Refusal::Arguments(text()),
            Refusal::UnknownIds(vec![text()]),
            Refusal::TooManyActive { active: 1, asked: 1 },
            Refusal::DeniedByPolicy(vec![id()]),
            Refusal::DeniedByPerson(vec![id()]),
            Refusal::AnotherWaiting(request),
            Refusal::RequestExpired(request),
            Refusal::Withdrawn(request),
            Refusal::Stopped,
            Refusal::SessionEnded,
            Refusal::SessionClosed,
            Refusal::NotRecorded,
            Refusal::RecordUnknown,
            Refusal::Contended,
            Refusal::NotActive { callable: Vec::new(), really: Absent::Unknown },
            Refusal::NotListed,
            Refusal::Misplaced(Misplaced::Unknown),
            Refusal::Misplaced(Misplaced::Used),
            Refusal::Misplaced(Misplaced::Elsewhere),
            Refusal::TooOften,
            Refusal::Held(id(), Gone::Revoked),
            Refusal::Held(id(), Gone::Expired),
            Refusal::Held(id(), Gone::Deactivated),
            Refusal::Held(id(), Gone::Replaced),
            Refusal::Held(id(), Gone::Ended),
            Refusal::Suspended(id(), Suspended::Away),
            Refusal::Suspended(id(), Suspended::Drifted),
            Refusal::Suspended(id(), Suspended::Policy),
            Refusal::Suspended(id(), Suspended::Strength),
            Refusal::CallsSpent(id()),
            Refusal::Schema(text()),
            Refusal::Guard(text()),
            Refusal::Busy,
            Refusal::Builtin(text()),
            Refusal::Unavailable,
        ];
        let codes: BTreeSet<_> = all.iter().map(Refusal::code).collect();
        assert_eq!(codes.len(), all.len());
        assert!(codes.iter().all(|code| code.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-')));
    }
}
