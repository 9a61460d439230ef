//! A lock file of any number of tools, written from the format's description, and the configuration that goes with one.
//!
//! Is not: the host's own writer, so that a change of the format is noticed here.

use agent_core::definition::Definition;
use agent_engine::testing::{Length, sources};
use anyhow::Context as _;
use serde_json::{Map, Value, json};

/// So many tools of realistic sizes, 40 a server.
pub(crate) fn of(tools: usize) -> anyhow::Result<String> {
    let mut servers = Map::new();
    for source in sources(tools, Length::Usual) {
        let mut tools = source.definitions.iter().map(|raw| tool(raw)).collect::<anyhow::Result<Vec<_>>>()?;
        tools.sort_by(|a, b| a["name"].as_str().cmp(&b["name"].as_str()));
        let claims = json!({"name": source.alias, "version": "1.0.0"});
        servers.insert(source.alias.to_string(), json!({"protocol": "2025-11-25", "claims": claims, "tools": tools, "refused": []}));
    }
    Ok(serde_json::to_string_pretty(&json!({"version": 1, "servers": servers}))? + "\n")
}

fn tool(raw: &str) -> anyhow::Result<Value> {
    let made = Definition::parse(raw)?;
    let definition: Value = serde_json::from_str(raw)?;
    Ok(json!({"name": made.name, "digest": made.digest, "definition": definition}))
}

/// How many tools a lock file holds.
pub(super) fn count(lock: &str) -> anyhow::Result<usize> {
    Ok(servers(lock)?.values().filter_map(|server| server["tools"].as_array()).map(Vec::len).sum())
}

/// A configuration of its servers, none of which could be started.
pub(crate) fn config(lock: &str) -> anyhow::Result<String> {
    let servers = servers(lock)?;
    let server = |alias: &String| format!("\n[servers.{alias}]\ncommand = \"/nowhere/server\"\n");
    Ok("activation = \"prompt\"\n".to_owned() + &servers.keys().map(server).collect::<String>())
}

fn servers(lock: &str) -> anyhow::Result<Map<String, Value>> {
    let whole: Value = serde_json::from_str(lock)?;
    whole["servers"].as_object().cloned().context("a lock file without servers")
}
