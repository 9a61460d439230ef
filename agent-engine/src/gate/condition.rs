//! The conditions of GATE-1 that catalog, policy and records tell, one by one and in the order in which they are asked.
//!
//! Is: the only place that says what each of them is. `decide` takes the first that does not hold, `suspension` the first
//! that suspends, `explain` shows them all. Is not: arguments, guards and what the running server lists, which are asked of
//! a call. Clauses: ACT-6, GATE-1, GATE-2, POL-2, POL-3. Invariant: I-3.

use super::not_active;
use crate::catalog::Tool;
use crate::grant::expired;
use crate::view::Frame;
use agent_core::grant::{Gone, Suspended};
use agent_core::id::ToolId;
use agent_core::refusal::Refusal;
use agent_core::session::Listing;
use agent_core::state::Held;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// One condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Condition {
    /// A tool that is called by its name is listed.
    Listed,
    /// Nobody stopped everything.
    NotStopped,
    /// The session has not ended.
    NotEnded,
    /// All that a call rests on is on record.
    Recorded,
    /// The session holds a grant for the id.
    Granted,
    /// The grant has not come to its end.
    NotExpired,
    /// The catalog has the tool.
    Offered,
    /// Its definition is the granted one.
    AsGranted,
    /// Its definition is the pinned one, where there is a pin.
    AsPinned,
    /// The profile's ceiling lets it in.
    UnderCeiling,
    /// The policy neither denies nor hides it.
    Allowed,
    /// Where the policy demands a strong answer, the grant rests on one, or on the operator's list of presets.
    StrongEnough,
    /// No suspension is on record.
    NotSuspended,
    /// The grant has calls left.
    CallsLeft,
}

/// One tool of one session under one frame.
pub(crate) struct Case<'a> {
    pub(crate) frame: &'a Frame,
    pub(crate) id: &'a ToolId,
    /// The list that it has to be on; none where it is called by its id.
    pub(crate) listing: Option<Listing>,
    pub(crate) tool: Option<&'a Arc<Tool>>,
    pub(crate) held: Option<&'a Held>,
    /// Starts of the very call that is judged, recorded already.
    pub(crate) own: u32,
}

impl<'a> Case<'a> {
    /// A tool that is held, judged by itself.
    pub(super) fn held(frame: &'a Frame, held: &'a Held, tool: Option<&'a Arc<Tool>>) -> Self {
        Self { frame, id: &held.grant.bound.id, listing: None, tool, held: Some(held), own: 0 }
    }

    /// The first condition that does not hold, as it is told.
    pub(super) fn refused(&self) -> Option<Refusal> {
        let fails = Condition::ALL.into_iter().find(|condition| condition.holds(self) == Some(false));
        fails.map(|condition| condition.refusal(self))
    }

    /// Why it is not to be used, by what is live alone.
    pub(super) fn suspended(&self) -> Option<Suspended> {
        Condition::ALL.into_iter().find_map(|condition| condition.suspends().filter(|_| condition.holds(self) == Some(false)))
    }
}

impl Condition {
    /// All, in order: the first that does not hold is the one that is told.
    pub const ALL: [Self; 14] = [
        Self::Listed,
        Self::NotStopped,
        Self::NotEnded,
        Self::Recorded,
        Self::Granted,
        Self::NotExpired,
        Self::Offered,
        Self::AsGranted,
        Self::AsPinned,
        Self::UnderCeiling,
        Self::Allowed,
        Self::StrongEnough,
        Self::NotSuspended,
        Self::CallsLeft,
    ];

    /// Whether it holds; none where what it judges is not there.
    // INVARIANT: I-3
    pub(super) fn holds(self, case: &Case<'_>) -> Option<bool> {
        let Case { frame, id, listing, tool, held, own } = case;
        match self {
            Self::Listed => listing.map(Listing::names),
            Self::NotStopped => Some(frame.runs()),
            Self::NotEnded => Some(frame.lasts()),
            Self::Recorded => Some(frame.recorded()),
            Self::Granted => Some(held.is_some()),
            Self::NotExpired => held.map(|held| !expired(&held.grant, frame.state.last, frame.now)),
            Self::Offered => Some(tool.is_some()),
            Self::AsGranted => tool.zip(*held).map(|(tool, held)| tool.descriptor.digest == held.grant.bound.digest),
            Self::AsPinned => tool.map(|tool| !frame.drifted(tool)),
            Self::UnderCeiling => Some(frame.policy.policy.within(&frame.asker, id)),
            Self::Allowed => tool.map(|tool| !frame.verdict(tool).denies()),
            Self::StrongEnough => tool.zip(*held).map(|(tool, held)| !frame.demands_strength(tool) || strong(frame, held)),
            Self::NotSuspended => held.map(|held| held.suspended.is_none()),
            Self::CallsLeft => held.map(|held| held.grant.max_calls.is_none_or(|most| held.used.saturating_sub(*own) < most)),
        }
    }

    /// How a grant is suspended where it does not hold, if it is.
    const fn suspends(self) -> Option<Suspended> {
        match self {
            Self::Offered => Some(Suspended::Away),
            Self::AsGranted | Self::AsPinned => Some(Suspended::Drifted),
            Self::UnderCeiling | Self::Allowed => Some(Suspended::Policy),
            Self::StrongEnough => Some(Suspended::Strength),
            _ => None,
        }
    }

    /// What is told where it does not hold.
    fn refusal(self, case: &Case<'_>) -> Refusal {
        let Case { frame, id, tool, held, .. } = case;
        let suspended = |why: Option<Suspended>| Refusal::Suspended((*id).clone(), why.unwrap_or(Suspended::Away));
        match self {
            Self::Listed => Refusal::NotListed,
            Self::NotStopped => Refusal::Stopped,
            Self::NotEnded => Refusal::SessionEnded,
            Self::Recorded => Refusal::SessionClosed,
            Self::Granted => match frame.state.former.get(*id) {
                Some(gone) => Refusal::Held((*id).clone(), *gone),
                None => not_active(frame, *tool),
            },
            Self::NotExpired => Refusal::Held((*id).clone(), Gone::Expired),
            Self::Offered | Self::AsGranted | Self::AsPinned | Self::UnderCeiling | Self::Allowed | Self::StrongEnough => {
                suspended(self.suspends())
            }
            Self::NotSuspended => suspended(held.and_then(|held| held.suspended)),
            Self::CallsLeft => Refusal::CallsSpent((*id).clone()),
        }
    }
}

/// Whether a grant rests on what would be taken where strength is demanded: a person's strong answer to its own question, or
/// the operator's list of presets in force, which is above every question.
fn strong(frame: &Frame, held: &Held) -> bool {
    let grant = &held.grant;
    let listed = || frame.policy.policy.presets(frame.asker.profile.as_ref()).contains(&grant.bound.id);
    grant.by.is_strong_answer() || (grant.preset && listed())
}
