//! POL-1: what explains a decision says what the decision is, for rules, askers and tools drawn at random.

use crate::world::{World, code, id};
use agent_core::descriptor::Descriptor;
use agent_core::effect::{Capability, Declared, Effect};
use agent_core::id::{Alias, SourceClass, ToolId};
use agent_core::length::Length;
use agent_core::request::Strength;
use agent_core::session::{Asker, PrincipalId, ProfileId, SessionId};
use agent_core::state::{HostState, PrincipalState};
use agent_core::time::Instant;
use agent_engine::catalog::{Source, assemble};
use agent_engine::policy::{Condition, NewTool, Outcome, Pattern, Policy, Profile, Rule, Verdict};
use proptest::option::weighted;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use std::time::Duration;

const ALIASES: [&str; 2] = ["a", "b"];
const NAMES: [&str; 2] = ["one", "two"];
const CAPABILITIES: [Capability; 3] = [Capability::PrivateData, Capability::UntrustedInput, Capability::ExternalSend];

fn principal() -> impl Strategy<Value = PrincipalId> {
    select(vec!["ada", "bob"]).prop_map(|name| PrincipalId::parse(name).unwrap())
}

/// The last is no profile of the policy.
fn profile() -> impl Strategy<Value = ProfileId> {
    select(vec!["p", "q", "none"]).prop_map(|name| ProfileId::parse(name).unwrap())
}

fn patterns() -> impl Strategy<Value = Vec<Pattern>> {
    let all = ["*", "mcp:a/*", "mcp:b/one", "mcp:*/two", "mcp:none/*"].map(|text| Pattern::parse(text).unwrap());
    subsequence(all.to_vec(), 0..3)
}

fn effect() -> impl Strategy<Value = Effect> {
    select(vec![Effect::ReadOnly, Effect::Mutating, Effect::Destructive])
}

fn rule() -> impl Strategy<Value = Rule> {
    let server = select(ALIASES.to_vec()).prop_map(|alias| Alias::parse(alias).unwrap());
    let names = (patterns(), weighted(0.3, server), weighted(0.3, Just(SourceClass::Mcp)), weighted(0.4, effect()));
    let more = (subsequence(CAPABILITIES.to_vec(), 0..3), weighted(0.3, principal()), weighted(0.3, profile()));
    let verdict = select(vec![Verdict::Auto, Verdict::Prompt, Verdict::Deny, Verdict::Hide]);
    let ttl = select(vec![1_u64, 60]).prop_map(|minutes| Length(Duration::from_secs(60 * minutes)));
    let new = weighted(0.5, select(vec![NewTool::Auto, NewTool::Prompt]));
    let says = (verdict, weighted(0.5, Just(Strength::Strong)), new, weighted(0.3, ttl), weighted(0.3, 1..9_u32));
    (names, more, says).prop_map(
        |((tools, server, source, effect), (capabilities, principal, profile), (decision, strength, new, ttl, max_calls))| {
            let capabilities = capabilities.into_iter().collect();
            Rule { tools, server, source, effect, capabilities, principal, profile, decision, strength, new, ttl, max_calls }
        },
    )
}

fn policy() -> impl Strategy<Value = Policy> {
    let activation = select(vec![Verdict::Auto, Verdict::Prompt, Verdict::Deny]);
    (activation, proptest::collection::vec(rule(), 0..6), patterns()).prop_map(|(activation, rules, tools)| {
        let ceiling = Profile { tools: Some(tools), presets: Vec::new() };
        let profiles = [("p", ceiling), ("q", Profile::default())].map(|(name, profile)| (ProfileId::parse(name).unwrap(), profile));
        Policy { activation, rules, profiles: profiles.into() }
    })
}

fn tool() -> impl Strategy<Value = Descriptor> {
    (select(ALIASES.to_vec()), select(NAMES.to_vec()), effect(), subsequence(CAPABILITIES.to_vec(), 0..=3)).prop_map(
        |(alias, name, effect, capabilities)| {
            let capabilities = Some(capabilities.into_iter().collect());
            let declared = Declared { effect: Some(effect), capabilities, ..Declared::default() };
            let definitions = vec![serde_json::json!({"name": name, "inputSchema": {"type": "object"}}).to_string()];
            let source = Source { declared, definitions, ..Source::new(SourceClass::Mcp, Alias::parse(alias).unwrap()) };
            assemble(&[source]).tools()[0].descriptor.clone()
        },
    )
}

/// Whether a rule matches, said once more and otherwise than in the engine.
fn matches(rule: &Rule, asker: &Asker, tool: &Descriptor) -> bool {
    let same = |named: bool, holds: bool| !named || holds;
    let (server, name) = tool.id.as_str().strip_prefix("mcp:").unwrap().split_once('/').unwrap();
    let covers = |pattern: &Pattern| match String::from(pattern.clone()).as_str() {
        "*" => true,
        "mcp:a/*" => server == "a",
        "mcp:*/two" => name == "two",
        exact => exact == tool.id.as_str(),
    };
    same(!rule.tools.is_empty(), rule.tools.iter().any(covers))
        && same(rule.server.is_some(), rule.server.as_ref().is_some_and(|alias| alias.as_str() == server))
        && same(rule.effect.is_some(), rule.effect == Some(tool.safety.effect))
        && rule.capabilities.iter().all(|capability| tool.safety.capabilities.contains(capability))
        && same(rule.principal.is_some(), rule.principal.as_ref() == Some(&asker.principal))
        && same(rule.profile.is_some(), rule.profile == asker.profile)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn pol_1_what_explains_a_decision_says_what_it_is(
        policy in policy(), tool in tool(), principal in principal(), profile in weighted(0.5, profile()), known in any::<bool>()
    ) {
        let asker = Asker { session: SessionId::new(1), principal, profile };
        let (ruling, explained) = (policy.decide(&asker, &tool, known), policy.explain(&asker, &tool, known));
        prop_assert_eq!(explained.ruling, ruling);
        prop_assert_eq!(explained.within, policy.within(&asker, &tool.id));
        prop_assert_eq!(ruling.rule, policy.rules.iter().position(|rule| matches(rule, &asker, &tool)));
        // Every rule up to the one that decides is accounted for, and it alone fails by nothing.
        prop_assert_eq!(explained.looked.len(), ruling.rule.map_or(policy.rules.len(), |rule| rule + 1));
        for (at, looked) in explained.looked.iter().enumerate() {
            prop_assert_eq!((looked.rule, looked.failed.is_none()), (at, ruling.rule == Some(at)));
            prop_assert!(looked.failed.is_none_or(|failed| looked.held.iter().all(|held| *held < failed)));
        }
        // With nothing remembered, the outcome is the verdict's under the ceiling.
        let mut host = HostState::default();
        if known {
            host.pins.insert(tool.id.clone(), tool.digest);
        }
        let now = Instant { wall: 1, boot: 1, boot_id: 1 };
        let judged = policy.judge(&asker, &tool, &host, &PrincipalState::default(), now);
        let expected = match ruling.verdict {
            _ if !explained.within => Outcome::Hidden,
            Verdict::Hide => Outcome::Hidden,
            Verdict::Deny => Outcome::DeniedByPolicy,
            Verdict::Prompt => Outcome::Asked,
            Verdict::Auto => Outcome::Granted,
        };
        prop_assert_eq!((judged.outcome, judged.accepted), (expected, known));
        prop_assert_eq!(judged.explanation, explained);
    }
}

#[test]
fn pol_1_an_explanation_names_what_each_rule_failed_by() {
    let policy: Policy = serde_json::from_value(serde_json::json!({"activation": "prompt", "rules": [
        {"server": "b", "effect": "destructive", "decision": "auto"},
        {"principal": "bob", "tools": ["mcp:a/*"], "decision": "auto"},
        {"principal": "ada", "tools": ["mcp:a/one"], "decision": "deny"},
        {"decision": "hide"},
    ]}))
    .unwrap();
    let source = Source {
        definitions: vec![r#"{"name":"one","inputSchema":{"type":"object"}}"#.into()],
        ..Source::new(SourceClass::Mcp, Alias::parse("a").unwrap())
    };
    let tool = &assemble(&[source]).tools()[0].descriptor.clone();
    let asker = Asker { session: SessionId::new(1), principal: PrincipalId::parse("ada").unwrap(), profile: None };
    let looked = policy.explain(&asker, tool, true).looked;
    let told: Vec<_> = looked.iter().map(|looked| (looked.held.as_slice(), looked.failed)).collect();
    let expect: [(&[Condition], Option<Condition>); 3] = [
        (&[Condition::Effect], Some(Condition::Server)),
        (&[], Some(Condition::Principal)),
        (&[Condition::Principal, Condition::Tools], None),
    ];
    assert_eq!(told, expect);
}

/// The outcome that is explained is what a request for the tool meets.
#[tokio::test]
async fn pol_1_what_is_explained_is_what_a_request_meets() {
    let mut world = World::new(serde_json::json!({"activation": "prompt"})).await;
    let denied = world.open().await;
    let question = crate::world::question(world.activate(&denied, &["mcp:b/two"]).await);
    world.decide(&question, agent_core::request::Decision::Deny).await;
    world
        .enforce(serde_json::json!({"activation": "prompt", "profiles": {"p": {"tools": ["mcp:a/*", "mcp:b/two"]}}, "rules": [
            {"tools": ["mcp:a/one", "mcp:b/*"], "decision": "auto"},
            {"tools": ["mcp:a/two"], "principal": "ada", "decision": "deny"},
            {"tools": ["mcp:a/three"], "decision": "hide"},
        ]}))
        .await;
    let judge = async |principal: &str, profile: Option<&str>, tool: &ToolId| {
        let profile = profile.map(|name| ProfileId::parse(name).unwrap());
        world.desk.judge(&PrincipalId::parse(principal).unwrap(), profile.as_ref(), tool).await.unwrap().map(|judged| judged.outcome)
    };
    for (principal, profile) in [("ada", None), ("ada", Some("p")), ("bob", Some("p"))] {
        for tool in ["mcp:a/one", "mcp:a/two", "mcp:a/three", "mcp:b/one", "mcp:b/two"] {
            let cell = world.open_as(principal, profile).await;
            let met = code(&world.activate(&cell, &[tool]).await);
            let expect = match judge(principal, profile, &id(tool)).await.unwrap() {
                Outcome::Hidden => "unknown-ids",
                Outcome::DeniedByPolicy => "denied-by-policy",
                Outcome::DeniedByPerson => "denied-by-person",
                Outcome::Asked => "waiting",
                Outcome::Granted => "done",
            };
            assert_eq!(met, expect, "{principal} {profile:?} {tool}");
        }
    }
    assert_eq!(judge("ada", None, &id("mcp:a/none")).await, None);
}
