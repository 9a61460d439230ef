//! `policy show`: the rules in order, and on how many tools of the lock file each decides.
//!
//! A rule that names a principal or a profile is counted for whoever it names; any other, for an asker whom no rule names. So
//! a rule of which the count is 0 decides nothing that is known now. Clauses: POL-1, HOST-3 (see).

use super::super::print::{counted, json};
use super::super::table::{table, width};
use super::super::{Exit, Failure};
use super::written;
use crate::config::Config;
use crate::lock::Lock;
use agent_core::session::{Asker, PrincipalId, SessionId};
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

/// An asker whom no rule is likely to name.
const ANYBODY: &str = "(anybody)";

pub(super) fn show(config: &Config, as_json: bool) -> Result<Vec<String>, Failure> {
    let anybody = PrincipalId::parse(ANYBODY).map_err(|why| Failure::new(Exit::Failed, why))?;
    let catalog = Lock::read(&Lock::path(config))?.catalog(config);
    let shown = of(&config.policy, &catalog, &anybody);
    if as_json {
        return json(&shown);
    }
    let mut lines = lines(&shown, width());
    if catalog.tools().is_empty() {
        lines.push("no tools are known yet\nhint: `agent-host sync` asks the servers for theirs".to_owned());
    }
    Ok(lines)
}

fn of<'a>(policy: &'a Policy, catalog: &Snapshot, anybody: &PrincipalId) -> Shown<'a> {
    let decided = |principal: &Option<PrincipalId>, profile: &Option<_>, place: Option<usize>| {
        let principal = principal.as_ref().unwrap_or(anybody).clone();
        let asker = Asker { session: SessionId::new(0), principal, profile: profile.clone() };
        catalog.tools().iter().filter(|tool| policy.decide(&asker, &tool.descriptor, false).rule == place).count()
    };
    let rows = policy.rules.iter().enumerate();
    let row =
        |(place, rule): (usize, &'a Rule)| Row { number: place + 1, rule, decides: decided(&rule.principal, &rule.profile, Some(place)) };
    Shown { activation: policy.activation, unmatched: decided(&None, &None, None), rules: rows.map(row).collect() }
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
        let anybody = PrincipalId::parse(ANYBODY).unwrap();
        let shown = of(&policy, &catalog, &anybody);
        assert_eq!(shown.rules.iter().map(|row| row.decides).collect::<Vec<_>>(), [1, 0, 1, 0]);
        assert_eq!(shown.unmatched, 1);
        let said = lines(&shown, None);
        assert_eq!(said.first().unwrap().split_whitespace().next(), Some("RULE"));
        assert_eq!(said.last().unwrap(), "where no rule matches: activation = \"prompt\", on 1 tool");
        let none = Policy::of(Verdict::Deny);
        assert_eq!(lines(&of(&none, &catalog, &anybody), None), ["there are no rules: activation = \"deny\", on 2 tools"]);
    }
}
