//! `policy show`: the rules in order, and on how many tools of the lock file each decides.
//!
//! A rule that names a principal or a profile is counted for whoever it names; any other, for an asker whom no rule names. So
//! a rule of which the count is 0 decides nothing that is known now. Clauses: POL-1, HOST-3 (see).

use super::super::Failure;
use super::super::print::{counted, json};
use super::super::table::{table, width};
use super::written;
use crate::admin::decides;
use crate::config::Config;
use crate::lock::Lock;
use agent_engine::catalog::Snapshot;
use agent_engine::policy::{Policy, Rule, Verdict};
use serde::Serialize;

#[derive(Serialize)]
struct Shown<'a> {
    /// What holds where no rule matches.
    activation: Verdict,
    /// Tools that no rule matches.
    unmatched: usize,
    rules: Vec<Row<'a>>,
}

#[derive(Serialize)]
struct Row<'a> {
    /// Its number, from 1.
    number: usize,
    #[serde(flatten)]
    rule: &'a Rule,
    /// The tools that it decides on.
    decides: usize,
}

pub(super) fn show(config: &Config, as_json: bool) -> Result<Vec<String>, Failure> {
    let catalog = Lock::read(&Lock::path(config))?.catalog(config);
    let shown = of(&config.policy, &catalog);
    if as_json {
        return json(&shown);
    }
    let mut lines = lines(&shown, width());
    if catalog.tools().is_empty() {
        lines.push("no tools are known yet\nhint: `agent-host sync` asks the servers for theirs".to_owned());
    }
    Ok(lines)
}

fn of<'a>(policy: &'a Policy, catalog: &Snapshot) -> Shown<'a> {
    let counts = decides(catalog, policy);
    let rows = policy.rules.iter().zip(&counts).enumerate();
    let row = |(place, (rule, decides)): (usize, (&'a Rule, &usize))| Row { number: place + 1, rule, decides: *decides };
    Shown { activation: policy.activation, unmatched: counts.last().copied().unwrap_or_default(), rules: rows.map(row).collect() }
}

fn lines(shown: &Shown<'_>, width: Option<u16>) -> Vec<String> {
    let row = |row: &Row<'_>| vec![row.number.to_string(), row.decides.to_string(), written(row.rule)];
    let mut lines = table(&["RULE", "TOOLS", "MATCHES AND SAYS"], &shown.rules.iter().map(row).collect::<Vec<_>>(), width);
    let activation = serde_json::to_value(shown.activation).unwrap_or_default();
    let matched = if shown.rules.is_empty() { "there are no rules" } else { "where no rule matches" };
    lines.push(format!("{matched}: activation = {activation}, on {}", counted(shown.unmatched as u64, "tool")));
    lines
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::super::tools::tests::{config, lock};
    use super::*;

    #[test]
    fn pol_1_each_rule_is_shown_with_what_it_decides() {
        let catalog = lock().catalog(&config());
        let policy: Policy = serde_json::from_value(serde_json::json!({"activation": "prompt", "rules": [
            {"tools": ["mcp:clock/now"], "decision": "auto"},
            {"tools": ["mcp:clock/now"], "principal": "ada", "decision": "deny"},
            {"principal": "ada", "decision": "deny"},
            {"tools": ["mcp:none/*"], "decision": "hide"},
        ]}))
        .unwrap();
        let shown = of(&policy, &catalog);
        assert_eq!(shown.rules.iter().map(|row| row.decides).collect::<Vec<_>>(), [1, 0, 1, 0]);
        assert_eq!(shown.unmatched, 1);
        let said = lines(&shown, None);
        assert_eq!(said.first().unwrap().split_whitespace().next(), Some("RULE"));
        assert_eq!(said.last().unwrap(), "where no rule matches: activation = \"prompt\", on 1 tool");
        let none = Policy::of(Verdict::Deny);
        assert_eq!(lines(&of(&none, &catalog), None), ["there are no rules: activation = \"deny\", on 2 tools"]);
    }
}
