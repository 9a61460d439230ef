//! `denials`: what a person said no to and is remembered, listed and forgotten.
//!
//! Is not: how a no is given (`deny`). Clause: AUTH-6.

use super::Failure;
use super::far::At;
use super::operator::{done, odd};
use super::print::{listed, moment, print};
use crate::admin::{Remembered, Request, Response};
use agent_core::id::ToolId;
use agent_core::safety::visible;
use agent_core::session::PrincipalId;
use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub(crate) enum Denials {
    /// List them: whose requests they refuse, for which definition, and until when.
    List {
        /// One JSON document.
        #[arg(long)]
        json: bool,
    },
    /// Forget what a principal was denied, so that a person can be asked again.
    Clear {
        /// Whose, as `denials list` shows it.
        #[arg(value_parser = PrincipalId::parse)]
        principal: PrincipalId,
        /// Only what it was denied of this tool.
        #[arg(value_parser = ToolId::parse)]
        tool: Option<ToolId>,
    },
}

/// `fresh`: no host ever ran on the folder.
pub(super) async fn run(at: At<'_>, fresh: bool, command: Denials) -> Result<(), Failure> {
    match command {
        Denials::List { json } => list(at, fresh, json).await,
        Denials::Clear { principal, tool } => clear(at, principal, tool).await,
    }
}

async fn list(at: At<'_>, fresh: bool, as_json: bool) -> Result<(), Failure> {
    let response = if fresh { Response::Denials { denials: Vec::new() } } else { done(at, Request::Denials {}).await? };
    let Response::Denials { denials } = response else { return Err(odd()) };
    listed(&denials, as_json, line, "no denial is remembered")
}

fn line(Remembered { principal, bound, until }: &Remembered) -> String {
    visible(&format!("{principal}  {}  definition {}, until {}", bound.id, bound.digest.short(), moment(*until)))
}

async fn clear(at: At<'_>, principal: PrincipalId, tool: Option<ToolId>) -> Result<(), Failure> {
    match done(at, Request::ClearDenials { principal: principal.clone(), tool: tool.clone() }).await? {
        Response::Cleared => {
            let of = tool.map(|tool| format!(" of {tool}")).unwrap_or_default();
            print(&[format!("what {principal} was denied{of} is forgotten; it can be asked for again")]);
            Ok(())
        }
        _ => Err(odd()),
    }
}
