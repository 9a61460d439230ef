#![allow(clippy::unwrap_used)]
use super::*;
use crate::catalog::{Source, assemble};
use agent_core::effect::Declared;
use agent_core::session::SessionId;

fn asker(principal: &str, profile: Option<&str>) -> Asker {
    let profile = profile.map(|name| ProfileId::parse(name).unwrap());
    Asker { session: SessionId::new(1), principal: PrincipalId::parse(principal).unwrap(), profile }
}

fn decide(rules: serde_json::Value, asker: &Asker, known: bool) -> Ruling {
    let policy: Policy = serde_json::from_value(serde_json::json!({"activation": "prompt", "rules": rules})).unwrap();
    let source = Source {
        declared: Declared { effect: Some(Effect::ReadOnly), ..Declared::default() },
        definitions: vec![r#"{"name":"log","inputSchema":{}}"#.into()],
        ..Source::new(SourceClass::Mcp, Alias::parse("git").unwrap())
    };
    policy.decide(asker, &assemble(&[source]).tools().first().unwrap().descriptor, known)
}

#[test]
fn pol_1_the_first_match_wins() {
    let a = asker("local:1", None);
    let verdict = |rules| decide(rules, &a, true).verdict;
    assert_eq!(verdict(serde_json::json!([])), Verdict::Prompt);
    assert_eq!(verdict(serde_json::json!([{"tools": ["mcp:git/*"], "decision": "auto"}, {"decision": "deny"}])), Verdict::Auto);
    assert_eq!(verdict(serde_json::json!([{"server": "other", "decision": "auto"}, {"decision": "deny"}])), Verdict::Deny);
    assert_eq!(verdict(serde_json::json!([{"effect": "destructive", "decision": "deny"}])), Verdict::Prompt);
    assert_eq!(verdict(serde_json::json!([{"capabilities": ["external_send"], "decision": "hide"}])), Verdict::Hide);
    assert_eq!(verdict(serde_json::json!([{"principal": "local:2", "decision": "deny"}])), Verdict::Prompt);
    assert_eq!(verdict(serde_json::json!([{"profile": "p", "decision": "deny"}])), Verdict::Prompt);
}

#[test]
fn cat_7_a_rule_can_ask_about_new_definitions() {
    let rules = serde_json::json!([{"decision": "auto", "new": "prompt"}]);
    assert_eq!(decide(rules.clone(), &asker("a", None), false).verdict, Verdict::Prompt);
    assert_eq!(decide(rules, &asker("a", None), true).verdict, Verdict::Auto);
}

#[test]
fn pol_3_a_profile_is_a_ceiling() {
    let policy: Policy =
        serde_json::from_value(serde_json::json!({"activation": "auto", "profiles": {"p": {"tools": ["mcp:git/*"]}, "all": {}}})).unwrap();
    let within = |profile, id| policy.within(&asker("a", profile), &ToolId::parse(id).unwrap());
    assert!(within(None, "mcp:x/y") && within(Some("all"), "mcp:x/y") && within(Some("p"), "mcp:git/log"));
    assert!(!within(Some("p"), "mcp:x/y") && !within(Some("unknown"), "mcp:git/log"));
}

#[test]
fn up_6_what_is_no_tool_is_relayed_as_the_rules_for_all_tools_say() {
    let relays = |activation: &str, rules: serde_json::Value, profile: Option<&str>| {
        let profiles = serde_json::json!({"git": {"tools": ["mcp:git/*"]}, "one": {"tools": ["mcp:git/log"]}, "x": {"tools": ["mcp:x/*"]}});
        let policy: Policy =
            serde_json::from_value(serde_json::json!({"activation": activation, "rules": rules, "profiles": profiles})).unwrap();
        policy.relays(&asker("a", profile), SourceClass::Mcp, &Alias::parse("git").unwrap())
    };
    let none = serde_json::json!([]);
    assert!(relays("auto", none.clone(), None) && relays("prompt", none.clone(), Some("git")) && !relays("deny", none.clone(), None));
    assert!(
        !relays("auto", none.clone(), Some("x")) && !relays("auto", none.clone(), Some("one")) && !relays("auto", none, Some("unknown"))
    );
    assert!(relays("deny", serde_json::json!([{"server": "git", "decision": "prompt"}, {"decision": "deny"}]), None));
    assert!(!relays("auto", serde_json::json!([{"tools": ["mcp:git/*"], "decision": "deny"}]), None));
    assert!(!relays("auto", serde_json::json!([{"decision": "auto"}, {"effect": "destructive", "decision": "hide"}]), None));
    assert!(relays(
        "auto",
        serde_json::json!([{"effect": "destructive", "decision": "deny"}, {"principal": "b", "decision": "hide"}]),
        None
    ));
}

#[test]
fn nat_4_the_default_denies() {
    assert_eq!(Policy::default().activation, Verdict::Deny);
}
