//! A principal's stream: what a person denied it, and what they said always to.
//!
//! Clauses: AUTH-6, POL-4.

use super::Fold;
use crate::digest::Digest;
use crate::id::ToolId;
use crate::request::Decider;
use crate::session::Bound;
use crate::time::Instant;
use crate::transition::Transition;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A principal's stream.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PrincipalState {
    /// Until when a person's no to a definition is remembered.
    pub denied: BTreeMap<ToolId, BTreeMap<Digest, Instant>>,
    /// The one definition of each tool that a person said always to, last.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub standing: BTreeMap<ToolId, StandingApproval>,
}

/// A person's yes to one exact definition for every later request of a principal, until it is taken back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StandingApproval {
    /// The definition.
    pub digest: Digest,
    /// Who gave it, by which channel, and what that proved.
    pub by: Decider,
    /// When it was given.
    pub at: Instant,
}

impl Fold for PrincipalState {
    fn apply(&mut self, at: Instant, what: &Transition) {
        match what {
            Transition::Denied { bounds, until } => {
                self.denied.retain(|_, digests| {
                    digests.retain(|_, until| !at.reached(*until));
                    !digests.is_empty()
                });
                for bound in bounds {
                    self.denied.entry(bound.id.clone()).or_default().insert(bound.digest, *until);
                }
                self.standing.retain(|id, given| !bounds.iter().any(|bound| bound.id == *id && bound.digest == given.digest));
            }
            Transition::DenialsCleared { tool: None, .. } => self.denied.clear(),
            Transition::DenialsCleared { tool: Some(tool), .. } => drop(self.denied.remove(tool)),
            Transition::StandingMade { bounds, by } => {
                let given = |bound: &Bound| (bound.id.clone(), StandingApproval { digest: bound.digest, by: by.clone(), at });
                self.standing.extend(bounds.iter().map(given));
            }
            Transition::StandingRevoked { tool: None, .. } => self.standing.clear(),
            Transition::StandingRevoked { tool: Some(tool), .. } => drop(self.standing.remove(tool)),
            _ => {}
        }
    }
}

impl PrincipalState {
    /// Whether a person's no to this definition still holds.
    #[must_use]
    pub fn denies(&self, bound: &Bound, now: Instant) -> bool {
        self.denied.get(&bound.id).and_then(|digests| digests.get(&bound.digest)).is_some_and(|until| !now.reached(*until))
    }

    /// The standing approval of this very definition.
    #[must_use]
    pub fn stands(&self, bound: &Bound) -> Option<&StandingApproval> {
        self.standing.get(&bound.id).filter(|given| given.digest == bound.digest)
    }
}
