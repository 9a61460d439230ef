//! SES: whose a session is, and what ends with it.

use crate::world::{World, code};
use agent_core::session::{PrincipalId, SessionId, SessionKey};
use agent_engine::session::Presented;
use serde_json::json;

#[tokio::test]
async fn ses_1_somebody_elses_session_is_an_unknown_one() {
    let world = World::new(json!({"activation": "auto"})).await;
    let (ada, bob) = (PrincipalId::parse("ada").unwrap(), PrincipalId::parse("bob").unwrap());
    let opened = world.front.open(ada.clone(), None, true).await.unwrap();
    let (session, key) = (opened.session.asker().session, opened.key.unwrap());
    assert!(world.front.resume(&ada, session, Some(&key)).is_some());
    assert!(world.front.resume(&bob, session, Some(&key)).is_none());
    assert!(world.front.resume(&ada, session, None).is_none());
    assert!(world.front.resume(&ada, session, Some(&SessionKey::new(7))).is_none());
    assert!(world.front.resume(&ada, SessionId::new(7), Some(&key)).is_none());
    let stored = serde_json::to_string(&*opened.session.state()).unwrap();
    assert!(!stored.contains(&key.reveal()));
}

#[tokio::test]
async fn ses_1_ending_a_session_ends_what_it_held() {
    let mut world = World::new(json!({"activation": "auto"})).await;
    let cell = world.open().await;
    world.granted(&cell, &["mcp:a/one"]).await;
    world.front.close(&cell).await;
    assert!(world.listed(&cell).is_empty());
    assert_eq!(code(&world.call(&cell, "a__one").await), "session-ended");
    assert_eq!(code(&world.activate(&cell, &["mcp:a/one"]).await), "session-ended");
    assert!(world.front.resume(&cell.asker().principal, cell.asker().session, None).is_none());
    world.restart().await;
    assert!(world.front.resume(&cell.asker().principal, cell.asker().session, None).is_none());
}

#[tokio::test]
async fn ses_2_a_key_is_its_latest_sessions_however_late_the_one_before_is_forgotten() {
    let world = World::new(json!({"activation": "auto"})).await;
    let (ada, key) = (PrincipalId::parse("ada").unwrap(), SessionKey::new(7).digest());
    let open = async || world.front.open_by(ada.clone(), None, Presented { key: Some(key), credential: None }).await.unwrap().session;
    let first = open().await;
    world.ledger.full(true);
    world.front.close(&first).await;
    world.ledger.full(false);
    let second = open().await;
    world.desk.tick().await;
    assert!(world.front.resume(&ada, first.asker().session, None).is_none());
    assert_eq!(world.front.keyed(&ada, &key).map(|cell| cell.asker().session), Some(second.asker().session));
}
