//! Why the policy decides as it does on one tool for one principal, over the socket.
//!
//! Is: the policy in force in the host that runs. Is not: what one session holds (`why`). Clauses: POL-1, HOST-3 (socket).

use super::Response;
use super::handle::failed;
use agent_core::digest::Digest;
use agent_core::id::ToolId;
use agent_core::session::{PrincipalId, ProfileId};
use agent_engine::desk::Desk;
use agent_engine::policy::{Judged, Rule};
use serde::{Deserialize, Serialize};

/// What the policy says of a tool, and by which of its rules.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Explained {
    /// The policy.
    pub policy: Digest,
    /// Who would ask.
    pub principal: PrincipalId,
    /// Under which profile.
    pub profile: Option<ProfileId>,
    /// For what.
    pub tool: ToolId,
    /// The rules that were looked at, in order.
    pub rules: Vec<Rule>,
    /// How they were judged, and what it comes to.
    #[serde(flatten)]
    pub judged: Judged,
}

impl Explained {
    /// Beside the rules that were looked at.
    #[must_use]
    pub fn new(policy: Digest, rules: &[Rule], asker: (PrincipalId, Option<ProfileId>), tool: ToolId, judged: Judged) -> Self {
        let rules = rules.iter().take(judged.explanation.looked.len()).cloned().collect();
        Self { policy, principal: asker.0, profile: asker.1, tool, rules, judged }
    }
}

pub(super) async fn explain(desk: &Desk, principal: PrincipalId, profile: Option<ProfileId>, tool: ToolId) -> Response {
    let policy = desk.policy();
    match desk.judge(&principal, profile.as_ref(), &tool).await {
        Ok(judged) => Response::Explained {
            explained: judged
                .map(|judged| Box::new(Explained::new(policy.digest, &policy.policy.rules, (principal, profile), tool, judged))),
        },
        Err(error) => failed(format!("what {principal} was denied can't be read: {error}"), "try again"),
    }
}
