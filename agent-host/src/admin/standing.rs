//! What persons said and is remembered: standing approvals, listed and taken back, and noes, listed.
//!
//! Is not: how one is made, which is an answer. Clauses: POL-4, AUTH-6. Neighbours: the engine's desk keeps them.

use super::handle::failed;
use super::{Operator, Response};
use agent_core::id::ToolId;
use agent_core::session::{Bound, PrincipalId};
use agent_core::state::StandingApproval;
use agent_core::time::Instant;
use agent_engine::desk::Desk;
use agent_engine::ledger::CommitError;
use serde::{Deserialize, Serialize};

/// One standing approval.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Stands {
    /// Whose requests it answers.
    pub principal: PrincipalId,
    /// For which tool.
    pub tool: ToolId,
    /// For which definition of it, who gave it, and when.
    pub given: StandingApproval,
}

/// One no that is remembered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Remembered {
    /// Whose requests it refuses.
    pub principal: PrincipalId,
    /// For which definition.
    pub bound: Bound,
    /// Until when.
    pub until: Instant,
}

pub(super) async fn denials(desk: &Desk, operator: &Operator) -> Response {
    match desk.denials().await {
        Ok(all) => {
            let theirs = all.into_iter().filter(|(principal, ..)| operator.sees(principal));
            Response::Denials { denials: theirs.map(|(principal, bound, until)| Remembered { principal, bound, until }).collect() }
        }
        Err(error) => unread(&error),
    }
}

fn unread(error: &CommitError) -> Response {
    failed(format!("the records can't be read: {error}"), "try again")
}

pub(super) async fn list(desk: &Desk, operator: &Operator) -> Response {
    match desk.standing_approvals().await {
        Ok(all) => {
            let theirs = all.into_iter().filter(|(principal, ..)| operator.sees(principal));
            let approvals = theirs.map(|(principal, tool, given)| Stands { principal, tool, given }).collect();
            Response::Standing { approvals }
        }
        Err(error) => unread(&error),
    }
}

pub(super) async fn withdraw(desk: &Desk, principal: &PrincipalId, tool: Option<&ToolId>, by: &str) -> Response {
    match desk.withdraw_standing(principal, tool, by).await {
        Ok(gone) => Response::StandingWithdrawn { tools: gone.tools, recorded: gone.recorded },
        Err(error) => failed(format!("nothing was taken back: {error}"), "try again"),
    }
}
