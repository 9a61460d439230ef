//! REV: one grant, one id, one session, everything; and what it means that it is acknowledged.

use crate::world::{World, body, code, id, question};
use agent_core::id::Alias;
use agent_core::session::PrincipalId;
use agent_engine::builtins::Reply;
use agent_engine::revocation::Scope;
use agent_engine::session::Cell;
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
async fn rev_1_a_principal_and_a_server_with_presets_and_nothing_else() {
    let world = world().await;
    let (cell, more, other) =
        (world.open_as("ada", Some("p")).await, world.open_as("ada", None).await, world.open_as("bob", Some("p")).await);
    for session in [&cell, &more, &other] {
        world.granted(session, &["mcp:a/one", "mcp:b/two"]).await;
    }
    let revoked = world.desk.revoke(&Scope::Server(Alias::parse("b").unwrap()), "operator", false).await;
    assert_eq!(revoked.iter().map(|revoked| revoked.narrowed.removed.len()).sum::<usize>(), 5, "two presets are among it");
    for session in [&cell, &more, &other] {
        assert_eq!(world.listed(session), ["a__one"]);
    }
    let revoked = world.desk.revoke(&Scope::Principal(PrincipalId::parse("ada").unwrap()), "operator", false).await;
    assert_eq!(revoked.len(), 2);
    assert!(world.listed(&cell).is_empty() && world.listed(&more).is_empty());
    assert_eq!(world.listed(&other), ["a__one"]);
    let nobody = Scope::Principal(PrincipalId::parse("eve").unwrap());
    assert!(world.desk.revoke(&nobody, "operator", false).await.is_empty());
}

#[tokio::test]
async fn rev_1_a_revoke_is_no_rule() {
    let world = world().await;
    let cell = world.open().await;
    world.granted(&cell, &["mcp:a/one"]).await;
    for scope in
        [Scope::Everywhere(id("mcp:a/one")), Scope::Principal(cell.asker().principal.clone()), Scope::Session(cell.asker().session)]
    {
        world.desk.revoke(&scope, "operator", false).await;
        assert_eq!(code(&world.call(&cell, "a__one").await), "revoked");
        world.granted(&cell, &["mcp:a/one"]).await;
        assert_eq!(code(&world.call(&cell, "a__one").await), "ran");
    }
}

/// The ledger has written the batch and nobody knows yet; then everything of its session is taken back.
#[tokio::test]
async fn i_7_rev_1_a_batch_on_its_way_to_the_record_does_not_escape() {
    let scopes: [fn(&Cell) -> Scope; 4] = [
        |_| Scope::Everywhere(id("mcp:a/one")),
        |cell| Scope::Session(cell.asker().session),
        |cell| Scope::Principal(cell.asker().principal.clone()),
        |_| Scope::Server(Alias::parse("a").unwrap()),
    ];
    for scope in scopes {
        let world = Arc::new(world().await);
        let cell = world.open().await;
        let before = world.ledger.records().len();
        world.ledger.silent(true);
        let (other, session) = (world.clone(), cell.clone());
        let asking = tokio::spawn(async move { other.activate(&session, &["mcp:a/one"]).await });
        while world.ledger.records().len() == before {
            tokio::task::yield_now().await;
        }
        let (other, scope) = (world.clone(), scope(&cell));
        let revoking = tokio::spawn(async move { other.desk.revoke(&scope, "operator", false).await });
        while !(revoking.is_finished() || world.ledger.kinds(&cell.stream()).contains(&"revoked".to_owned())) {
            tokio::task::yield_now().await;
        }
        assert!(cell.state().active.is_empty(), "nothing is published yet");
        world.ledger.silent(false);
        let revoked = revoking.await.unwrap();
        assert_eq!(revoked.iter().map(|one| one.narrowed.removed.clone()).collect::<Vec<_>>(), [[id("mcp:a/one")]], "it says what it took");
        asking.await.unwrap();
        assert!(world.listed(&cell).is_empty());
        assert_eq!(code(&world.call(&cell, "a__one").await), "revoked");
    }
}

#[tokio::test]
async fn rev_1_calls_that_run_on_are_met_by_a_wider_scope_too() {
    let world = Arc::new(world().await);
    let cell = world.open().await;
    world.granted(&cell, &["mcp:a/one"]).await;
    world.host.hold(false);
    let (other, session) = (world.clone(), cell.clone());
    let call = tokio::spawn(async move { other.call(&session, "a__one").await });
    while cell.running().is_empty() || world.host.sent() == 0 {
        tokio::task::yield_now().await;
    }
    world.desk.revoke(&Scope::Grant(cell.asker().session, id("mcp:a/one")), "operator", false).await;
    let server = Scope::Server(Alias::parse("a").unwrap());
    let revoked = world.desk.revoke(&server, "operator", true).await;
    assert_eq!((revoked[0].narrowed.removed.len(), revoked[0].narrowed.running.len()), (0, 1));
    assert_eq!(revoked[0].narrowed.running[0].1, id("mcp:a/one"));
    let Reply::Ran(ran) = call.await.unwrap() else { panic!("it had started") };
    assert_eq!(ran.outcome.happened(), agent_core::outcome::Happened::Unknown);
}

#[tokio::test]
async fn rev_1_a_session_that_an_operator_ends_loses_everything_and_its_client_is_told() {
    let world = World::new(json!({"activation": "prompt"})).await;
    let (cell, other) = (world.open().await, world.open().await);
    world.granted(&cell, &["mcp:a/one"]).await;
    question(world.activate(&cell, &["mcp:a/two"]).await);
    let (_, narrowed) = world.desk.end(cell.asker().session, "operator").await.unwrap();
    assert_eq!((narrowed.removed, narrowed.recorded), (vec![id("mcp:a/one")], true));
    assert!(world.desk.waiting().is_empty());
    let (called, asked) = (world.call(&cell, "a__one").await, world.activate(&cell, &["mcp:a/one"]).await);
    assert_eq!((code(&called), code(&asked)), ("session-ended", "session-ended"));
    assert!(world.desk.end(cell.asker().session, "operator").await.is_none());
    assert_eq!(world.desk.sessions().len(), 1);
    assert!(!other.state().ended);
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
    let (by, since) = (world.desk.stopped(), world.desk.stopped_since());
    assert!(by.as_deref() == Some("operator") && since.is_some());
    world.clock.advance(60_000);
    world.restart().await;
    assert_eq!((world.desk.stopped(), world.desk.stopped_since()), (by, since), "who and when are on record");
    let cell = world.again(&cell);
    let called = world.call(&cell, "a__one").await;
    assert_eq!(code(&called), "stopped");
    assert!(body(&called).as_str().unwrap().contains("Do not retry; tell the user"), "models are told");
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
