//! `diff`: what moved since it was accepted, changing nothing.
//!
//! Clause: CAT-8 (diff).

use super::drift::{Chosen, Drift, drifted};
use super::print::Out;
use super::{Exit, Failure};
use crate::config::Config;
use crate::lock::seen;
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
    /// End with exit code 6 where a tool moved or is gone.
    #[arg(long)]
    exit_code: bool,
}

/// What `--json` prints.
#[derive(Serialize)]
struct Report<'a> {
    moved: Vec<Entry<'a>>,
    new: Vec<Named<'a>>,
    gone: Vec<Gone<'a>>,
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

pub(super) fn diff(config: &Config, state: &Path, diff: Diff) -> Result<(), Failure> {
    let drift = Drift::read(config, state, &Chosen::of(diff.ids, diff.server))?;
    let lines = if diff.json { vec![json(&drift)?] } else { lines(&drift) };
    let mut out = Out::new();
    // Where the reader is gone, the rest is nobody's.
    let _ = lines.iter().try_for_each(|line| out.line(line));
    let count = drift.drifted.len() + drift.gone.len();
    if diff.exit_code && count > 0 {
        let text = format!("{count} tools are not as they were accepted\nhint: `agent-host accept ID` accepts what one is now");
        return Err(Failure::new(Exit::Moved, text));
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
    lines
}

/// For a program; a person who looks at it sees every character.
pub(super) fn json(drift: &Drift) -> Result<String, Failure> {
    let entry = |found: &'_ super::drift::Drifted| found.tool.descriptor.digest;
    let report = Report {
        moved: drift
            .drifted
            .iter()
            .map(|found| Entry { id: &found.tool.descriptor.id, pinned: found.pinned, now: entry(found), moved: found.moved.as_deref() })
            .collect(),
        new: drift.new.iter().map(|tool| Named { id: &tool.descriptor.id, now: tool.descriptor.digest }).collect(),
        gone: drift.gone.iter().map(|(id, why)| Gone { id, why }).collect(),
    };
    serde_json::to_string_pretty(&report).map(seen).map_err(|error| Failure::new(Exit::Failed, error.to_string()))
}
