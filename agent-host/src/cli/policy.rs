//! `policy`: the rules in order, which of them decides and why, and decisions that are expected of them.
//!
//! Is: read from configuration, lock file and store, whether a host runs or not; it starts nothing and changes nothing. Is
//! not: a decision; each is the engine's own. Clauses: POL-1, POL-3, HOST-3 (see).

mod expect;
mod explain;
mod show;

use super::Failure;
use super::print::print;
use crate::config::Config;
use agent_core::id::ToolId;
use agent_core::session::PrincipalId;
use agent_engine::policy::{Condition, Rule};
use clap::{Args, Subcommand};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// What is asked about the policy.
#[derive(Debug, Args)]
pub(crate) struct Policy {
    #[command(subcommand)]
    asked: Option<Asked>,
}

#[derive(Debug, Subcommand)]
enum Asked {
    /// List the rules in order, and how many tools of the lock file each decides on. This is what `policy` alone does.
    Show {
        /// One JSON document.
        #[arg(long)]
        json: bool,
    },
    /// Say which rule decides on a tool for a principal, and why; `--profile` says under which profile.
    Explain {
        /// Who would ask, such as `local:1000`.
        #[arg(value_parser = PrincipalId::parse)]
        principal: PrincipalId,
        /// The tool's exact id.
        #[arg(value_parser = ToolId::parse)]
        tool: ToolId,
        /// One JSON document.
        #[arg(long)]
        json: bool,
    },
    /// Compare what the policy decides with what a file expects.
    Test {
        /// A TOML file of `[[expect]]`.
        file: PathBuf,
        /// One JSON document.
        #[arg(long)]
        json: bool,
    },
}

pub(super) async fn policy(config: &Config, state: &Path, policy: Policy) -> Result<(), Failure> {
    match policy.asked.unwrap_or(Asked::Show { json: false }) {
        Asked::Show { json } => {
            print(&show::show(config, json)?);
            Ok(())
        }
        Asked::Explain { principal, tool, json } => explain::explain(config, state, principal, tool, json).await,
        Asked::Test { file, json } => expect::test(config, &file, json),
    }
}

/// A rule as its file could have it, in one line: what it names and what it says.
fn written(rule: &Rule) -> String {
    let Ok(Value::Object(members)) = serde_json::to_value(rule) else { return String::new() };
    let nothing = |value: &Value| matches!(value, Value::Null | Value::Bool(false)) || value.as_array().is_some_and(Vec::is_empty);
    let (says, names): (Vec<_>, Vec<_>) = members.iter().filter(|(_, value)| !nothing(value)).partition(|(key, _)| !Condition::is_key(key));
    let names = if names.is_empty() { "any tool".to_owned() } else { pairs(&names) };
    format!("{names}: {}", pairs(&says))
}

fn pairs(members: &[(&String, &Value)]) -> String {
    let mut members: Vec<_> = members.to_vec();
    // The decision before what it demands.
    members.sort_by_key(|(key, _)| key.as_str() != "decision");
    members.iter().map(|(key, value)| format!("{key} = {value}")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn pol_1_a_rule_is_shown_as_it_could_be_written() {
        let rule: Rule = serde_json::from_value(serde_json::json!({
            "tools": ["mcp:git/*"], "effect": "read-only", "decision": "prompt", "strength": "strong", "max_calls": 3
        }))
        .unwrap();
        assert_eq!(
            written(&rule),
            r#"effect = "read-only", tools = ["mcp:git/*"]: decision = "prompt", max_calls = 3, strength = "strong""#
        );
        let rule: Rule = serde_json::from_value(serde_json::json!({"decision": "deny"})).unwrap();
        assert_eq!(written(&rule), r#"any tool: decision = "deny""#);
    }
}
