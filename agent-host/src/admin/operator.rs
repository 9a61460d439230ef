//! Who sits at the desk: a name, a role, the principals that role is over, and what this visit proves.
//!
//! Is: pure; made by whatever took the visitor in (the socket from the kernel's word, the console from a login), never by what
//! the visitor says. Is not: a login. Clauses: AUTH-4, AUTH-6, REV-4. Neighbours: `handle` asks before it does anything.

use super::evidence::{Users, name};
use super::{Request, Scope};
pub use crate::config::Role;
use agent_core::request::{Channel, Decider, Strength};
use agent_core::session::PrincipalId;
use std::collections::BTreeSet;

/// Whose sessions and requests an operator has to do with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Over {
    /// Everybody's.
    All,
    /// Those of these principals; everybody else's are not there for this operator.
    Only(BTreeSet<PrincipalId>),
}

/// One operator on one visit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operator {
    /// As records name them.
    pub name: String,
    /// What they may do.
    pub role: Role,
    /// Over whom.
    pub over: Over,
    /// The way they came.
    pub channel: Channel,
    /// What that proves.
    pub strength: Strength,
}

impl Operator {
    /// A user of this machine at the operator's socket: an admin, over everybody.
    #[must_use]
    pub(crate) fn local(users: Users, peer: u32) -> Self {
        Self { name: name(peer), role: Role::Admin, over: Over::All, channel: Channel::Socket, strength: users.strength(peer) }
    }

    /// Whether a principal's sessions and requests are theirs to see.
    #[must_use]
    pub fn sees(&self, principal: &PrincipalId) -> bool {
        match &self.over {
            Over::All => true,
            Over::Only(principals) => principals.contains(principal),
        }
    }

    /// Why they may not ask this; none where they may.
    pub(crate) fn lacks(&self, request: &Request) -> Option<&'static str> {
        let needed = needed(request);
        if self.role < needed {
            return Some(match needed {
                Role::Viewer => "see this",
                Role::Approver => "answer, take back or stop: that takes an approver",
                Role::Admin => "do this: that takes an admin",
            });
        }
        (concerns_all(request) && self.over != Over::All).then_some("do what concerns everybody: their role is over some principals alone")
    }

    /// Who an answer is from; the passphrase proves more than the way they came.
    pub(super) fn decider(&self, passphrase: bool) -> Decider {
        let (channel, strength) = if passphrase { (Channel::Passphrase, Strength::Strong) } else { (self.channel, self.strength) };
        Decider::Person { name: self.name.clone(), channel, strength }
    }
}

/// The least role that may ask this, and whether it must be over everybody.
#[cfg(feature = "schema")]
pub(crate) const fn needs(request: &Request) -> (Role, bool) {
    (needed(request), concerns_all(request))
}

const fn needed(request: &Request) -> Role {
    match request {
        Request::Servers {}
        | Request::Sessions {}
        | Request::SessionList { .. }
        | Request::Session { .. }
        | Request::Approvals {}
        | Request::Denials {}
        | Request::Questions {}
        | Request::Standing {}
        | Request::Why { .. }
        | Request::Explain { .. }
        | Request::Overview { .. }
        | Request::Catalog { .. }
        | Request::Search { .. }
        | Request::Tool { .. }
        | Request::Policy {}
        | Request::Records { .. }
        | Request::Verify {} => Role::Viewer,
        Request::Answer { .. }
        | Request::Reply { .. }
        | Request::ClearDenials { .. }
        | Request::WithdrawStanding { .. }
        | Request::Revoke { .. }
        | Request::EndSession { .. }
        | Request::Stop {} => Role::Approver,
        Request::Resume {}
        | Request::Reload {}
        | Request::Accept { .. }
        | Request::CreateToken { .. }
        | Request::Console {}
        | Request::Tokens {}
        | Request::RevokeToken { .. } => Role::Admin,
    }
}

impl Request {
    /// The one principal that it names and takes something of, or something back for, if it does.
    pub(crate) const fn principal(&self) -> Option<&PrincipalId> {
        match self {
            Self::ClearDenials { principal, .. }
            | Self::WithdrawStanding { principal, .. }
            | Self::Explain { principal, .. }
            | Self::Revoke { scope: Scope::Principal { principal }, .. } => Some(principal),
            _ => None,
        }
    }
}

/// Whether it is about no one principal's sessions.
const fn concerns_all(request: &Request) -> bool {
    matches!(
        request,
        Request::Stop {}
            | Request::Resume {}
            | Request::Reload {}
            | Request::Accept { .. }
            | Request::CreateToken { .. }
            | Request::Tokens {}
            | Request::RevokeToken { .. }
            | Request::Verify {}
            | Request::Revoke { scope: Scope::Everywhere { .. } | Scope::Server { .. }, .. }
    )
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::Running;
    use super::*;

    fn operator(role: Role, over: Over) -> Operator {
        Operator { name: "ada".to_owned(), role, over, channel: Channel::Console, strength: Strength::Strong }
    }

    #[test]
    fn auth_4_a_role_is_a_ceiling() {
        let may = |role, request: &Request| operator(role, Over::All).lacks(request).is_none();
        for (request, least) in [
            (Request::Sessions {}, Role::Viewer),
            (Request::Stop {}, Role::Approver),
            (Request::Resume {}, Role::Admin),
            (Request::Tokens {}, Role::Admin),
        ] {
            for role in [Role::Viewer, Role::Approver, Role::Admin] {
                assert_eq!(may(role, &request), role >= least, "{role:?} {request:?}");
            }
        }
    }

    #[test]
    fn auth_4_who_is_over_some_does_nothing_to_all() {
        let some = operator(Role::Admin, Over::Only(BTreeSet::from([PrincipalId::parse("p").unwrap()])));
        assert!(some.lacks(&Request::Stop {}).is_some() && some.lacks(&Request::Reload {}).is_some());
        assert!(some.lacks(&Request::Approvals {}).is_none());
        let revoke = |scope: serde_json::Value| Request::Revoke { scope: serde_json::from_value(scope).unwrap(), running: Running::Leave };
        assert!(some.lacks(&revoke(serde_json::json!({"of": "server", "server": "time"}))).is_some());
        assert!(some.lacks(&revoke(serde_json::json!({"of": "everywhere", "tool": "mcp:a/b"}))).is_some());
        assert!(some.lacks(&revoke(serde_json::json!({"of": "principal", "principal": "p"}))).is_none());
        assert!(some.sees(&PrincipalId::parse("p").unwrap()) && !some.sees(&PrincipalId::parse("q").unwrap()));
    }
}
