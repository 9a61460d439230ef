//! ACT: what a batch is, how long a grant lasts, what a change of the catalog does to it.

use crate::world::{World, body, code, id, object, question};
use agent_core::limits::{ACTIVE_MAX, GRANT_MS};
use agent_core::request::Decision;
use agent_core::session::Listing;
use agent_core::time::Instant;
use agent_engine::catalog::assemble;
use agent_engine::policy::{Policy, Verdict};
use agent_engine::projection::Terms;
use serde_json::json;

#[tokio::test]
async fn act_1_bad_requests_are_refused_whole() {
    let world = World::new(json!({"activation": "auto"})).await;
    let cell = world.open().await;
    let many: Vec<_> = (0..17).map(|at| format!("mcp:a/t{at}")).collect();
    for (arguments, expect) in [
        (json!({"tools": []}), "arguments"),
        (json!({"tools": many}), "arguments"),
        (json!({"tools": "mcp:a/one"}), "arguments"),
        (json!({"tools": [["mcp:a/one"]]}), "arguments"),
        (json!({"tools": ["mcp:a/one"], "approved": true}), "arguments"),
        (json!({}), "arguments"),
        (json!({"tools": ["mcp:a/one", "mcp:a/*"]}), "unknown-ids"),
        (json!({"tools": ["mcp:a/one", "mcp:a"]}), "unknown-ids"),
        (json!({"tools": ["mcp:a/one", ""]}), "unknown-ids"),
        (json!({"tools": ["mcp:a/ONE"]}), "unknown-ids"),
        (json!({"tools": [" mcp:a/one"]}), "unknown-ids"),
        (json!({"tools": ["a__one"]}), "unknown-ids"),
        (json!({"tools": ["builtin:activate_tools"]}), "unknown-ids"),
        (json!({"tools": ["x".repeat(1 << 20)]}), "unknown-ids"),
    ] {
        assert_eq!(code(&world.ask(&cell, "activate_tools", arguments.clone()).await), expect, "{arguments}");
    }
    assert!(world.listed(&cell).is_empty() && cell.state().set == 0);
    let said = body(&world.activate(&cell, &["mcp:a/nine"]).await).to_string();
    assert!(said.contains("Nothing was activated") && said.contains("search_tools"), "{said}");
}

#[tokio::test]
async fn up_1_prewarm_is_told_once_of_what_a_model_activated() {
    let rules = json!([{"tools": ["mcp:a/*"], "decision": "auto"}]);
    let world = World::new(json!({"activation": "prompt", "profiles": {"p": {"presets": ["mcp:a/three"]}}, "rules": rules})).await;
    let told = || std::mem::take(&mut *world.host.activated.lock());
    let cell = world.open_as("ada", Some("p")).await;
    assert_eq!((world.listed(&cell), told()), (vec!["a__three".to_owned()], vec![]), "not of presets");
    let session = cell.asker().session;
    world.granted(&cell, &["mcp:a/two", "mcp:a/one", "mcp:a/two"]).await;
    assert_eq!(told(), [(session, vec![id("mcp:a/two"), id("mcp:a/one")])]);
    let question = question(world.activate(&cell, &["mcp:a/one", "mcp:b/one"]).await);
    assert_eq!(told(), []);
    world.decide(&question, Decision::Approve).await;
    let waited = [(); 2].map(|()| world.front.wait(&cell, &question, std::time::Duration::from_secs(1)));
    for waited in waited {
        assert_eq!(code(&waited.await), "done");
    }
    assert_eq!(told(), [(session, vec![id("mcp:b/one")])], "once, however many wait");
    world.activate(&cell, &["mcp:c/none"]).await;
    world.decide(&crate::world::question(world.activate(&cell, &["mcp:b/two"]).await), Decision::Deny).await;
    assert_eq!(told(), [], "not of what was refused");
}

#[tokio::test]
async fn attack_16_over_asking_is_an_input_error() {
    let world = World::new(json!({"activation": "auto"})).await;
    let cell = world.open().await;
    let flood: Vec<_> = (0..10_000).map(|at| format!("mcp:a/{at}")).collect();
    assert_eq!(code(&world.ask(&cell, "activate_tools", json!({"tools": flood})).await), "arguments");
    assert_eq!(code(&world.activate(&cell, &["a__*"]).await), "unknown-ids");
}

#[tokio::test]
async fn act_2_a_batch_is_one_advance_or_none() {
    let world = World::new(json!({"activation": "auto"})).await;
    let cell = world.open().await;
    let first = body(&world.activate(&cell, &["mcp:b/two", "mcp:a/one", "mcp:b/two"]).await);
    assert_eq!((&first["set"], &first["added"]), (&json!(1), &json!(2)));
    let again = body(&world.activate(&cell, &["mcp:a/one"]).await);
    assert_eq!((&again["set"], &again["added"]), (&json!(1), &json!(0)));
    let mixed = body(&world.activate(&cell, &["mcp:a/one", "mcp:a/two"]).await);
    assert_eq!((&mixed["set"], &mixed["added"]), (&json!(2), &json!(1)));
    assert_eq!(world.listed(&cell), ["b__two", "a__one", "a__two"]);
}

#[tokio::test]
async fn i_2_a_batch_with_one_bad_id_adds_nothing() {
    let world = World::new(json!({"activation": "auto", "rules": [{"tools": ["mcp:b/*"], "decision": "deny"}]})).await;
    let cell = world.open().await;
    assert_eq!(code(&world.activate(&cell, &["mcp:a/one", "mcp:b/two"]).await), "denied-by-policy");
    assert!(world.listed(&cell).is_empty() && cell.state().set == 0);
}

#[tokio::test]
async fn act_2_the_cap_counts_all_but_presets() {
    let policy = json!({"activation": "auto", "profiles": {"p": {"presets": ["mcp:b/one"]}}});
    let mut world = World::new(policy).await;
    let names: Vec<_> = (0..=ACTIVE_MAX).map(|at| format!("t{at}")).collect();
    let tools: Vec<_> = names.iter().map(|name| (name.as_str(), 1)).collect();
    world.relist(&tools).await;
    let cell = world.open_as("ada", Some("p")).await;
    let ids: Vec<_> = names.iter().map(|name| format!("mcp:a/{name}")).collect();
    for batch in ids[..ACTIVE_MAX].chunks(8) {
        let batch: Vec<_> = batch.iter().map(String::as_str).collect();
        assert_eq!(code(&world.activate(&cell, &batch).await), "done");
    }
    assert_eq!(code(&world.activate(&cell, &[&ids[ACTIVE_MAX]]).await), "too-many-active");
    assert_eq!(world.listed(&cell).len(), ACTIVE_MAX + 1);
}

#[tokio::test]
async fn i_10_attack_68_a_dropped_caller_changes_nothing_of_a_commit() {
    let world = World::new(json!({"activation": "auto"})).await;
    for polls in 0..6 {
        let cell = world.open().await;
        let ids = ["mcp:a/one"];
        let asking = world.activate(&cell, &ids);
        let (asking, done) = futures_poll(asking, polls).await;
        assert!(polls > 1 || !done, "there is something to drop");
        drop(asking);
        for _ in 0..50 {
            tokio::task::yield_now().await;
        }
        let granted = world.ledger.kinds(&cell.stream()).iter().filter(|kind| *kind == "granted").count();
        assert_eq!((granted, granted), (cell.state().set as usize, world.listed(&cell).len()), "after {polls} polls");
        assert_eq!(granted, usize::from(polls > 0), "what was begun runs to its end, after {polls} polls");
        assert_eq!(code(&world.activate(&cell, &ids).await), "done");
    }
}

/// Polls a future so often, then hands it back, and whether it is done.
async fn futures_poll<F: Future>(future: F, polls: usize) -> (std::pin::Pin<Box<F>>, bool) {
    let mut future = Box::pin(future);
    for _ in 0..polls {
        let once = std::future::poll_fn(|context| std::task::Poll::Ready(future.as_mut().poll(context).is_ready()));
        if once.await {
            return (future, true);
        }
        tokio::task::yield_now().await;
    }
    (future, false)
}

#[tokio::test]
async fn act_3_the_answer_names_ids_names_and_schemas() {
    let world = World::new(json!({"activation": "auto"})).await;
    let cell = world.open().await;
    let answer = body(&world.activate(&cell, &["mcp:b/two", "mcp:a/one"]).await);
    assert_eq!(answer["active"], json!(["mcp:a/one", "mcp:b/two"]));
    assert_eq!(answer["tools"][0]["name"], "a__one");
    assert_eq!(answer["tools"][0]["input_schema"]["properties"]["n"]["type"], "integer");
}

#[tokio::test]
async fn act_4_a_grant_ends_by_the_earlier_clock_and_after_a_step_back() {
    let mut world = World::new(json!({"activation": "auto"})).await;
    let cell = world.open().await;
    world.granted(&cell, &["mcp:a/one"]).await;
    world.clock.advance(GRANT_MS - 1);
    assert_eq!(code(&world.call(&cell, "a__one").await), "ran");
    world.clock.advance(1);
    assert!(world.listed(&cell).is_empty());
    assert_eq!(code(&world.call(&cell, "a__one").await), "expired");
    world.granted(&cell, &["mcp:a/one"]).await;
    world.clock.set(Instant { wall: 1_000, boot: 5, boot_id: 2 });
    world.restart().await;
    let cell = world.again(&cell);
    assert_eq!(code(&world.call(&cell, "a__one").await), "expired");
}

#[tokio::test]
async fn act_4_a_clock_set_back_over_a_reboot_is_known_before_anything_is_recorded() {
    let policy = json!({"activation": "prompt", "rules": [{"tools": ["mcp:a/one"], "decision": "auto"}]});
    let mut world = World::new(policy).await;
    let cell = world.open().await;
    world.granted(&cell, &["mcp:a/one"]).await;
    world.clock.advance(11 * 3600 * 1000);
    // Withdrawn by the restart, which records it at the earlier instant.
    assert_eq!(code(&world.activate(&cell, &["mcp:a/two"]).await), "waiting");
    world.clock.set(Instant { wall: 1_000, boot: 5, boot_id: 2 });
    world.restart().await;
    let cell = world.again(&cell);
    assert_eq!(code(&world.call(&cell, "a__one").await), "expired");
}

#[tokio::test]
async fn act_4_calls_are_counted() {
    let world = World::new(json!({"activation": "auto", "rules": [{"decision": "auto", "max_calls": 2}]})).await;
    let cell = world.open().await;
    world.granted(&cell, &["mcp:a/one"]).await;
    let codes = [world.call(&cell, "a__one").await, world.call(&cell, "a__one").await, world.call(&cell, "a__one").await];
    assert_eq!(codes.each_ref().map(code), ["ran", "ran", "calls-spent"]);
    let again = body(&world.activate(&cell, &["mcp:a/one"]).await);
    assert_eq!(again["added"], 1);
    assert_eq!(code(&world.call(&cell, "a__one").await), "ran");
}

#[tokio::test]
async fn act_5_a_set_outlives_a_restart_and_a_changed_catalog() {
    let mut world = World::new(json!({"activation": "auto"})).await;
    let cell = world.open().await;
    world.granted(&cell, &["mcp:a/one", "mcp:b/two"]).await;
    world.restart().await;
    let cell = world.again(&cell);
    assert_eq!(world.listed(&cell), ["a__one", "b__two"]);
    assert_eq!(world.front.carried_state(&cell), [id("mcp:a/one"), id("mcp:b/two")]);
    world.relist(&[("two", 1)]).await;
    assert_eq!(world.listed(&cell), ["b__two"]);
    assert_eq!(code(&world.call(&cell, "a__one").await), "away");
    world.relist(&[("one", 2)]).await;
    assert_eq!(code(&world.call(&cell, "a__one").await), "drifted");
    world.relist(&[("one", 1)]).await;
    assert_eq!(code(&world.call(&cell, "a__one").await), "ran");
    assert_eq!(world.listed(&cell), ["a__one", "b__two"]);
}

#[tokio::test]
async fn act_6_the_list_is_what_the_gate_admits_and_keeps_its_order() {
    let world = World::new(json!({"activation": "auto", "profiles": {"p": {"presets": ["mcp:b/three"]}}})).await;
    let cell = world.open_as("ada", Some("p")).await;
    world.granted(&cell, &["mcp:b/one"]).await;
    world.granted(&cell, &["mcp:a/two"]).await;
    world.granted(&cell, &["mcp:a/one"]).await;
    let before = world.front.surface(&cell);
    assert_eq!(world.listed(&cell), ["b__three", "b__one", "a__two", "a__one"]);
    world.ask(&cell, "deactivate_tools", json!({"tools": ["mcp:a/two"]})).await;
    let after = world.front.surface(&cell);
    assert_eq!(after.tools[..2], before.tools[..2]);
    assert_eq!(after.tools[2], before.tools[3]);
    for name in ["b__three", "b__one", "a__two", "a__one", "a__three"] {
        let listed = world.listed(&cell).iter().any(|listed| listed == name);
        assert_eq!(listed, code(&world.call(&cell, name).await) == "ran", "{name}");
    }
}

#[tokio::test]
async fn act_6_where_only_builtins_are_listed_only_they_are_called_by_name() {
    let world = World::new(json!({"activation": "auto"})).await;
    let cell = world.open().await;
    let stable = world.front.under(Terms { listing: Listing::Builtins, ..Terms::default() });
    let before = stable.surface(&cell);
    let granted = stable.call(&cell, "activate_tools", object(json!({"tools": ["mcp:a/one"]}))).await;
    assert_eq!(body(&granted)["how"], "call_tool with the id");
    assert_eq!(stable.surface(&cell), before);
    assert!(before.tools.is_empty() && before.builtins != world.front.surface(&cell).builtins);
    let mut said = Vec::new();
    for name in ["a__one", "a__two", "nothing"] {
        let refused = stable.call(&cell, name, object(json!({}))).await;
        assert_eq!(code(&refused), "not-listed", "{name}");
        said.push(body(&refused));
    }
    assert!(said.iter().all(|text| *text == said[0]), "{said:?}");
    let by_id = |id: &str| stable.call(&cell, "call_tool", object(json!({"id": id, "arguments": {}})));
    assert_eq!(code(&by_id("mcp:a/one").await), "ran");
    assert!(body(&by_id("mcp:a/two").await).as_str().unwrap().ends_with("Callable now: mcp:a/one."));
    assert_eq!(code(&world.call(&cell, "a__one").await), "ran", "the other face of the same session");
}

#[tokio::test]
async fn act_7_giving_up_needs_no_authority() {
    let mut world = World::new(json!({"activation": "auto"})).await;
    let cell = world.open().await;
    world.granted(&cell, &["mcp:a/one", "mcp:a/two"]).await;
    world.enforce(json!({"activation": "deny"})).await;
    let given = body(&world.ask(&cell, "deactivate_tools", json!({"tools": ["mcp:a/one", "mcp:b/one"]})).await);
    assert_eq!(given["deactivated"], json!(["mcp:a/one"]));
    assert_eq!(code(&world.call(&cell, "a__one").await), "deactivated");
}

#[tokio::test]
async fn act_9_presets_are_batches_of_their_own_below_deny_and_the_ceiling() {
    let policy = json!({
        "activation": "prompt",
        "rules": [{"tools": ["mcp:b/one"], "decision": "deny"}, {"tools": ["mcp:b/two"], "decision": "hide"}],
        "profiles": {"p": {"tools": ["mcp:*"], "presets": ["mcp:a/one", "mcp:b/one", "mcp:b/two", "mcp:c/none", "mcp:a/two"]}},
    });
    let world = World::new(policy).await;
    let profile = Some(agent_core::session::ProfileId::parse("p").unwrap());
    let opened = world.front.open(agent_core::session::PrincipalId::parse("ada").unwrap(), profile, false).await.unwrap();
    let refused: Vec<_> = opened.refused.iter().map(|(id, refusal)| (id.as_str(), refusal.code())).collect();
    assert_eq!(refused, [("mcp:b/one", "denied-by-policy"), ("mcp:b/two", "unknown-ids"), ("mcp:c/none", "unknown-ids")]);
    assert_eq!(world.listed(&opened.session), ["a__one", "a__two"]);
    assert_eq!(opened.session.state().set, 2);
    world.clock.advance(GRANT_MS * 3);
    assert_eq!(code(&world.call(&opened.session, "a__one").await), "ran");
}

#[tokio::test]
async fn act_9_presets_by_rule_are_what_a_rule_says_auto_of() {
    let policy = json!({
        "activation": "prompt",
        "rules": [
            {"tools": ["mcp:a/two"], "decision": "deny"},
            {"tools": ["mcp:b/one"], "decision": "auto", "new": "prompt"},
            {"tools": ["mcp:a/*", "mcp:b/two"], "decision": "auto", "max_calls": 2},
        ],
    });
    let world = World::new(policy).await;
    let cell = world.open().await;
    assert_eq!(world.front.preset_by_rule(&cell).await, []);
    assert_eq!(world.listed(&cell), ["a__one", "a__three", "b__two"]);
    let state = cell.state();
    assert!(state.waiting.is_none() && state.active.iter().all(|held| held.grant.preset && held.grant.max_calls == Some(2)));
    assert_eq!(world.front.preset_by_rule(&cell).await, [], "again, it changes nothing");
    assert_eq!(cell.state().set, state.set);
}

#[tokio::test]
async fn act_9_presets_by_rule_stop_at_the_cap() {
    let mut world = World::new(json!({"activation": "auto", "profiles": {"p": {"presets": ["mcp:b/three"]}}})).await;
    let many: Vec<_> = (0..ACTIVE_MAX + 3).map(|at| format!("t{at:02}")).collect();
    world.relist(&many.iter().map(|name| (name.as_str(), 1)).collect::<Vec<_>>()).await;
    let cell = world.open_as("ada", Some("p")).await;
    let left = world.front.preset_by_rule(&cell).await;
    assert_eq!(cell.state().active.len(), ACTIVE_MAX);
    let left: Vec<_> = left.iter().map(|id| id.as_str()).collect();
    assert_eq!(left, ["mcp:a/t39", "mcp:a/t40", "mcp:a/t41", "mcp:a/t42", "mcp:b/one", "mcp:b/two"], "in the order of ids");
    assert_eq!(code(&world.activate(&cell, &["mcp:a/t39"]).await), "done", "and can be asked for");
}

#[tokio::test]
async fn act_9_presets_by_rule_stand_below_a_no() {
    let mut world = World::new(json!({"activation": "prompt"})).await;
    let first = world.open().await;
    let question = question(world.activate(&first, &["mcp:a/one"]).await);
    world.decide(&question, Decision::Deny).await;
    world.enforce(json!({"activation": "auto", "rules": [{"tools": ["mcp:b/*"], "decision": "prompt"}]})).await;
    let cell = world.open().await;
    assert_eq!(world.front.preset_by_rule(&cell).await, []);
    assert_eq!(world.listed(&cell), ["a__three", "a__two"]);
}

#[tokio::test]
async fn cat_8_a_drifted_tool_is_not_there_until_it_is_accepted() {
    let mut world = World::new(json!({"activation": "auto"})).await;
    let cell = world.open().await;
    world.granted(&cell, &["mcp:a/one"]).await;
    world.relist(&[("one", 2), ("two", 1)]).await;
    assert_eq!(code(&world.activate(&cell, &["mcp:a/one"]).await), "unknown-ids");
    let found = body(&world.ask(&cell, "search_tools", json!({"query": "mcp:a/one"})).await);
    assert!(!found.to_string().contains("mcp:a/one"), "{found}");
    let bound = world.desk.catalog().get("mcp:a/one").unwrap().bound();
    world.desk.accept(vec![bound]).await.unwrap();
    assert_eq!(code(&world.call(&cell, "a__one").await), "replaced");
    assert_eq!(code(&world.activate(&cell, &["mcp:a/one"]).await), "done");
    world.relist(&[("one", 1), ("two", 1)]).await;
    assert_eq!(code(&world.call(&cell, "a__one").await), "drifted");
}

#[tokio::test]
async fn cat_7_a_yes_pins_what_was_shown_and_auto_pins_at_the_first_grant() {
    let mut world = World::new(json!({"activation": "prompt", "rules": [{"tools": ["mcp:b/*"], "decision": "auto"}]})).await;
    let cell = world.open().await;
    world.granted(&cell, &["mcp:a/one"]).await;
    world.granted(&cell, &["mcp:b/one"]).await;
    let other = world.open_as("bob", None).await;
    world.relist(&[("one", 2)]).await;
    assert_eq!(code(&world.activate(&other, &["mcp:a/one"]).await), "unknown-ids");
    assert_eq!(code(&world.activate(&other, &["mcp:b/one"]).await), "done");
}

#[tokio::test]
async fn id_1_a_models_string_resolves_byte_for_byte() {
    let world = World::new(json!({"activation": "auto"})).await;
    let cell = world.open().await;
    for near in ["MCP:a/one", "mcp:a/one ", "mcp:a/on", "mcp:a/onе", "mcp:a//one", "one"] {
        assert_eq!(code(&world.activate(&cell, &[near]).await), "unknown-ids", "{near}");
    }
    assert_eq!(id("mcp:a/one").wire().as_str(), "a__one");
}

#[tokio::test]
async fn i_6_searching_and_listing_start_nothing() {
    let world = World::new(json!({"activation": "prompt"})).await;
    let cell = world.open().await;
    world.ask(&cell, "search_tools", json!({"query": "tool one"})).await;
    world.ask(&cell, "tool_details", json!({"id": "mcp:a/one"})).await;
    world.activate(&cell, &["mcp:a/one"]).await;
    world.call(&cell, "a__one").await;
    assert_eq!((world.host.reserved.load(std::sync::atomic::Ordering::SeqCst), world.host.sent()), (0, 0));
}

#[tokio::test]
async fn nat_4_an_empty_policy_serves_nothing() {
    let world = World::new(json!({"activation": "deny"})).await;
    let cell = world.open().await;
    assert_eq!(code(&world.activate(&cell, &["mcp:a/one"]).await), "denied-by-policy");
    world.desk.publish(assemble(&[])).await;
    assert!(Policy::default().activation == Verdict::Deny && world.listed(&cell).is_empty());
}
