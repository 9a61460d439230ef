//! `standing`: what a person said always to, listed and taken back.
//!
//! Is not: how one is made (`approve --always`), nor a hand on what sessions hold already (`revoke`). Clause: POL-4.

use super::far::At;
use super::inspect::who;
use super::operator::{done, in_effect, odd};
use super::print::{listed, moment};
use super::{Exit, Failure};
use crate::admin::{Request, Response, Stands};
use agent_core::id::ToolId;
use agent_core::safety::visible;
use agent_core::session::PrincipalId;
use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub(crate) enum Standing {
    /// List them: for whom, for which definition, since when and by whose word.
    List {
        /// One JSON document.
        #[arg(long)]
        json: bool,
    },
    /// Take one back, or all of a principal: a person is asked again. What sessions hold by then they keep.
    Revoke {
        /// Whose, as `standing list` shows it.
        #[arg(value_parser = PrincipalId::parse)]
        principal: PrincipalId,
        /// Only that of this tool.
        #[arg(value_parser = ToolId::parse)]
        tool: Option<ToolId>,
    },
}

/// `fresh`: no host ever ran on the folder.
pub(super) async fn run(at: At<'_>, fresh: bool, command: Standing) -> Result<(), Failure> {
    match command {
        Standing::List { json } => list(at, fresh, json).await,
        Standing::Revoke { principal, tool } => revoke(at, principal, tool).await,
    }
}

async fn list(at: At<'_>, fresh: bool, as_json: bool) -> Result<(), Failure> {
    let response = if fresh { Response::Standing { approvals: Vec::new() } } else { done(at, Request::Standing {}).await? };
    let Response::Standing { approvals } = response else { return Err(odd()) };
    listed(&approvals, as_json, line, "nobody said always to anything")
}

fn line(stands: &Stands) -> String {
    let Stands { principal, tool, given } = stands;
    visible(&format!("{principal}  {tool}  definition {}, since {}, by {}", given.digest.short(), moment(given.at), who(&given.by)))
}

async fn revoke(at: At<'_>, principal: PrincipalId, tool: Option<ToolId>) -> Result<(), Failure> {
    let asked = Request::WithdrawStanding { principal: principal.clone(), tool };
    let Response::StandingWithdrawn { tools, recorded } = done(at, asked).await? else { return Err(odd()) };
    if tools.is_empty() {
        let text =
            format!("nothing was taken back: no such approval of {principal} stands\nhint: `agent-host standing list` shows what does");
        return Err(Failure::new(Exit::Nothing, text));
    }
    let mut lines: Vec<_> = tools.iter().map(|tool| format!("{tool}: a person is asked again when {principal} asks for it")).collect();
    lines.push("sessions keep what they hold; `agent-host revoke SESSION TOOL` takes that back".to_owned());
    in_effect(&lines, recorded)
}
