//! AUD: what is recorded, what happens when it can't be, and what a restart makes of it.

use crate::world::{Fault, World, code, id, question};
use agent_core::request::Decision;
use agent_core::transition::Record;
use agent_engine::activation::Settled;
use agent_engine::ledger::Ledger;
use agent_engine::revocation::Scope;
use serde_json::json;

#[tokio::test]
async fn aud_1_the_main_job_is_on_the_record() {
    let world = World::new(json!({"activation": "prompt"})).await;
    let cell = world.open().await;
    world.granted(&cell, &["mcp:a/one"]).await;
    world.call(&cell, "a__one").await;
    world.desk.revoke(&Scope::Grant(cell.asker().session, id("mcp:a/one")), "operator", false).await;
    world.call(&cell, "a__one").await;
    let kinds = world.ledger.kinds(&cell.stream());
    assert_eq!(kinds, ["opened", "requested", "granted", "starting", "ended", "revoked", "refused"]);
}

#[tokio::test]
async fn aud_2_the_chain_is_whole() {
    let world = World::new(json!({"activation": "auto"})).await;
    let cell = world.open().await;
    world.granted(&cell, &["mcp:a/one"]).await;
    world.call(&cell, "a__one").await;
    let (mut seq, mut prev) = (0, Record::genesis());
    for record in world.ledger.records() {
        assert!(record.follows(seq, &prev));
        (seq, prev) = (record.seq, record.hash);
    }
    assert!(seq >= 5);
    let mut tampered = world.ledger.records()[1].clone();
    tampered.at.wall += 1;
    assert!(!tampered.follows(1, &world.ledger.records()[0].hash));
}

#[tokio::test]
async fn i_8_a_grant_that_cannot_be_recorded_does_not_happen() {
    let world = World::new(json!({"activation": "auto"})).await;
    let cell = world.open().await;
    world.ledger.fail(Fault::Refuse);
    assert_eq!(code(&world.activate(&cell, &["mcp:a/one"]).await), "not-recorded");
    assert!(world.listed(&cell).is_empty() && cell.state().set == 0);
    assert_eq!(code(&world.activate(&cell, &["mcp:a/one"]).await), "done");
}

#[tokio::test]
async fn attack_72_a_full_disk_during_a_revoke_or_a_denial() {
    let mut world = World::new(json!({"activation": "prompt"})).await;
    let cell = world.open().await;
    world.granted(&cell, &["mcp:a/one", "mcp:a/two"]).await;
    let asked = question(world.activate(&cell, &["mcp:b/one"]).await);
    world.ledger.full(true);
    let revoked = world.desk.revoke(&Scope::Grant(cell.asker().session, id("mcp:a/one")), "operator", false).await;
    assert_eq!((revoked[0].narrowed.removed.len(), revoked[0].narrowed.recorded), (1, false));
    assert_eq!(world.decide(&asked, Decision::Deny).await, Settled::Denied { recorded: false });
    assert_eq!(code(&world.call(&cell, "a__two").await), "session-closed");
    assert!(world.ledger.marked());
    world.ledger.full(false);
    assert_eq!(code(&world.call(&cell, "a__two").await), "ran");
    assert_eq!(code(&world.call(&cell, "a__one").await), "revoked");
    assert_eq!(code(&world.activate(&cell, &["mcp:b/one"]).await), "denied-by-person");
    assert!(!world.ledger.marked());
    world.ledger.full(true);
    world.desk.revoke(&Scope::Grant(cell.asker().session, id("mcp:a/two")), "operator", false).await;
    world.ledger.full(false);
    world.restart().await;
    let cell = world.again(&cell);
    assert_eq!(code(&world.call(&cell, "a__two").await), "stopped");
    assert!(world.desk.stopped().is_some());
}

#[tokio::test]
async fn i_7_a_publish_after_an_unrecorded_revoke_does_not_bring_it_back() {
    let world = World::new(json!({"activation": "auto"})).await;
    let cell = world.open().await;
    world.granted(&cell, &["mcp:a/one"]).await;
    world.ledger.fail(Fault::Refuse);
    world.desk.revoke(&Scope::Grant(cell.asker().session, id("mcp:a/one")), "operator", false).await;
    world.ledger.fail(Fault::Refuse);
    assert_eq!(code(&world.activate(&cell, &["mcp:a/two"]).await), "session-closed");
    assert_eq!(code(&world.activate(&cell, &["mcp:a/two"]).await), "done");
    assert_eq!(world.listed(&cell), ["a__two"]);
    assert_eq!(code(&world.call(&cell, "a__one").await), "revoked");
}

#[tokio::test]
async fn aud_1_a_start_without_an_end_reads_outcome_unknown() {
    let mut world = World::new(json!({"activation": "auto"})).await;
    let cell = world.open().await;
    world.granted(&cell, &["mcp:a/one"]).await;
    world.host.hold(false);
    {
        let mut call = Box::pin(world.call(&cell, "a__one"));
        while world.host.sent() == 0 {
            std::future::poll_fn(|context| std::task::Poll::Ready(call.as_mut().poll(context).is_ready())).await;
            tokio::task::yield_now().await;
        }
        std::mem::forget(call);
    }
    world.restart().await;
    let cell = world.again(&cell);
    assert!(cell.state().running.is_empty());
    assert!(world.ledger.kinds(&cell.stream()).contains(&"ended".to_owned()));
}

#[tokio::test]
async fn aud_1_buffered_starts_are_handed_over_before_the_permit() {
    use agent_engine::testing::{ManualClock, SeededEntropy};
    use std::sync::Arc;
    let ledger = Arc::new(crate::world::FaultyLedger::default());
    let host = Arc::new(crate::world::TestHost::default());
    let entropy = Arc::new(SeededEntropy::new(1));
    let mut parts = agent_engine::engine::Parts::new(ledger.clone(), host, Arc::new(ManualClock::default()), entropy);
    parts.policy = serde_json::from_value(json!({"activation": "auto"})).unwrap();
    parts.starts = agent_engine::session::Starts::Buffered;
    let (front, desk) = agent_engine::engine::build(parts).await.unwrap();
    desk.publish(agent_engine::catalog::assemble(&[crate::world::source("a", &[("one", 1)])])).await;
    let cell = front.open(agent_core::session::PrincipalId::parse("ada").unwrap(), None, false).await.unwrap().session;
    front.call(&cell, "activate_tools", crate::world::object(json!({"tools": ["mcp:a/one"]}))).await;
    ledger.full(true);
    assert_eq!(code(&front.call(&cell, "a__one", crate::world::object(json!({}))).await), "ran");
    assert_eq!(ledger.kinds(&cell.stream())[2..], ["starting", "ended"]);
}
