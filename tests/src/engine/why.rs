//! The gate's explanation says what the gate does, whatever happened before.

use crate::counts;
use crate::world::{World, code, id};
use agent_core::limits::GRANT_MS;
use agent_core::refusal::Refusal;
use agent_core::request::Decision;
use agent_core::session::Listing;
use agent_engine::builtins::Reply;
use agent_engine::gate::Condition;
use agent_engine::revocation::Scope;
use agent_engine::session::Cell;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::json;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::Arc;

const TOOLS: [&str; 4] = ["mcp:a/one", "mcp:a/two", "mcp:b/one", "mcp:c/none"];

#[tokio::test]
async fn gate_1_an_explanation_names_each_condition_with_its_value() {
    let mut world = World::new(json!({"activation": "deny", "rules": [{"server": "b", "decision": "hide"}, {"tools": ["mcp:a/*"], "decision": "auto", "max_calls": 1}]})).await;
    let cell = world.open().await;
    world.granted(&cell, &["mcp:a/one"]).await;
    let why = |world: &World, tool: &str| world.desk.why(cell.asker().session, &id(tool)).unwrap();
    let fails = |why: &agent_engine::gate::Explanation| {
        why.conditions.iter().filter(|(_, holds)| *holds == Some(false)).map(|(condition, _)| *condition).collect::<Vec<_>>()
    };
    let one = why(&world, "mcp:a/one");
    assert!(one.refusal.is_none() && fails(&one).is_empty() && one.conditions.len() == Condition::ALL.len());
    assert_eq!((one.facts.rule, one.facts.live, one.facts.pinned), (Some(1), one.facts.pinned, one.facts.live));
    assert_eq!(one.facts.held.as_ref().unwrap().grant.bound.digest, one.facts.live.unwrap());

    assert_eq!(code(&world.call(&cell, "a__one").await), "ran");
    let spent = why(&world, "mcp:a/one");
    assert!(matches!(spent.refusal, Some(Refusal::CallsSpent(_))) && fails(&spent) == [Condition::CallsLeft]);
    let never = why(&world, "mcp:b/one");
    assert_eq!((fails(&never), never.facts.rule), (vec![Condition::Granted, Condition::Allowed], Some(0)));
    assert!(matches!(never.refusal, Some(Refusal::NotActive { .. })));
    world.relist(&[("one", 2)]).await;
    world.desk.stop("operator").await;
    let moved = why(&world, "mcp:a/one");
    assert_eq!(
        fails(&moved)[..],
        [Condition::NotStopped, Condition::AsGranted, Condition::AsPinned, Condition::NotSuspended, Condition::CallsLeft]
    );
    assert_eq!(moved.refusal, moved.by_name);
    assert!(world.desk.why(agent_core::session::SessionId::new(9), &id("mcp:a/one")).is_none());
}

#[tokio::test]
async fn gate_1_a_name_that_is_not_listed_is_a_condition_too() {
    let mut world = World::new(json!({"activation": "auto"})).await;
    let cell = world.open().await;
    let why = |world: &World| world.desk.why(cell.asker().session, &id("mcp:a/one")).unwrap();
    let listed = |why: &agent_engine::gate::Explanation| why.conditions[0];
    assert_eq!((listed(&why(&world)), why(&world).facts.listing), ((Condition::Listed, None), None));
    world.granted(&cell, &["mcp:a/one"]).await;
    let held = why(&world);
    assert_eq!((listed(&held), held.refusal, held.by_name), ((Condition::Listed, Some(true)), None, None));
    world.list(Listing::Builtins);
    assert_eq!(code(&world.call(&cell, "a__one").await), "not-listed");
    let stable = why(&world);
    assert_eq!((listed(&stable), stable.facts.listing), ((Condition::Listed, Some(false)), Some(Listing::Builtins)));
    assert_eq!((stable.refusal, stable.by_name), (None, Some(Refusal::NotListed)));
    assert_eq!(code(&world.ask(&cell, "call_tool", json!({"id": "mcp:a/one", "arguments": {}})).await), "ran");
    world.desk.stop("operator").await;
    let stopped = why(&world);
    assert_eq!(
        (stopped.refusal, stopped.by_name),
        (Some(Refusal::Stopped), Some(Refusal::NotListed)),
        "a name that is nobody's, whatever else"
    );
}

/// One thing that happens; `tool` and `number` choose of what.
async fn happens(world: &mut World, cell: &Arc<Cell>, what: u8, tool: &str, number: u32) {
    let verdict = ["deny", "hide", "prompt"][number as usize % 3];
    match what {
        0 | 1 => {
            if let Reply::Waiting(asked) = world.activate(cell, &[tool]).await {
                world.decide(&asked, if number == 0 { Decision::Deny } else { Decision::Approve }).await;
            }
        }
        2 => drop(world.desk.revoke(&Scope::Grant(cell.asker().session, id(tool)), "operator", false).await),
        3 => drop(world.desk.stop("operator").await),
        4 => world.desk.resume("operator").await.unwrap(),
        5 => world.relist(&[("one", number), ("two", 1)][..2 * usize::from(number > 0)]).await,
        6 => world.enforce(json!({"activation": "auto", "rules": [{"tools": [tool], "decision": verdict}]})).await,
        7 => world.enforce(json!({"activation": "prompt", "rules": [{"decision": "auto", "max_calls": number + 1}]})).await,
        8 => world.clock.advance(u64::from(number) * GRANT_MS / 2),
        9 => drop(world.ask(cell, "deactivate_tools", json!({"tools": [tool]})).await),
        10 => world.list(if number == 0 { Listing::Builtins } else { Listing::Held }),
        11 => world.enforce(json!({"activation": "auto", "rules": [{"tools": [tool], "decision": "prompt", "strength": "strong"}]})).await,
        _ => drop(world.desk.accept(world.desk.catalog().get(TOOLS[0]).map(|tool| tool.bound()).into_iter().collect()).await),
    }
}

/// What a call by id and by name is told and what the explanation says are the same.
async fn agree(world: &World, cell: &Arc<Cell>, reached: &mut BTreeSet<&'static str>) {
    // Whichever list the client has by now, it is served.
    world.ask(cell, "tool_details", json!({"id": TOOLS[0]})).await;
    for (tool, by_name) in TOOLS.into_iter().flat_map(|tool| [(tool, false), (tool, true)]) {
        let why = world.desk.why(cell.asker().session, &id(tool)).unwrap();
        let asked = |(condition, _): &&(Condition, Option<bool>)| by_name || *condition != Condition::Listed;
        let fails = why.conditions.iter().filter(asked).any(|(_, holds)| *holds == Some(false));
        let refusal = if by_name { &why.by_name } else { &why.refusal };
        assert_eq!(fails, refusal.is_some(), "{tool}: {why:?}");
        let told = match by_name {
            true => world.call(cell, id(tool).wire().as_str()).await,
            false => world.ask(cell, "call_tool", json!({"id": tool, "arguments": {}})).await,
        };
        assert_eq!(refusal.as_ref().map_or("ran", Refusal::code), code(&told), "{tool}: {why:?}");
        reached.insert(code(&told));
    }
}

#[test]
fn gate_1_the_explanation_and_the_gate_agree() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let reached = RefCell::new(BTreeSet::new());
    let steps = proptest::collection::vec((0u8..14, 0usize..4, 0u32..3), 1..32);
    let config = Config { cases: counts::explanations(), failure_persistence: None, ..Config::default() };
    let played = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha)).run(&steps, |steps| {
        runtime.block_on(async {
            let mut world = World::new(json!({"activation": "auto"})).await;
            let (cell, mut told) = (world.open().await, BTreeSet::new());
            for (what, tool, number) in steps {
                happens(&mut world, &cell, what, TOOLS[tool], number).await;
                agree(&world, &cell, &mut told).await;
            }
            reached.borrow_mut().extend(told);
        });
        Ok(())
    });
    played.unwrap();
    // Agreement says something only of what was reached.
    let expect = [
        "away",
        "calls-spent",
        "deactivated",
        "drifted",
        "expired",
        "not-active",
        "not-listed",
        "ran",
        "replaced",
        "revoked",
        "stopped",
        "suspended-by-policy",
        "suspended-by-strength",
    ];
    let reached = reached.into_inner();
    assert!(expect.iter().all(|code| reached.contains(code)), "{reached:?}");
}
