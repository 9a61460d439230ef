//! `config`, and the way into `add`, `remove`, `enable` and `disable`.
//!
//! Is: what is in effect, printed. Values of `env` and what looks like a secret are not. Clause: UP-2 (operator's files).

use super::places::Places;
use super::print::{json, print, warn};
use super::{Configure, Failure, Show, add};
use crate::config::{Config, Environment, SCHEMA};
use agent_core::safety::visible;
use serde_json::Value;

/// Runs a command that is about the configuration.
///
/// # Errors
/// [`Failure`] with what to print and the code to end with.
pub(crate) fn configure(places: &Places, command: Configure) -> Result<(), Failure> {
    let environment = Environment::ours();
    let lines = match command {
        Configure::Config(Show { schema: true, .. }) => vec![SCHEMA.trim_end().to_owned()],
        Configure::Config(Show { json: true, .. }) => json(&document(&places.load(&environment)?))?,
        Configure::Config(_) => listed(&places.load(&environment)?),
        Configure::Add(options) => {
            let (lines, doubts) = add::add(&places.file(&environment)?.0, options)?;
            doubts.iter().for_each(|doubt| warn(doubt));
            lines
        }
        Configure::Remove(name) => add::remove(&places.file(&environment)?.0, &name.name)?,
        Configure::Enable(name) => add::enable(&places.file(&environment)?.0, &name.name, true)?,
        Configure::Disable(name) => add::enable(&places.file(&environment)?.0, &name.name, false)?,
    };
    print(&lines);
    Ok(())
}

fn listed(config: &Config) -> Vec<String> {
    let there = if config.path.exists() { "" } else { " (not there)" };
    let rows = config.rows();
    let head = visible(&format!("# {}{there}", config.path.display()));
    std::iter::once(head).chain(rows.iter().map(|row| visible(&config.line(row)))).collect()
}

fn document(config: &Config) -> Value {
    serde_json::json!({ "file": config.path, "there": config.path.exists(), "values": config.rows(), "warnings": config.warnings })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing)]
    use super::*;
    use std::path::Path;

    #[test]
    fn up_2_every_value_is_listed_with_its_origin() {
        let config = Config::parse(Path::new("/etc/demo/agent-host.toml"), "[servers.time]\ncommand = \"uvx\"\nargs = [\"x\"]\n").unwrap();
        let lines = listed(&config);
        assert_eq!(lines[0], "# /etc/demo/agent-host.toml (not there)");
        for line in [
            "activation = \"prompt\"  (default)",
            "approval.wait = \"25s\"  (default)",
            "approval.notify = false  (default)",
            "profile is not set  (default)",
            "servers.time.command = \"uvx\"  (agent-host.toml:2)",
            "servers.time.args = [\"x\"]  (agent-host.toml:3)",
            "servers.time.timeout = \"2m\"  (default)",
        ] {
            assert!(lines.iter().any(|found| found == line), "{line}: {lines:#?}");
        }
        let json: serde_json::Value = document(&config);
        let command = json["values"].as_array().unwrap().iter().find(|row| row["key"] == "servers.time.command").unwrap();
        assert_eq!(command["from"], serde_json::json!({ "layer": "file", "line": 2 }));
    }
}
