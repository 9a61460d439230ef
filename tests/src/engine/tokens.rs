//! SES-4: bearer tokens, from the desk that makes them to the request that brings one.

use crate::world::{Fault, World};
use agent_core::limits::TOKENS;
use agent_core::session::{PrincipalId, ProfileId, TokenId};
use agent_core::token::{Token, TokenRecord};
use agent_core::transition::Stream;
use agent_engine::ledger::Ledger;
use agent_engine::token::{NotMade, TakenBack, Wanted};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

const HOUR: u64 = 3600 * 1000;

fn wanted(principal: &str, hours: Option<u64>) -> Wanted {
    let lasts = hours.map(|hours| Duration::from_millis(hours * HOUR));
    Wanted { principal: PrincipalId::parse(principal).unwrap(), profile: None, lasts, url: false, note: None }
}

async fn world() -> World {
    World::new(json!({"activation": "auto", "profiles": {"work": {}}})).await
}

async fn made(world: &World, hours: Option<u64>) -> (Arc<TokenRecord>, Token) {
    world.desk.create_token(wanted("ada", hours), "operator").await.unwrap()
}

fn finds(world: &World, token: &Token) -> Option<TokenId> {
    world.desk.token(&token.reveal()).map(|record| record.id)
}

const DONE: TakenBack = TakenBack { known: true, recorded: true };

#[tokio::test]
async fn ses_4_a_token_says_whose_it_is_also_after_a_restart() {
    let mut world = world().await;
    let mut other = wanted("bob", None);
    (other.profile, other.url) = (Some(ProfileId::parse("work").unwrap()), true);
    let (ada, first) = made(&world, Some(1)).await;
    let (bob, second) = world.desk.create_token(other, "operator").await.unwrap();
    for _ in 0..2 {
        assert_eq!(world.desk.tokens(), [ada.clone(), bob.clone()]);
        assert_eq!(world.desk.token(&first.reveal()), Some(ada.clone()));
        assert_eq!(world.desk.token(&second.reveal()), Some(bob.clone()));
        assert_eq!(**world.desk.watch_tokens().borrow(), [ada.id, bob.id].into());
        world.restart().await;
    }
    assert_eq!((ada.principal.as_str(), bob.principal.as_str(), bob.url), ("ada", "bob", true));
    assert_eq!(world.desk.revoke_token(ada.id, "operator").await, DONE);
    assert_eq!((finds(&world, &first), finds(&world, &second)), (None, Some(bob.id)));
    world.restart().await;
    assert_eq!((finds(&world, &first), finds(&world, &second)), (None, Some(bob.id)));
}

#[tokio::test]
async fn ses_4_what_is_no_token_of_ours_is_nothing() {
    let world = world().await;
    let (record, token) = made(&world, None).await;
    let text = token.reveal();
    let (upper, digest, bare) = (text.to_uppercase(), format!("aht_{}", record.digest), text.replace("aht_", ""));
    let id = record.id.to_string();
    let wrong = Token::new(1, 2).reveal();
    for text in ["", "aht_", &upper, &digest, &bare, &id, &wrong, &format!("Bearer {text}"), &format!("{text} ")] {
        assert_eq!(world.desk.token(text), None, "{text:?}");
    }
    assert!(world.desk.token(&text).is_some());
}

#[tokio::test]
async fn ses_4_a_token_that_is_over_is_nothing_and_makes_room() {
    let world = world().await;
    let (short, secret) = made(&world, Some(1)).await;
    let (long, _) = made(&world, None).await;
    let mut watch = world.desk.watch_tokens();
    world.clock.advance(HOUR - 1);
    world.desk.tick().await;
    assert!(finds(&world, &secret) == Some(short.id) && !watch.has_changed().unwrap());
    world.clock.advance(1);
    assert_eq!(finds(&world, &secret), None);
    assert_eq!(world.desk.tokens(), std::slice::from_ref(&long));
    world.desk.tick().await;
    assert_eq!(**watch.borrow_and_update(), [long.id].into());
    assert_eq!(world.desk.revoke_token(short.id, "operator").await, TakenBack { known: false, recorded: true });
}

#[tokio::test]
async fn ses_4_i_8_a_token_that_cannot_be_recorded_is_none() {
    let world = world().await;
    world.ledger.fail(Fault::Refuse);
    assert!(matches!(world.desk.create_token(wanted("ada", None), "operator").await, Err(NotMade::Commit(_))));
    assert!(world.desk.tokens().is_empty() && world.desk.watch_tokens().borrow().is_empty());
    made(&world, None).await;
    assert_eq!(world.desk.tokens().len(), 1);
}

#[tokio::test]
async fn ses_4_i_8_a_token_is_taken_back_at_once_recorded_or_not() {
    let mut world = world().await;
    let (record, token) = made(&world, None).await;
    let mut watch = world.desk.watch_tokens();
    world.ledger.full(true);
    assert_eq!(world.desk.revoke_token(record.id, "operator").await, TakenBack { known: true, recorded: false });
    assert!(finds(&world, &token).is_none() && watch.has_changed().unwrap() && watch.borrow_and_update().is_empty());
    assert!(world.ledger.marked(), "a host that starts now stops everything");
    world.ledger.full(false);
    world.desk.tick().await;
    assert!(!world.ledger.marked());
    world.restart().await;
    assert!(finds(&world, &token).is_none() && world.desk.stopped().is_none());
}

#[tokio::test]
async fn ses_4_so_many_tokens_stand_and_no_more() {
    let world = world().await;
    let mut ids = Vec::new();
    for at in 0..TOKENS {
        ids.push(made(&world, (at == 0).then_some(1)).await.0.id);
    }
    let more = || world.desk.create_token(wanted("ada", None), "operator");
    assert_eq!(more().await.err(), Some(NotMade::Full));
    assert_eq!(world.desk.revoke_token(ids[7], "operator").await, DONE);
    more().await.unwrap();
    assert_eq!(more().await.err(), Some(NotMade::Full));
    world.clock.advance(HOUR);
    more().await.unwrap();
    assert_eq!(more().await.err(), Some(NotMade::Full));
    assert_eq!(world.desk.tokens().len(), TOKENS);
}

#[tokio::test]
async fn ses_4_a_profile_that_the_policy_does_not_have_is_refused_with_those_it_has() {
    let world = world().await;
    let profile = |name: &str| ProfileId::parse(name).unwrap();
    let asked = Wanted { profile: Some(profile("wrok")), ..wanted("ada", None) };
    let refused = world.desk.create_token(asked, "operator").await.unwrap_err();
    assert_eq!(refused, NotMade::NoProfile(profile("wrok"), vec![profile("work")]));
    assert!(world.desk.tokens().is_empty());
}

#[tokio::test]
async fn ses_4_aud_1_tokens_are_on_the_record_and_their_secrets_are_not() {
    let world = world().await;
    let (record, token) = made(&world, Some(1)).await;
    world.desk.revoke_token(record.id, "local:7").await;
    assert!(!world.desk.revoke_token(record.id, "local:7").await.known);
    assert_eq!(world.ledger.kinds(&Stream::Host), ["token-made", "token-revoked"]);
    let text = serde_json::to_string(&world.ledger.records()).unwrap();
    assert!(text.contains(&record.digest.to_string()) && text.contains("local:7") && text.contains("operator"));
    let secret = token.reveal();
    assert!(!text.contains(&secret[4..36]) && !text.contains(&secret[36..]));
}
