//! `tool <id>`: everything about one tool, as its source wrote it, with nothing hidden.
//!
//! Clauses: HOST-3 (see), CAT-4 (field), CAT-5, CAT-8 (overclaim). Invariant: I-3 (the digest that a yes is about).

use super::drift::{self, no_tool, review, wrapped};
use super::print::{json, print};
use super::tools::{Known, Standing};
use super::wrap::columns;
use super::{Exit, Failure};
use crate::config::Config;
use agent_core::digest::Digest;
use agent_core::id::ToolId;
use agent_core::safety::visible;
use agent_engine::catalog::{Tool, notes};
use clap::Args;
use serde::Serialize;
use serde_json::value::RawValue;
use std::path::Path;

/// Which tool.
#[derive(Debug, Args)]
pub(crate) struct Named {
    /// Its exact id.
    #[arg(value_parser = ToolId::parse)]
    id: ToolId,
    /// One JSON document.
    #[arg(long)]
    json: bool,
}

/// What `--json` prints.
#[derive(Serialize)]
struct Whole<'a> {
    #[serde(flatten)]
    descriptor: &'a agent_core::descriptor::Descriptor,
    state: Standing,
    /// What was accepted last.
    accepted: Option<&'a Digest>,
    notes: Vec<String>,
    definition: &'a RawValue,
}

pub(super) fn tool(config: &Config, state: &Path, named: &Named) -> Result<(), Failure> {
    let known = Known::read(config, state, None)?;
    let Some(tool) = known.catalog.get(named.id.as_str()) else {
        return Err(no_tool(config, &known.lock, &known.catalog, &named.id));
    };
    print(&if named.json { whole(&known, tool)? } else { wrapped(lines(&known, tool), columns(std::io::stdout())) });
    Ok(())
}

fn whole(known: &Known, tool: &Tool) -> Result<Vec<String>, Failure> {
    let definition = serde_json::from_str(&tool.definition.raw).map_err(|error| Failure::new(Exit::Failed, error.to_string()))?;
    let accepted = known.pins.get(&tool.descriptor.id);
    json(&Whole { descriptor: &tool.descriptor, state: known.standing(tool), accepted, notes: notes(&tool.definition), definition })
}

fn lines(known: &Known, tool: &Tool) -> Vec<String> {
    let descriptor = &tool.descriptor;
    let mut lines = review(tool);
    let state = match (known.standing(tool), known.pins.get(&descriptor.id)) {
        (Standing::Changed, Some(pinned)) => format!("changed: what was accepted is {pinned}; `agent-host diff` shows what moved"),
        (Standing::New, _) => "new: nothing of it was ever accepted".to_owned(),
        (standing, _) => standing.as_str().to_owned(),
    };
    let said = if descriptor.safety.trusted { "believed" } else { "not believed" };
    lines.extend([
        format!("  wire name: {}", descriptor.wire.as_str()),
        format!("  state: {state}"),
        format!(
            "  its server's annotations are {said}; a call of it is {}",
            if descriptor.safety.repeatable { "repeatable" } else { "never repeated" }
        ),
    ]);
    if !descriptor.tags.is_empty() {
        lines.push(format!("  tags: {}", visible(&descriptor.tags.join(", "))));
    }
    lines.extend(notes(&tool.definition).iter().map(|note| format!("  note: {}", visible(note))));
    lines.extend(drift::whole(tool));
    lines
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing)]
    use super::super::tools::tests::known;
    use super::*;

    #[test]
    fn cat_5_everything_about_a_tool_is_shown_and_nothing_is_hidden() {
        let known = known();
        let text = |id: &str| lines(&known, known.catalog.get(id).unwrap()).join("\n");
        let now = text("mcp:clock/now");
        for part in [
            "\n  effect: destructive\n  can: untrusted_input, external_send\n",
            "wire name: clock__now",
            "state: accepted",
            "zone (string, required) one of UTC, CET: of the earth",
            "annotations are not believed; a call of it is never repeated",
            "\"title\": \"The\\u{202e} time\",\n",
            "    |         \"enum\": [\n    |           \"UTC\",\n    |           \"CET\"\n    |         ]\n",
        ] {
            assert!(now.contains(part), "{part}\n{now}");
        }
        assert!(!now.contains('\u{202e}') && now.contains(&known.catalog.get("mcp:clock/now").unwrap().descriptor.digest.to_string()));
        let set = text("mcp:clock/set");
        assert!(set.contains("state: changed: what was accepted is 7777") && set.contains("note: an empty list"), "{set}");
        assert!(set.contains("\"properties\": []"), "what was sent is shown as it was: {set}");
    }

    #[test]
    fn a_tool_as_json_holds_its_definition_as_sent() {
        let known = known();
        let text = whole(&known, known.catalog.get("mcp:clock/set").unwrap()).unwrap().concat();
        let read: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(read["definition"]["inputSchema"]["properties"], serde_json::json!([]));
        assert_eq!((&read["state"], &read["wire"]), (&"changed".into(), &"clock__set".into()));
        assert!(read["notes"][0].as_str().unwrap().contains("empty list") && read["accepted"].as_str().unwrap().starts_with("777"));
    }
}
