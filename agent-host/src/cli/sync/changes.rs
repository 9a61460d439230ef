//! What a sync found, in lines for a person.
//!
//! Is: two catalogs compared, as a host would serve them. Is not: what moved inside a definition (`diff`).

use crate::cli::print::counted;
use crate::lock::Lock;
use agent_core::digest::Digest;
use agent_core::id::{Alias, ToolId};
use agent_core::safety::visible;
use agent_engine::catalog::{Quarantined, Snapshot, Tool};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A block for each server of which something changed, and what a person should do next.
pub(super) fn lines(was: &Snapshot, is: &Snapshot, old: &Lock, new: &Lock, pins: &BTreeMap<ToolId, Digest>) -> Vec<String> {
    let mut lines = Vec::new();
    for (alias, listed) in &new.servers {
        let found = server(was, is, alias, pins);
        match old.servers.get(alias) {
            None => lines.push(format!("{}: new", alias.as_str())),
            Some(before) if before != listed && found.is_empty() => {
                lines.push(format!("{}: what it says of itself changed", alias.as_str()))
            }
            Some(_) if found.is_empty() => {}
            Some(_) => lines.push(format!("{}:", alias.as_str())),
        }
        lines.extend(found);
    }
    let dropped = old.servers.keys().filter(|alias| !new.servers.contains_key(*alias));
    lines.extend(dropped.map(|alias| format!("{}: not configured any more", alias.as_str())));
    let drifted = is.tools().iter().filter(|tool| drifted(tool, pins)).count();
    if drifted > 0 {
        lines.push(format!(
            "{} moved from what was accepted: `agent-host diff` shows what, `agent-host accept ID` frees one",
            counted(drifted, "tool")
        ));
    }
    lines
}

fn drifted(tool: &Tool, pins: &BTreeMap<ToolId, Digest>) -> bool {
    pins.get(&tool.descriptor.id).is_some_and(|pinned| *pinned != tool.descriptor.digest)
}

fn server(was: &Snapshot, is: &Snapshot, alias: &Alias, pins: &BTreeMap<ToolId, Digest>) -> Vec<String> {
    let of = |tool: &&Arc<Tool>| tool.descriptor.id.is_of(alias);
    let line = |mark: &str, tool: &Arc<Tool>, more: &str| format!("  {mark} {}{more}", visible(tool.descriptor.id.as_str()));
    let mut lines = Vec::new();
    for tool in is.tools().iter().filter(of) {
        match was.get(tool.descriptor.id.as_str()) {
            None => lines.push(line("added", tool, "")),
            Some(before) if before.descriptor.digest == tool.descriptor.digest => {}
            Some(_) if drifted(tool, pins) => lines.push(line("changed", tool, ", not as it was accepted")),
            Some(_) => lines.push(line("changed", tool, "")),
        }
    }
    let gone = was.tools().iter().filter(of).filter(|tool| is.get(tool.descriptor.id.as_str()).is_none());
    lines.extend(gone.map(|tool| line("gone", tool, "")));
    let refused = |tool: &&Quarantined| tool.server == *alias && !was.quarantined().contains(tool);
    let refused = is.quarantined().iter().filter(refused);
    lines.extend(refused.map(|tool| visible(&format!("  refused `{}`: {}", tool.name, tool.reason))));
    lines
}
