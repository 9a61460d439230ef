//! REV: one grant, one id, one session, everything; and what it means that it is acknowledged.

use crate::world::{World, body, code, id};
use agent_engine::builtins::Reply;
use agent_engine::revocation::Scope;
use serde_json::json;
use std::sync::Arc;

async fn world() -> World {
    World::new(json!({"activation": "auto", "profiles": {"p": {"presets": ["mcp:b/one"]}}})).await
}

#[tokio::test]
async fn rev_1_exactly_one_grant_of_one_session() {
    let world = world().await;
    let (cell, other) = (world.open_as("ada", Some("p")).await, world.open_as("ada", Some("p")).await);
    for session in [&cell, &other] {
        world.granted(session, &["mcp:a/one", "mcp:a/two"]).await;
    }
    let scope = Scope::Grant(cell.asker().session, id("mcp:a/one"));
    let revoked = world.desk.revoke(&scope, "operator", false).await;
    assert_eq!(revoked[0].narrowed.removed, [id("mcp:a/one")]);
    assert_eq!(world.listed(&cell), ["b__one", "a__two"]);
    assert_eq!(world.listed(&other), ["b__one", "a__one", "a__two"]);
    let again = world.desk.revoke(&scope, "operator", false).await;
    assert!(again[0].narrowed.removed.is_empty());
    let nobody = Scope::Grant(agent_core::session::SessionId::new(9), id("mcp:a/two"));
    assert!(world.desk.revoke(&nobody, "operator", false).await.is_empty());
    assert_eq!(world.listed(&other).len(), 3);
}

#[tokio::test]
async fn rev_1_one_id_everywhere_and_a_whole_session() {
    let world = world().await;
    let (cell, other) = (world.open_as("ada", Some("p")).await, world.open_as("bob", None).await);
    world.granted(&cell, &["mcp:a/one", "mcp:a/two"]).await;
    world.granted(&other, &["mcp:a/one"]).await;
    assert_eq!(world.desk.revoke(&Scope::Everywhere(id("mcp:a/one")), "operator", false).await.len(), 2);
    assert_eq!((world.listed(&cell), world.listed(&other)), (vec!["b__one".into(), "a__two".into()], vec![]));
    world.desk.revoke(&Scope::Session(cell.asker().session), "operator", false).await;
    assert!(world.listed(&cell).is_empty());
    assert_eq!(code(&world.call(&cell, "b__one").await), "revoked");
}

#[tokio::test]
async fn rev_2_running_calls_are_named_and_left_or_cancelled() {
    for cancel in [false, true] {
        let world = Arc::new(world().await);
        let cell = world.open().await;
        world.granted(&cell, &["mcp:a/one"]).await;
        world.host.hold(false);
        let (other, session) = (world.clone(), cell.clone());
        let call = tokio::spawn(async move { other.call(&session, "a__one").await });
        while cell.running().is_empty() || world.host.sent() == 0 {
            tokio::task::yield_now().await;
        }
        let scope = Scope::Grant(cell.asker().session, id("mcp:a/one"));
        let revoked = world.desk.revoke(&scope, "operator", cancel).await;
        assert_eq!(revoked[0].narrowed.running.len(), 1);
        assert_eq!(code(&world.call(&cell, "a__one").await), "revoked");
        if !cancel {
            world.host.release(false);
        }
        let Reply::Ran(ran) = call.await.unwrap() else { panic!("it had started") };
        assert!(ran.revoked);
        assert_eq!(ran.outcome.happened() == agent_core::outcome::Happened::Unknown, cancel);
        assert_eq!(world.host.sent(), 1);
    }
}

#[tokio::test]
async fn attack_11_a_live_revoke_leaves_other_sessions_alone() {
    let world = world().await;
    let (cell, other) = (world.open().await, world.open_as("bob", None).await);
    world.granted(&cell, &["mcp:a/one"]).await;
    world.granted(&other, &["mcp:a/one"]).await;
    let (mut rings, mut silent) = (world.front.watch(&cell), world.front.watch(&other));
    rings.mark_unchanged();
    silent.mark_unchanged();
    world.desk.revoke(&Scope::Grant(cell.asker().session, id("mcp:a/one")), "operator", false).await;
    assert!(rings.has_changed().unwrap() && !silent.has_changed().unwrap());
    assert_eq!((code(&world.call(&cell, "a__one").await), code(&world.call(&other, "a__one").await)), ("revoked", "ran"));
}

#[tokio::test]
async fn attack_12_a_stale_list_is_told_revoked() {
    let world = world().await;
    let cell = world.open().await;
    world.granted(&cell, &["mcp:a/one"]).await;
    world.desk.revoke(&Scope::Grant(cell.asker().session, id("mcp:a/one")), "operator", false).await;
    let said = body(&world.call(&cell, "a__one").await);
    assert!(said.as_str().unwrap().contains("revoked"), "{said}");
}

#[tokio::test]
async fn attack_8_a_grant_of_another_session_is_worth_nothing() {
    let world = world().await;
    let (cell, other) = (world.open().await, world.open().await);
    world.granted(&cell, &["mcp:a/one"]).await;
    assert_eq!(code(&world.call(&other, "a__one").await), "not-active");
}

#[tokio::test]
async fn rev_4_the_kill_switch_stops_all_and_survives_a_restart() {
    let mut world = world().await;
    let cell = world.open().await;
    world.granted(&cell, &["mcp:a/one"]).await;
    assert!(world.desk.stop("operator").await);
    assert_eq!(code(&world.call(&cell, "a__one").await), "stopped");
    assert_eq!(code(&world.activate(&cell, &["mcp:a/two"]).await), "stopped");
    assert!(world.listed(&cell).is_empty());
    world.restart().await;
    let cell = world.again(&cell);
    assert_eq!(code(&world.call(&cell, "a__one").await), "stopped");
    world.desk.resume("operator").await.unwrap();
    assert_eq!(code(&world.call(&cell, "a__one").await), "ran");
}

#[tokio::test]
async fn i_7_after_a_stop_no_call_starts() {
    let world = Arc::new(world().await);
    let cell = world.open().await;
    world.granted(&cell, &["mcp:a/one"]).await;
    let (other, session) = (world.clone(), cell.clone());
    let calling = tokio::spawn(async move {
        while code(&other.call(&session, "a__one").await) == "ran" {
            tokio::task::yield_now().await;
        }
    });
    while world.host.sent() < 5 {
        tokio::task::yield_now().await;
    }
    world.desk.stop("operator").await;
    let sent = world.host.sent();
    calling.await.unwrap();
    assert_eq!(world.host.sent(), sent);
}
