//! What kinds of yes there are, what stands of one, how far it reaches, and answers that come at the same time.

use crate::world::{Fault, World, answer, code, id, question};
use agent_core::limits::{DENIAL_MS, GRANT_MS};
use agent_core::request::{Channel, Decider, Decision, Question, Strength};
use agent_core::session::PrincipalId;
use agent_engine::activation::Settled;
use agent_engine::session::Cell;
use serde_json::{Value, json};
use std::sync::Arc;

const ONE: &str = "mcp:a/one";
const TWO: &str = "mcp:a/two";

async fn world(rules: Value) -> World {
    World::new(json!({"activation": "prompt", "rules": rules})).await
}

async fn asked(world: &World, cell: &Arc<Cell>, ids: &[&str]) -> Question {
    question(world.activate(cell, ids).await)
}

fn ada() -> PrincipalId {
    PrincipalId::parse("ada").unwrap()
}

async fn standing(world: &World) -> Vec<String> {
    world.desk.standing_approvals().await.unwrap().into_iter().map(|(principal, tool, _)| format!("{principal} {tool}")).collect()
}

const ALWAYS: Settled = Settled::Always { set: 1, added: 1, stands: true };

#[tokio::test]
async fn auth_6_once_is_good_for_one_call_of_each_tool() {
    let world = world(json!([{"tools": [TWO], "decision": "prompt", "max_calls": 3}])).await;
    let cell = world.open().await;
    let first = asked(&world, &cell, &[ONE, TWO]).await;
    assert_eq!(world.decide(&first, Decision::Once).await, Settled::Granted { set: 1, added: 2 });
    for name in ["a__one", "a__two"] {
        assert_eq!(code(&world.call(&cell, name).await), "ran");
        assert_eq!(code(&world.call(&cell, name).await), "calls-spent");
    }
    let again = asked(&world, &cell, &[TWO]).await;
    world.decide(&again, Decision::Approve).await;
    for expect in ["ran", "ran", "ran", "calls-spent"] {
        assert_eq!(code(&world.call(&cell, "a__two").await), expect);
    }
    assert!(standing(&world).await.is_empty());
}

#[tokio::test]
async fn pol_1_act_4_a_grant_lasts_as_long_as_its_rule_says() {
    let rules =
        json!([{"tools": [ONE], "decision": "prompt", "ttl": "30m", "max_calls": 2}, {"tools": [TWO], "decision": "auto", "ttl": "720h"}]);
    let world = world(rules).await;
    let cell = world.open().await;
    let shown = asked(&world, &cell, &[ONE, TWO]).await;
    let limits: Vec<_> = shown.what.iter().map(|asked| (asked.ttl.map(|ttl| ttl.to_string()), asked.max_calls)).collect();
    assert_eq!(limits, [(Some("30m".to_owned()), Some(2)), (None, None)], "12 h bound everything anyway");
    world.decide(&shown, Decision::Approve).await;
    let ends: Vec<_> = cell.state().active.iter().map(|held| held.grant.end.unwrap().wall - shown.asked.wall).collect();
    assert_eq!(ends, [30 * 60 * 1000, GRANT_MS]);
    world.clock.advance(30 * 60 * 1000 - 1);
    assert_eq!(code(&world.call(&cell, "a__one").await), "ran");
    world.clock.advance(1);
    assert_eq!(code(&world.call(&cell, "a__one").await), "expired");
    assert_eq!(code(&world.call(&cell, "a__two").await), "ran");
}

#[tokio::test]
async fn auth_2_a_yes_reaches_no_further_than_was_shown() {
    let mut world = world(json!([{"decision": "prompt", "ttl": "30m", "max_calls": 2}])).await;
    let cell = world.open().await;
    let shown = asked(&world, &cell, &[ONE]).await;
    world.enforce(json!({"activation": "prompt", "rules": [{"decision": "prompt", "ttl": "2h", "max_calls": 9}]})).await;
    world.decide(&shown, Decision::Approve).await;
    let grant = cell.state().active[0].grant.clone();
    assert_eq!((grant.end.unwrap().wall - shown.asked.wall, grant.max_calls), (30 * 60 * 1000, Some(2)));
    let shown = asked(&world, &cell, &[TWO]).await;
    world.enforce(json!({"activation": "prompt", "rules": [{"decision": "prompt", "ttl": "1m", "max_calls": 1}]})).await;
    world.decide(&shown, Decision::Approve).await;
    let grant = cell.state().active[1].grant.clone();
    assert_eq!((grant.end.unwrap().wall - shown.asked.wall, grant.max_calls), (60 * 1000, Some(1)));
}

#[tokio::test]
async fn act_9_a_presets_rule_says_how_long_it_lasts() {
    let profiles = json!({"p": {"presets": [ONE, TWO]}});
    let rules = json!([{"tools": [ONE], "decision": "prompt", "ttl": "1h"}]);
    let world = World::new(json!({"activation": "prompt", "rules": rules, "profiles": profiles})).await;
    let cell = world.open_as("ada", Some("p")).await;
    world.clock.advance(13 * 3600 * 1000);
    assert_eq!((code(&world.call(&cell, "a__one").await), code(&world.call(&cell, "a__two").await)), ("expired", "ran"));
}

#[tokio::test]
async fn pol_4_always_answers_later_requests_of_the_principal_and_says_whose_word_it_is() {
    let mut world = world(json!([{"tools": ["mcp:b/*"], "decision": "auto"}])).await;
    let cell = world.open().await;
    let shown = asked(&world, &cell, &[ONE]).await;
    assert_eq!(world.decide(&shown, Decision::Always).await, ALWAYS);
    world.restart().await;
    let later = world.open().await;
    assert_eq!(code(&world.activate(&later, &[ONE, "mcp:b/one"]).await), "done");
    let state = later.state();
    let Decider::Standing { name, channel, strength, since } = &state.active[0].grant.by else { panic!("{state:?}") };
    assert_eq!((name.as_str(), *channel, *strength), ("ada", Channel::Code, Strength::Strong));
    assert_eq!(*since, shown.asked);
    assert!(matches!(state.active[1].grant.by, Decider::Policy { .. }));
    assert_eq!(standing(&world).await, ["ada mcp:a/one"]);
    let bob = world.open_as("bob", None).await;
    assert_eq!(code(&world.activate(&bob, &[ONE]).await), "waiting", "for one principal");
    let more = world.open().await;
    assert_eq!(code(&world.activate(&more, &[ONE, TWO]).await), "waiting", "for the whole batch or not at all");
}

#[tokio::test]
async fn pol_4_always_is_for_one_exact_definition() {
    let mut world = world(json!([])).await;
    let cell = world.open().await;
    let shown = asked(&world, &cell, &[ONE]).await;
    world.decide(&shown, Decision::Always).await;
    world.relist(&[("one", 2)]).await;
    let live = world.desk.catalog().get(ONE).unwrap().bound();
    world.desk.accept(vec![live]).await.unwrap();
    let later = world.open().await;
    assert_eq!(code(&world.activate(&later, &[ONE]).await), "waiting");
    world.relist(&[("one", 1)]).await;
    let live = world.desk.catalog().get(ONE).unwrap().bound();
    world.desk.accept(vec![live]).await.unwrap();
    let later = world.open().await;
    assert_eq!(code(&world.activate(&later, &[ONE]).await), "done");
}

#[tokio::test]
async fn pol_4_attack_25_a_demanded_strength_is_never_replaced() {
    let mut world = world(json!([])).await;
    let cell = world.open().await;
    let shown = asked(&world, &cell, &[ONE]).await;
    world.decide(&shown, Decision::Always).await;
    world.enforce(json!({"activation": "prompt", "rules": [{"tools": [ONE], "decision": "prompt", "strength": "strong"}]})).await;
    let later = world.open().await;
    let strong = asked(&world, &later, &[ONE]).await;
    assert!(strong.strong);
    let weak = answer(&strong, Decision::Always, Strength::Weak);
    assert_eq!(world.desk.answer(later.asker().session, strong.id, weak).await, Settled::TooWeak);
    world.desk.withdraw_standing(&ada(), None, "operator").await.unwrap();
    let settled = world.decide(&strong, Decision::Always).await;
    assert_eq!(settled, Settled::Always { set: 1, added: 1, stands: false }, "the session has it, and nothing is remembered");
    assert!(standing(&world).await.is_empty());
    world.enforce(json!({"activation": "deny"})).await;
    let denied = world.open().await;
    assert_eq!(code(&world.activate(&denied, &[TWO]).await), "denied-by-policy");
}

#[tokio::test]
async fn pol_4_auth_6_a_no_ends_an_always_and_is_not_overruled_by_one() {
    let world = world(json!([])).await;
    let (first, second, third) = (world.open().await, world.open().await, world.open().await);
    let before = asked(&world, &second, &[ONE, TWO]).await;
    let shown = asked(&world, &first, &[ONE]).await;
    world.decide(&shown, Decision::Always).await;
    assert_eq!(standing(&world).await, ["ada mcp:a/one"]);
    let some = Decision::DenySome([id(ONE)].into());
    assert_eq!(world.decide(&before, some).await, Settled::Denied { recorded: true });
    assert!(standing(&world).await.is_empty());
    assert_eq!(code(&world.activate(&third, &[ONE]).await), "denied-by-person");
    world.clock.advance(DENIAL_MS);
    assert_eq!(code(&world.activate(&third, &[ONE]).await), "waiting");
}

#[tokio::test]
async fn pol_4_what_was_taken_back_is_asked_about_and_what_runs_is_left() {
    let world = world(json!([])).await;
    let cell = world.open().await;
    let shown = asked(&world, &cell, &[ONE, TWO]).await;
    world.decide(&shown, Decision::Always).await;
    let gone = world.desk.withdraw_standing(&ada(), Some(&id(ONE)), "operator").await.unwrap();
    assert_eq!((gone.tools, gone.recorded), (vec![id(ONE)], true));
    assert_eq!(standing(&world).await, ["ada mcp:a/two"]);
    assert_eq!(code(&world.call(&cell, "a__one").await), "ran");
    let later = world.open().await;
    assert_eq!(code(&world.activate(&later, &[ONE]).await), "waiting");
    let none = world.desk.withdraw_standing(&ada(), Some(&id(ONE)), "operator").await.unwrap();
    assert!(none.tools.is_empty());
    world.ledger.fail(Fault::Refuse);
    let gone = world.desk.withdraw_standing(&ada(), None, "operator").await.unwrap();
    assert_eq!((gone.tools, gone.recorded), (vec![id(TWO)], false), "in effect, recorded or not");
    assert!(standing(&world).await.is_empty());
}

#[tokio::test]
async fn pol_4_i_8_an_always_that_is_not_recorded_is_none() {
    for (fault, stands) in [(Fault::Refuse, false), (Fault::Lost, false), (Fault::Written, true)] {
        let mut world = world(json!([])).await;
        let cell = world.open().await;
        let shown = asked(&world, &cell, &[ONE]).await;
        world.ledger.fail(fault);
        assert!(matches!(world.decide(&shown, Decision::Always).await, Settled::Failed(_)));
        assert!(standing(&world).await.is_empty(), "{fault:?}: nothing is in effect before it is known to be recorded");
        world.restart().await;
        assert_eq!((standing(&world).await.len() == 1, world.listed(&world.again(&cell)).len() == 1), (stands, stands), "{fault:?}");
    }
}

#[tokio::test]
async fn auth_4_a_clients_form_says_always_to_nothing() {
    let world = world(json!([])).await;
    let cell = world.open().await;
    let shown = asked(&world, &cell, &[ONE]).await;
    for word in [Decision::Always, Decision::Once] {
        let by = Decider::Person { name: "a form".into(), channel: Channel::Elicitation, strength: Strength::Weak };
        let said = agent_core::request::Answer { by, ..answer(&shown, word, Strength::Weak) };
        assert_eq!(world.desk.answer(cell.asker().session, shown.id, said).await, Settled::NotAnAnswer);
    }
    let forged = agent_core::request::Answer {
        by: Decider::Standing { name: "ada".into(), channel: Channel::Code, strength: Strength::Strong, since: shown.asked },
        ..answer(&shown, Decision::Approve, Strength::Strong)
    };
    assert_eq!(world.desk.answer(cell.asker().session, shown.id, forged).await, Settled::NotAnAnswer);
    assert!(world.listed(&cell).is_empty() && standing(&world).await.is_empty());
}

#[tokio::test]
async fn pol_4_no_preset_is_made_of_an_always() {
    let mut world = World::new(json!({"activation": "prompt", "profiles": {"p": {}}})).await;
    let cell = world.open_as("ada", Some("p")).await;
    let shown = asked(&world, &cell, &[ONE]).await;
    world.decide(&shown, Decision::Always).await;
    world.restart().await;
    let full = world.open_as("ada", Some("p")).await;
    world.front.preset_by_rule(&full).await;
    assert!(world.listed(&full).is_empty());
}

/// Whatever the order, one answer decides and both are told so.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn auth_5_i_4_of_answers_at_the_same_time_one_decides() {
    let words = [Decision::Approve, Decision::Deny, Decision::Always, Decision::Once];
    for round in 0..60 {
        let world = World::new(json!({"activation": "prompt"})).await;
        let cell = world.open().await;
        let shown = question(world.activate(&cell, &[ONE, TWO]).await);
        let all: Vec<_> = [round % 4, (round / 4) % 4, 1].map(|at| words[at].clone()).into_iter().enumerate().collect();
        let answers = all.iter().map(|(at, word)| {
            let by = Decider::Person { name: format!("operator {at}"), channel: Channel::Code, strength: Strength::Strong };
            let said = agent_core::request::Answer { by, ..answer(&shown, word.clone(), Strength::Strong) };
            let (desk, session, request) = (world.desk.clone(), cell.asker().session, shown.id);
            tokio::spawn(async move { desk.answer(session, request, said).await })
        });
        let mut settled = Vec::new();
        for told in answers.collect::<Vec<_>>() {
            settled.push(told.await.unwrap());
        }
        let stood: Vec<_> = settled.iter().enumerate().filter(|(_, settled)| **settled != Settled::NotAnAnswer).collect();
        let [(winner, told)] = stood[..] else { panic!("{settled:?}") };
        let decided = world.desk.decided(shown.id).unwrap();
        let Decider::Person { name, .. } = &decided.by else { panic!("{decided:?}") };
        assert_eq!((name, &decided.decision), (&format!("operator {winner}"), &all[winner].1));
        let no = matches!(told, Settled::Denied { .. });
        assert_eq!((no, cell.state().denied.len(), world.listed(&cell).len()), (no, if no { 2 } else { 0 }, if no { 0 } else { 2 }));
        let stands = matches!(told, Settled::Always { .. });
        assert_eq!(standing(&world).await.len(), if stands { 2 } else { 0 });
    }
}

#[tokio::test]
async fn auth_6_the_noes_to_one_tool_are_cleared_alone() {
    let world = world(json!([])).await;
    let cell = world.open().await;
    let shown = asked(&world, &cell, &[ONE, TWO]).await;
    world.decide(&shown, Decision::Deny).await;
    world.desk.clear_denials(&ada(), Some(&id(ONE)), "operator").await.unwrap();
    let later = world.open().await;
    for cell in [&cell, &later] {
        assert_eq!(code(&world.activate(cell, &[TWO]).await), "denied-by-person");
        assert_eq!(code(&world.activate(cell, &[ONE]).await), "waiting");
    }
}

#[tokio::test]
async fn auth_6_denials_are_cleared_in_every_session_that_can_be_recorded() {
    let world = world(json!([])).await;
    let mut cells = Vec::new();
    for _ in 0..3 {
        let cell = world.open().await;
        let shown = asked(&world, &cell, &[ONE]).await;
        cells.push((cell, shown));
    }
    for (_, shown) in &cells {
        world.decide(shown, Decision::Deny).await;
    }
    let denied = || cells.iter().filter(|(cell, _)| !cell.state().denied.is_empty()).count();
    assert_eq!(denied(), 3);
    [Fault::Passes, Fault::Refuse].into_iter().for_each(|fault| world.ledger.fail(fault));
    assert!(world.desk.clear_denials(&ada(), None, "operator").await.is_err());
    assert_eq!(denied(), 1, "one could not be recorded, and the others did not wait for it");
    world.desk.clear_denials(&ada(), None, "operator").await.unwrap();
    assert_eq!(denied(), 0);
}
