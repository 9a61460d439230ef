//! `policy explain`: which rule decides on a tool for a principal, and what each rule before it failed by.
//!
//! Is: the policy of the configuration as it is now; where a host runs on another one, that is said. What a person denied and
//! what was accepted is read from the store. Clauses: POL-1, POL-3, AUTH-6, HOST-3 (see).

use super::super::drift::asked;
use super::super::print::{counted, json, moment, print, warn};
use super::super::{Exit, Failure};
use super::written;
use crate::admin::{Explained, Request, Response, ask};
use crate::config::Config;
use crate::store::kept;
use crate::system::SystemClock;
use agent_core::id::ToolId;
use agent_core::safety::visible;
use agent_core::session::{Asker, PrincipalId, SessionId};
use agent_core::state::{HostState, PrincipalState};
use agent_core::time::Clock;
use agent_core::transition::Stream;
use agent_engine::policy::{Condition, Looked, Outcome, Rule, Verdict};
use std::path::Path;

pub(super) async fn explain(config: &Config, state: &Path, principal: PrincipalId, tool: ToolId, as_json: bool) -> Result<(), Failure> {
    let explained = explained(config, state, principal, tool)?;
    print(&if as_json { json(&explained)? } else { lines(&explained, config.policy.activation) });
    let Explained { principal, profile, tool, .. } = explained.clone();
    if let Ok(Response::Explained { explained: Some(live) }) = ask(state, &Request::Explain { principal, profile, tool }).await
        && live.policy != explained.policy
    {
        warn("the host that runs has another policy in force; `agent-host reload` makes it read the configuration again, or says why not");
    }
    Ok(())
}

fn explained(config: &Config, state: &Path, principal: PrincipalId, id: ToolId) -> Result<Explained, Failure> {
    let catalog = asked(config)?.catalog(config);
    let Some(tool) = catalog.get(id.as_str()) else {
        let text =
            format!("the lock file has no tool `{id}` that is served\nhint: `agent-host tools` lists them, `agent-host sync` asks servers");
        return Err(Failure::new(Exit::Nothing, text));
    };
    let host: HostState = kept(state, &Stream::Host)?;
    let denials: PrincipalState = kept(state, &Stream::Principal(principal.clone()))?;
    let asker = Asker { session: SessionId::new(0), principal: principal.clone(), profile: config.profile.clone() };
    let judged = config.policy.judge(&asker, &tool.descriptor, &host, &denials, SystemClock::new().now());
    Ok(Explained::new(config.policy.digest(), &config.policy.rules, (principal, asker.profile), id, judged))
}

fn lines(explained: &Explained, activation: Verdict) -> Vec<String> {
    let Explained { judged, .. } = explained;
    let ruling = &judged.explanation.ruling;
    let mut lines = vec![format!("{} for {}: {}", explained.tool, visible(explained.principal.as_str()), outcome(judged.outcome))];
    for (looked, rule) in judged.explanation.looked.iter().zip(&explained.rules) {
        lines.push(format!("  rule {}: {}", looked.rule + 1, written(rule)));
        lines.push(format!("    {}", step(looked, rule)));
    }
    if ruling.rule.is_none() {
        lines.push(format!("  no rule matches: activation says {}", word(&activation)));
    }
    let asks = judged.explanation.looked.last().zip(explained.rules.last());
    if ruling.verdict == Verdict::Prompt && asks.is_some_and(|(looked, rule)| looked.failed.is_none() && rule.decision == Verdict::Auto) {
        lines.push("  its definition was never accepted, so that a person is asked this once (`new = \"prompt\"`)".to_owned());
    }
    if ruling.strong {
        lines.push("  only a strong answer counts".to_owned());
    }
    lines.extend(ruling.max_calls.map(|most| format!("  a grant is good for {}", counted(most, "call"))));
    lines.push(match (&explained.profile, judged.explanation.within) {
        (None, _) => "  ceiling: none, for there is no profile".to_owned(),
        (Some(profile), true) => format!("  ceiling: profile {profile} lets it in"),
        (Some(profile), false) => format!("  ceiling: profile {profile} keeps it out; no rule goes past that"),
    });
    lines.push(match (judged.accepted, judged.drifted) {
        (true, _) => "  definition: accepted".to_owned(),
        (false, true) => "  definition: another one was accepted; the tool is withheld until `agent-host accept`".to_owned(),
        (false, false) => "  definition: never accepted; the first yes accepts it".to_owned(),
    });
    lines.push(match judged.denied {
        Some(until) => format!("  a person said no to it, remembered until {}", moment(until)),
        None => "  nobody's no is remembered".to_owned(),
    });
    lines
}

const fn outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Hidden => "not there to be found",
        Outcome::DeniedByPolicy => "found, and refused by the policy",
        Outcome::DeniedByPerson => "refused, for a person said no",
        Outcome::Asked => "a person is asked",
        Outcome::Granted => "granted, and nobody is asked",
    }
}

/// How one rule was judged.
fn step(looked: &Looked, rule: &Rule) -> String {
    let held: Vec<_> = looked.held.iter().map(|condition| condition.key()).collect();
    let held = if held.is_empty() { String::new() } else { format!("; these hold: {}", held.join(", ")) };
    match looked.failed {
        Some(failed) => format!("does not match by its `{}`{held}", failed.key()),
        None if held.is_empty() && names_nothing(rule) => {
            format!("decides: {}, for it names nothing and matches every tool", word(&rule.decision))
        }
        None => format!("decides: {}{held}", word(&rule.decision)),
    }
}

fn names_nothing(rule: &Rule) -> bool {
    let members = serde_json::to_value(rule).unwrap_or_default();
    let named = |condition: &Condition| {
        let value = members.get(condition.key());
        value.is_some_and(|value| !value.is_null() && value.as_array().is_none_or(|items| !items.is_empty()))
    };
    !Condition::ALL.iter().any(named)
}

/// A verdict as the file writes it.
fn word(verdict: &Verdict) -> String {
    serde_json::to_value(verdict).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::super::tools::tests::lock;
    use super::*;
    use crate::lock::Lock;

    const RULES: &str = "profile = \"work\"\n[servers.clock]\ncommand = \"/nowhere/clock\"\n[profiles.work]\ntools = [\"mcp:clock/*\"]\n\
        [[rule]]\nserver = \"clock\"\neffect = \"read-only\"\ndecision = \"auto\"\n\
        [[rule]]\nprincipal = \"ada\"\ntools = [\"mcp:clock/now\"]\ndecision = \"prompt\"\nstrength = \"strong\"\n\
        [[rule]]\ndecision = \"deny\"\n";

    fn stage(folder: &Path, text: &str) -> Config {
        let config = Config::parse(&folder.join("agent-host.toml"), text).unwrap();
        lock().write(&Lock::path(&config)).unwrap();
        config
    }

    #[test]
    fn pol_1_the_rule_that_decides_is_told_with_what_others_failed_by() {
        let folder = tempfile::tempdir().unwrap();
        let config = stage(folder.path(), RULES);
        let of = |principal: &str, tool: &str| {
            let found = explained(&config, folder.path(), PrincipalId::parse(principal).unwrap(), ToolId::parse(tool).unwrap());
            found.map(|found| (lines(&found, config.policy.activation), found))
        };
        let (said, found) = of("ada", "mcp:clock/now").unwrap();
        let expect = [
            "mcp:clock/now for ada: a person is asked",
            "  rule 1: effect = \"read-only\", server = \"clock\": decision = \"auto\"",
            "    does not match by its `effect`",
            "  rule 2: principal = \"ada\", tools = [\"mcp:clock/now\"]: decision = \"prompt\", strength = \"strong\"",
            "    decides: prompt; these hold: principal, tools",
            "  only a strong answer counts",
            "  ceiling: profile work lets it in",
            "  definition: never accepted; the first yes accepts it",
            "  nobody's no is remembered",
        ];
        assert_eq!(said, expect);
        let read: Explained = serde_json::from_str(&json(&found).unwrap().concat()).unwrap();
        assert_eq!(read, found);
        let (said, _) = of("bob", "mcp:clock/now").unwrap();
        assert_eq!(said.first().unwrap(), "mcp:clock/now for bob: found, and refused by the policy");
        assert!(said.contains(&"    decides: deny, for it names nothing and matches every tool".to_owned()), "{said:?}");
        let unknown = of("ada", "mcp:clock/none").unwrap_err();
        assert!(unknown.exit == Exit::Nothing && unknown.text.contains("agent-host sync"), "{unknown:?}");
    }
}
