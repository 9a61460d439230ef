//! `diff`: what moved since it was accepted, changing nothing.
//!
//! Clause: CAT-8 (diff).

use super::drift::{Chosen, Drift, drifted, wrapped};
use super::lack::{Kind, Lack};
use super::print::{counted, json, print};
use super::wrap::columns;
use super::{Exit, Failure};
use crate::config::Config;
use agent_core::digest::Digest;
use agent_core::id::{Alias, ToolId};
use agent_core::safety::visible;
use agent_engine::catalog::diff::Moved;
use clap::Args;
use serde::Serialize;
use std::path::Path;

/// What is compared, and how it is told.
#[derive(Debug, Args)]
pub(crate) struct Diff {
    /// Tools by their exact ids; all where none is named.
    #[arg(value_name = "ID", value_parser = ToolId::parse)]
    pub(super) ids: Vec<ToolId>,
    /// The tools of one server.
    #[arg(long, value_name = "NAME", value_parser = Alias::parse, conflicts_with = "ids")]
    pub(super) server: Option<Alias>,
    /// One JSON document.
    #[arg(long)]
    json: bool,
    /// End with exit code 6 where a tool moved, or its server does not have it any more.
    #[arg(long)]
    exit_code: bool,
}

/// What `--json` prints.
#[derive(Serialize)]
pub(super) struct Report<'a> {
    moved: Vec<Entry<'a>>,
    new: Vec<Named<'a>>,
    gone: Vec<Gone<'a>>,
    /// Not counted as moved.
    away: Vec<Away<'a>>,
}

#[derive(Serialize)]
struct Entry<'a> {
    id: &'a ToolId,
    pinned: Digest,
    now: Digest,
    /// Null where the definition that was accepted isn't kept.
    moved: Option<&'a [Moved]>,
}

#[derive(Serialize)]
struct Named<'a> {
    id: &'a ToolId,
    now: Digest,
}

#[derive(Serialize)]
struct Gone<'a> {
    id: &'a ToolId,
    why: &'a str,
}

#[derive(Serialize)]
struct Away<'a> {
    server: &'a Alias,
    why: &'a str,
    ids: &'a [ToolId],
}

pub(super) fn diff(config: &Config, state: &Path, diff: Diff) -> Result<(), Failure> {
    let drift = Drift::read(config, state, &Chosen::of(diff.ids, diff.server))?;
    print(&if diff.json { json(&report(&drift))? } else { wrapped(lines(&drift), columns(std::io::stdout())) });
    let count = drift.drifted.len() + drift.gone.len();
    if diff.exit_code && count > 0 {
        let hint = match drift.drifted.is_empty() {
            false => "`agent-host accept ID` accepts what one is now",
            true => "one that is gone counts until its server lists it again, or is disabled",
        };
        let are = if count == 1 { "is not as it was" } else { "are not as they were" };
        return Err(Failure::new(Exit::Moved, format!("{} {are} accepted\nhint: {hint}", counted(count, "tool"))));
    }
    Ok(())
}

/// For a person.
pub(super) fn lines(drift: &Drift) -> Vec<String> {
    let mut lines: Vec<String> = drift.drifted.iter().flat_map(drifted).collect();
    lines.extend(drift.new.iter().map(|tool| format!("{}  new, never accepted", visible(tool.descriptor.id.as_str()))));
    lines.extend(drift.gone.iter().map(|(id, why)| format!("{}  gone: {}", visible(id.as_str()), visible(why))));
    if lines.is_empty() {
        lines.push("nothing moved".to_owned());
    }
    lines.extend(drift.away.values().map(note));
    if drift.away.is_empty() {
        lines.extend(drift.lack.iter().flat_map(Lack::lines));
    }
    lines
}

fn note(away: &super::drift::Away) -> String {
    let hint = match away.why.kind {
        Kind::Unconfigured => "nothing to do",
        _ => &away.why.hint,
    };
    let stay = if away.ids.len() == 1 { "stays" } else { "stay" };
    format!("note: {}; {} of it {stay} accepted: {hint}", away.why.what, counted(away.ids.len(), "tool"))
}

/// For a program.
pub(super) fn report(drift: &Drift) -> Report<'_> {
    let moved = drift.drifted.iter().map(|found| Entry {
        id: &found.tool.descriptor.id,
        pinned: found.pinned,
        now: found.tool.descriptor.digest,
        moved: found.moved.as_deref(),
    });
    Report {
        moved: moved.collect(),
        new: drift.new.iter().map(|tool| Named { id: &tool.descriptor.id, now: tool.descriptor.digest }).collect(),
        gone: drift.gone.iter().map(|(id, why)| Gone { id, why }).collect(),
        away: drift.away.iter().map(|(server, away)| Away { server, why: &away.why.what, ids: &away.ids }).collect(),
    }
}
