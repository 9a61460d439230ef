//! GATE and the call: what runs, what is told, what never leaves.

use crate::world::{Fault, World, body, code, id, object};
use agent_core::digest::{Digest, Domain};
use agent_core::outcome::Outcome;
use agent_core::session::Listing;
use agent_core::transition::Transition;
use agent_engine::builtins::Reply;
use agent_engine::call::{Progress, Router, ToolHost};
use agent_engine::gate::Target;
use serde_json::{Map, json};
use std::sync::Arc;
use std::sync::atomic::Ordering;

const AUTO: &str = r#"{"activation": "auto"}"#;

async fn world() -> World {
    World::new(serde_json::from_str(AUTO).unwrap()).await
}

#[tokio::test]
async fn gate_1_each_condition_by_itself() {
    let mut world = world().await;
    let cell = world.open().await;
    world.granted(&cell, &["mcp:a/one"]).await;
    assert_eq!(code(&world.ask(&cell, "a__one", json!({"n": 1})).await), "ran");
    assert_eq!(code(&world.ask(&cell, "a__one", json!({"n": "x"})).await), "schema");
    assert_eq!(code(&world.call(&cell, "a__two").await), "not-active");
    assert_eq!(code(&world.call(&cell, "A__one").await), "not-active");
    let other = world.open().await;
    assert_eq!(code(&world.call(&other, "a__one").await), "not-active");
    world.desk.stop("operator").await;
    assert_eq!(code(&world.call(&cell, "a__one").await), "stopped");
    world.desk.resume("operator").await.unwrap();
    world.relist(&[]).await;
    assert_eq!(code(&world.call(&cell, "a__one").await), "away");
    assert_eq!(world.host.sent(), 1);
}

#[tokio::test]
async fn i_5_the_gate_knows_names_exactly_or_not_at_all() {
    let world = world().await;
    let cell = world.open().await;
    world.granted(&cell, &["mcp:a/one"]).await;
    for near in ["a__one ", "a__On", "a_one", "mcp:a/one", "one", "A__ONE", "a__one\u{200b}"] {
        assert_eq!(code(&world.call(&cell, near).await), "not-active", "{near}");
    }
    assert_eq!(world.host.sent(), 0);
}

#[tokio::test]
async fn up_6_progress_is_heard_by_name_and_by_id() {
    let world = world().await;
    let cell = world.open().await;
    world.granted(&cell, &["mcp:a/one"]).await;
    for (name, arguments) in [("a__one", json!({})), ("call_tool", json!({"id": "mcp:a/one", "arguments": {}}))] {
        let (progress, mut steps) = Progress::heard();
        assert_eq!(code(&world.front.call_heard(&cell, name, object(arguments), progress).await), "ran");
        assert_eq!(steps.next().await.unwrap().message.as_deref(), Some("under way"));
        assert_eq!(steps.next().await, None);
    }
}

#[tokio::test]
async fn gate_2_unknown_hidden_and_never_activated_answer_alike() {
    let world = World::new(json!({"activation": "auto", "rules": [{"tools": ["mcp:b/one"], "decision": "hide"}]})).await;
    let cell = world.open().await;
    world.granted(&cell, &["mcp:a/one"]).await;
    let bytes = [
        body(&world.call(&cell, "a__two").await),
        body(&world.call(&cell, "b__one").await),
        body(&world.call(&cell, "c__none").await),
        body(&world.ask(&cell, "call_tool", json!({"id": "mcp:a/two", "arguments": {}})).await),
        body(&world.ask(&cell, "call_tool", json!({"id": "no id at all", "arguments": {}})).await),
    ];
    assert!(bytes.iter().all(|answer| *answer == bytes[0]), "{bytes:?}");
    assert!(bytes[0].as_str().unwrap().contains("a__one"));
    let codes = world.ledger.records().into_iter().filter_map(|record| match record.what {
        Transition::Refused { code, about, .. } => Some((about, code)),
        _ => None,
    });
    let told = |about: &str, code: &str| (about.to_owned(), code.to_owned());
    let expect = [told("a__two", "not-active"), told("b__one", "not-active-hidden"), told("c__none", "not-active-unknown")];
    assert_eq!(codes.collect::<Vec<_>>()[..3], expect);
}

#[tokio::test]
async fn attack_1_a_call_without_activation_touches_no_upstream() {
    let world = world().await;
    let cell = world.open().await;
    assert_eq!(code(&world.call(&cell, "a__one").await), "not-active");
    assert_eq!((world.host.reserved.load(Ordering::SeqCst), world.host.sent()), (0, 0));
    assert!(world.ledger.kinds(&cell.stream()).contains(&"refused".to_owned()));
}

#[tokio::test]
async fn attack_70_asking_starts_no_server() {
    let world = world().await;
    let cell = world.open().await;
    for name in ["a__one", "b__two", "x__y"] {
        world.call(&cell, name).await;
        world.ask(&cell, "call_tool", json!({"id": "mcp:a/one", "arguments": {}})).await;
        world.ask(&cell, "search_tools", json!({"query": name})).await;
    }
    assert_eq!(world.host.reserved.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn gate_3_call_tool_is_the_same_gate() {
    let world = World::new(json!({"activation": "prompt"})).await;
    let cell = world.open().await;
    let call = |id: &str| json!({"id": id, "arguments": {"n": 1}});
    assert_eq!(code(&world.ask(&cell, "call_tool", call("mcp:a/one")).await), "not-active");
    assert!(world.desk.waiting().is_empty());
    world.granted(&cell, &["mcp:a/one"]).await;
    assert_eq!(code(&world.ask(&cell, "call_tool", call("mcp:a/one")).await), "ran");
    assert_eq!(code(&world.ask(&cell, "call_tool", json!({"id": "mcp:a/one", "arguments": {"n": "x"}})).await), "schema");
}

#[tokio::test]
async fn attack_4_builtins_are_not_catalog_ids() {
    let world = world().await;
    let cell = world.open().await;
    for id in ["call_tool", "activate_tools", "builtin:search_tools"] {
        assert_eq!(code(&world.ask(&cell, "call_tool", json!({"id": id, "arguments": {}})).await), "builtin");
    }
    assert_eq!(code(&world.activate(&cell, &["builtin:activate_tools"]).await), "unknown-ids");
}

#[tokio::test]
async fn gate_6_a_revoke_between_admit_and_permit_gives_the_count_back() {
    let world = World::new(json!({"activation": "auto", "rules": [{"decision": "auto", "max_calls": 1}]})).await;
    let cell = world.open().await;
    world.granted(&cell, &["mcp:a/one", "mcp:a/two"]).await;
    let calls = world.front.calls();
    let admission = calls.admit(&cell, Target::Wire("a__one", Listing::Held), Map::new()).await.unwrap();
    let scope = agent_engine::revocation::Scope::Grant(cell.asker().session, id("mcp:a/one"));
    world.desk.revoke(&scope, "operator", false).await;
    assert_eq!(calls.start(&cell, admission).await.unwrap_err().code(), "revoked");
    assert_eq!(world.host.sent(), 0);
    let admission = calls.admit(&cell, Target::Wire("a__two", Listing::Held), Map::new()).await.unwrap();
    world.desk.stop("operator").await;
    assert_eq!(calls.start(&cell, admission).await.unwrap_err().code(), "stopped");
    world.desk.resume("operator").await.unwrap();
    assert_eq!(code(&world.call(&cell, "a__two").await), "ran");
    assert!(cell.state().running.is_empty());
}

#[tokio::test]
async fn attack_69_a_revoke_while_a_call_waits_for_its_server() {
    let world = Arc::new(world().await);
    let cell = world.open().await;
    world.granted(&cell, &["mcp:a/one"]).await;
    world.host.hold(true);
    let (other, session) = (world.clone(), cell.clone());
    let call = tokio::spawn(async move { code(&other.call(&session, "a__one").await) });
    while world.host.reserved.load(Ordering::SeqCst) == 0 {
        tokio::task::yield_now().await;
    }
    let scope = agent_engine::revocation::Scope::Grant(cell.asker().session, id("mcp:a/one"));
    world.desk.revoke(&scope, "operator", false).await;
    world.host.release(true);
    assert_eq!(call.await.unwrap(), "revoked");
    assert_eq!(world.host.sent(), 0);
}

#[tokio::test]
async fn i_8_a_start_that_cannot_be_recorded_does_not_happen() {
    let world = world().await;
    let cell = world.open().await;
    world.granted(&cell, &["mcp:a/one"]).await;
    world.ledger.fail(Fault::Refuse);
    assert_eq!(code(&world.call(&cell, "a__one").await), "not-recorded");
    for fault in [Fault::Lost, Fault::Written] {
        world.ledger.fail(fault);
        assert_eq!(code(&world.call(&cell, "a__one").await), "record-unknown");
    }
    assert_eq!(world.host.sent(), 0);
    assert_eq!(code(&world.call(&cell, "a__one").await), "ran");
    assert!(cell.state().running.is_empty());
}

#[tokio::test]
async fn i_10_a_call_whose_caller_is_gone_is_ended() {
    let world = Arc::new(world().await);
    let cell = world.open().await;
    world.granted(&cell, &["mcp:a/one"]).await;
    world.host.hold(false);
    let (other, session) = (world.clone(), cell.clone());
    let call = tokio::spawn(async move { code(&other.call(&session, "a__one").await) });
    while world.host.sent() == 0 {
        tokio::task::yield_now().await;
    }
    assert_eq!(cell.state().running.len(), 1);
    call.abort();
    call.await.unwrap_err();
    assert!(cell.state().running.is_empty() && cell.running().is_empty());
    let ended = |record: &agent_core::transition::Record| match &record.what {
        Transition::Ended { end, .. } => Some(*end),
        _ => None,
    };
    assert_eq!(world.ledger.records().iter().rev().find_map(ended), Some(agent_core::outcome::End::OutcomeUnknown));
}

#[tokio::test]
async fn i_3_a_definition_that_moved_at_the_server_is_not_run() {
    let world = world().await;
    let cell = world.open().await;
    world.granted(&cell, &["mcp:a/one"]).await;
    *world.host.live.lock() = Some(Digest::of(Domain::Definition, b"another"));
    assert_eq!(code(&world.call(&cell, "a__one").await), "drifted");
    assert_eq!(world.host.sent(), 0);
}

#[tokio::test]
async fn attack_40_a_rug_pull_suspends_until_it_is_accepted() {
    let mut world = world().await;
    let cell = world.open().await;
    world.granted(&cell, &["mcp:a/one"]).await;
    world.relist(&[("one", 2)]).await;
    assert_eq!(code(&world.call(&cell, "a__one").await), "drifted");
    assert!(world.listed(&cell).is_empty());
    assert!(world.ledger.kinds(&cell.stream()).contains(&"suspended".to_owned()));
    assert_eq!(world.host.sent(), 0);
}

#[tokio::test]
async fn up_4_only_what_did_not_happen_is_tried_again() {
    let cases = [
        (Outcome::Unreachable("down".into()), 2),
        (Outcome::Refused("busy".into()), 1),
        (Outcome::TimedOut("slow".into()), 1),
        (Outcome::Lost("gone".into()), 1),
        (Outcome::Malformed("odd".into()), 1),
    ];
    for (outcome, sent) in cases {
        let world = world().await;
        let cell = world.open().await;
        world.granted(&cell, &["mcp:a/one"]).await;
        world.host.outcomes.lock().push_back(outcome.clone());
        let reply = world.call(&cell, "a__one").await;
        assert_eq!(world.host.sent(), sent, "{outcome:?}");
        let Reply::Ran(ran) = reply else { panic!("{outcome:?}") };
        assert_eq!(matches!(ran.outcome, Outcome::Ok(_)), sent == 2, "{outcome:?}");
    }
}

#[tokio::test]
async fn up_4_a_refused_retry_does_not_hide_what_is_known_of_the_first() {
    let mut world = World::new(json!({"activation": "auto", "rules": [{"decision": "auto", "max_calls": 1}]})).await;
    let cell = world.open().await;
    world.repeatable().await;
    world.granted(&cell, &["mcp:a/one"]).await;
    world.host.outcomes.lock().push_back(Outcome::TimedOut("slow".into()));
    let Reply::Ran(ran) = world.call(&cell, "a__one").await else { panic!("it had started") };
    assert!(matches!(ran.outcome, Outcome::TimedOut(_)));
    assert_eq!(world.host.sent(), 1);
}

#[tokio::test]
async fn up_4_structured_content_that_contradicts_its_schema_is_malformed() {
    let world = world().await;
    let mut typed = crate::world::source("t", &[]);
    let output = json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]});
    typed.definitions = vec![json!({"name": "one", "inputSchema": {}, "outputSchema": output}).to_string()];
    world.desk.publish(agent_engine::catalog::assemble(&[typed])).await;
    let cell = world.open().await;
    world.granted(&cell, &["mcp:t/one"]).await;
    for (structured, good) in [(Some(json!({"n": 1})), true), (Some(json!({"n": "x"})), false), (None, true)] {
        let result = agent_core::outcome::ToolResult { content: Vec::new(), structured: structured.clone() };
        world.host.outcomes.lock().push_back(Outcome::Ok(result));
        let Reply::Ran(ran) = world.call(&cell, "t__one").await else { panic!("it runs") };
        assert_eq!(matches!(ran.outcome, Outcome::Ok(_)), good, "{structured:?}");
        assert_eq!(matches!(ran.outcome, Outcome::Malformed(_)), !good, "{structured:?}");
    }
}

#[tokio::test]
async fn up_3_one_route_a_server_and_none_is_unreachable() {
    let alias = |text: &str| agent_core::id::Alias::parse(text).unwrap();
    let host: Arc<dyn ToolHost> = Arc::new(crate::world::TestHost::default());
    let mut router = Router::default();
    router.add(&[alias("a"), alias("b")], host.clone()).unwrap();
    assert_eq!(router.add(&[alias("c"), alias("b")], host).unwrap_err().0, alias("b"));
    let world = world().await;
    let asker = world.open().await.asker().clone();
    assert!(router.reserve(&asker, &id("mcp:a/one")).await.is_ok());
    for lost in ["mcp:c/one", "mcp:x/one"] {
        assert!(matches!(router.reserve(&asker, &id(lost)).await, Err(Outcome::Unreachable(_))), "{lost}");
    }
}

struct NoOnes;

impl agent_engine::gate::Guard for NoOnes {
    fn check(
        &self,
        _: &agent_core::session::Asker,
        tool: &agent_core::session::Bound,
        arguments: &Map<String, serde_json::Value>,
    ) -> Result<(), String> {
        if arguments.get("n") == Some(&json!(1)) { Err(format!("{} never takes one", tool.id)) } else { Ok(()) }
    }
}

#[tokio::test]
async fn gate_5_a_hosts_guard_refuses_in_code() {
    use agent_engine::testing::{ManualClock, SeededEntropy};
    let host = Arc::new(crate::world::TestHost::default());
    let ledger = Arc::new(crate::world::FaultyLedger::default());
    let clock = Arc::new(ManualClock::default());
    let mut parts = agent_engine::engine::Parts::new(ledger, host.clone(), clock, Arc::new(SeededEntropy::new(1)));
    parts.policy = serde_json::from_str(AUTO).unwrap();
    parts.guards = vec![Arc::new(NoOnes)];
    let (front, desk) = agent_engine::engine::build(parts).await.unwrap();
    desk.publish(agent_engine::catalog::assemble(&[crate::world::source("a", &[("one", 1)])])).await;
    let cell = front.open(agent_core::session::PrincipalId::parse("ada").unwrap(), None, false).await.unwrap().session;
    front.call(&cell, "activate_tools", crate::world::object(json!({"tools": ["mcp:a/one"]}))).await;
    let mut codes = Vec::new();
    for n in [1, 2] {
        codes.push(code(&front.call(&cell, "a__one", crate::world::object(json!({"n": n}))).await));
    }
    assert_eq!((codes, host.sent()), (vec!["guard", "ran"], 1));
}
