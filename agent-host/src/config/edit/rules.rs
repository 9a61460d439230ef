//! Rules that withhold tools of one server, as a client did by a list.
//!
//! Is: deny rules, and for a list of the only tools used one rule that decides on those as if there were none. Beside rules
//! that could match the same tools that would be a way round them, so nothing is made there. Clause: POL-1.

use agent_core::id::Alias;
use agent_engine::policy::{Pattern, Rule, Verdict};

/// Whether a rule can't match a tool of this server.
pub(super) fn elsewhere(rule: &Rule, alias: &Alias) -> bool {
    let ours = format!("mcp:{alias}");
    let other = |pattern: &Pattern| {
        let text = String::from(pattern.clone());
        text.split_once('/').is_some_and(|(server, _)| !server.contains('*') && server != ours)
    };
    rule.server.as_ref().is_some_and(|server| server != alias) || (!rule.tools.is_empty() && rule.tools.iter().all(other))
}

pub(super) fn narrowing(alias: &Alias, allow: Option<&[String]>, deny: &[String], otherwise: Verdict) -> Result<Vec<Rule>, String> {
    let pattern = |name: &String| Pattern::parse(&format!("mcp:{alias}/{name}"));
    let mut rules = Vec::new();
    let denied: Result<Vec<Pattern>, _> = deny.iter().map(pattern).collect();
    let denied = denied.map_err(|error| format!("a tool that is not to be used can't be named: {error}"))?;
    if !denied.is_empty() {
        rules.push(rule(denied, None, Verdict::Deny));
    }
    if let Some(allow) = allow {
        // A `*` stood for itself there, and would stand for anything here.
        let allowed: Vec<Pattern> = allow.iter().filter(|name| !name.contains('*')).filter_map(|name| pattern(name).ok()).collect();
        if !allowed.is_empty() {
            rules.push(rule(allowed, None, otherwise));
        }
        rules.push(rule(Vec::new(), Some(alias.clone()), Verdict::Deny));
    }
    Ok(rules)
}

fn rule(tools: Vec<Pattern>, server: Option<Alias>, decision: Verdict) -> Rule {
    Rule {
        tools,
        server,
        source: None,
        effect: None,
        capabilities: Default::default(),
        principal: None,
        profile: None,
        decision,
        strength: None,
        new: None,
        ttl: None,
        max_calls: None,
    }
}
