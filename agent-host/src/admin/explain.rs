//! Why the policy decides as it does on one tool for one principal, over the socket.
//!
//! Is: the policy in force in the host that runs. Is not: what one session holds (`why`). Clauses: POL-1, HOST-3 (socket).

use super::handle::failed;
use super::{Operator, Response};
use agent_core::digest::Digest;
use agent_core::id::ToolId;
use agent_core::session::{PrincipalId, ProfileId};
use agent_engine::desk::Desk;
use agent_engine::policy::{Judged, Rule};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

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

/// A rule that names a principal whom this operator is not over: that there is one, and what it decides.
fn veiled(rule: &Rule, operator: &Operator) -> Rule {
    if rule.principal.as_ref().is_none_or(|principal| operator.sees(principal)) {
        return rule.clone();
    }
    Rule {
        tools: Vec::new(),
        server: None,
        source: None,
        effect: None,
        capabilities: BTreeSet::new(),
        principal: None,
        profile: None,
        decision: rule.decision,
        strength: None,
        new: None,
        ttl: None,
        max_calls: None,
    }
}

pub(super) async fn explain(
    desk: &Desk,
    operator: &Operator,
    principal: PrincipalId,
    profile: Option<ProfileId>,
    tool: ToolId,
) -> Response {
    let policy = desk.policy();
    let rules: Vec<_> = policy.policy.rules.iter().map(|rule| veiled(rule, operator)).collect();
    match desk.judge(&principal, profile.as_ref(), &tool).await {
        Ok(judged) => Response::Explained {
            explained: judged.map(|judged| Box::new(Explained::new(policy.digest, &rules, (principal, profile), tool, judged))),
        },
        Err(error) => failed(format!("what {principal} was denied can't be read: {error}"), "try again"),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::{Over, Role};
    use super::*;
    use agent_core::request::{Channel, Strength};
    use serde_json::json;

    #[test]
    fn host_3_of_a_rule_about_somebody_else_no_more_is_told_than_what_it_decides() {
        let rule = |principal: &str| -> Rule {
            let text =
                json!({"tools": ["mcp:secret/*"], "principal": principal, "decision": "prompt", "strength": "strong", "max_calls": 2});
            serde_json::from_value(text).unwrap()
        };
        let over = Over::Only([PrincipalId::parse("ada").unwrap()].into());
        let (role, channel, strength) = (Role::Admin, Channel::Console, Strength::Strong);
        let some = Operator { name: "max".to_owned(), role, over, channel, strength };
        assert_eq!(veiled(&rule("ada"), &some), rule("ada"));
        let bare: Rule = serde_json::from_value(json!({"decision": "prompt"})).unwrap();
        assert_eq!(veiled(&rule("bob"), &some), bare);
        assert_eq!(veiled(&rule("bob"), &Operator { over: Over::All, ..some }), rule("bob"));
    }
}
