//! Clients that shake hands.

use super::stage::{Client, NOW, Stage, names};
use serde_json::json;
use std::time::{Duration, Instant};

const AUTO: &str = "activation = \"auto\"";

#[tokio::test]
async fn ses_2_a_handshake_is_a_session_that_finds_activates_and_calls() {
    let stage = Stage::new(AUTO).await;
    let mut ada = stage.client("ada").await;
    let hello = ada.shake().await;
    assert_eq!(hello.message["result"]["serverInfo"]["name"], "agent-host");
    assert_eq!(names(&ada.asks("tools/list", json!({})).await).len(), 5);
    let found = ada.calls("search_tools", json!({"query": "what time is it"})).await.object();
    assert_eq!(found["tools"][0]["id"], NOW, "{found}");
    ada.calls("activate_tools", json!({"tools": [NOW]})).await;
    assert_eq!(names(&ada.asks("tools/list", json!({})).await)[5], "time__now");
    assert_eq!(ada.calls("time__now", json!({})).await.text(), "noon");
}

#[tokio::test]
async fn attack_5_a_session_id_is_worth_nothing_to_another_principal() {
    let stage = Stage::new(AUTO).await;
    let (mut ada, mut bob) = (stage.client("ada").await, stage.client("bob").await);
    ada.shake().await;
    ada.calls("activate_tools", json!({"tools": [NOW]})).await;
    bob.session = ada.session.clone();
    let stolen = bob.asks("tools/list", json!({})).await;
    bob.session = Some("0123456789abcdef0123456789abcdef".to_owned());
    let unknown = bob.asks("tools/list", json!({})).await;
    assert_eq!((stolen.status, &stolen), (404, &unknown));
    bob.session = ada.session.clone();
    let ended =
        bob.http.delete(&bob.url).bearer_auth(&bob.token).header("mcp-session-id", ada.session.as_ref().unwrap()).send().await.unwrap();
    assert_eq!(ended.status().as_u16(), 404);
    assert_eq!(ada.calls("time__now", json!({})).await.text(), "noon", "it is all ada's still");
}

#[tokio::test]
async fn attack_9_an_ended_session_is_gone_with_what_it_held() {
    let stage = Stage::new(AUTO).await;
    let mut ada = stage.client("ada").await;
    ada.shake().await;
    ada.calls("activate_tools", json!({"tools": [NOW]})).await;
    let id = ada.session.clone().unwrap();
    let ended = ada.http.delete(&ada.url).bearer_auth(&ada.token).header("mcp-session-id", &id).send().await.unwrap();
    assert!(ended.status().is_success());
    assert_eq!(ada.calls("time__now", json!({})).await.status, 404);
    assert!(stage.desk.sessions().is_empty());
    ada.session = None;
    ada.shake().await;
    assert_eq!(names(&ada.asks("tools/list", json!({})).await).len(), 5);
}

#[tokio::test]
async fn ses_3_attack_10_a_session_left_behind_is_taken_over_where_the_profile_says_so() {
    let stage = Stage::new(
        "activation = \"auto\"\nprofile = \"credential\"\n[profiles.credential.http]\nretain = \"credential\"\n[profiles.other]",
    )
    .await;
    let mut ada = stage.client("ada").await;
    ada.shake().await;
    ada.calls("activate_tools", json!({"tools": [NOW]})).await;
    // Its client is not heard of for a while.
    stage.endpoint.routes.sessions.age(Duration::from_secs(6 * 60));
    let mut again = Client { session: None, ..ada.clone() };
    again.shake().await;
    assert_eq!(again.calls("time__now", json!({})).await.text(), "noon");
    assert_eq!(ada.asks("tools/list", json!({})).await.status, 404, "the id that it had is none any more");
    // While that one lives, another begins with nothing; so does one of another credential.
    let mut third = Client { session: None, ..ada.clone() };
    third.shake().await;
    assert_eq!(names(&third.asks("tools/list", json!({})).await).len(), 5);
    assert_eq!(stage.desk.sessions().len(), 2);
    // With two left behind nobody can say which one it was.
    stage.endpoint.routes.sessions.age(Duration::from_secs(6 * 60));
    let mut fourth = Client { session: None, ..ada.clone() };
    fourth.shake().await;
    assert_eq!(names(&fourth.asks("tools/list", json!({})).await).len(), 5);
}

#[tokio::test]
async fn ses_3_what_nobody_uses_ends_and_an_open_stream_is_a_use() {
    let stage = Stage::new("activation = \"auto\"\nprofile = \"short\"\n[profiles.short.http]\nidle = \"1h\"").await;
    let (mut ada, mut bob) = (stage.client("ada").await, stage.client("bob").await);
    ada.shake().await;
    bob.shake().await;
    let listening = bob.http.get(&bob.url).bearer_auth(&bob.token).header("accept", "text/event-stream");
    let listening = listening.header("mcp-session-id", bob.session.as_ref().unwrap()).send().await.unwrap();
    assert!(listening.status().is_success());
    let sessions = &stage.endpoint.routes.sessions;
    sessions.age(Duration::from_secs(3601));
    sessions.sweep(Instant::now()).await;
    let left: Vec<_> = stage.desk.sessions().iter().map(|cell| cell.asker().principal.to_string()).collect();
    assert_eq!(left, ["bob"]);
    assert_eq!(ada.asks("tools/list", json!({})).await.status, 404);
    drop(listening);
}

#[tokio::test]
async fn ses_3_sessions_of_a_principal_are_bounded() {
    let stage = Stage::new("profile = \"small\"\n[profiles.small.http]\nsessions = 2").await;
    for _ in 0..2 {
        assert!(stage.client("ada").await.shake().await.message["result"].is_object());
    }
    let third = stage.client("ada").await.shake().await;
    assert!(third.message["error"]["message"].as_str().unwrap().contains("sessions"), "{third:?}");
    assert!(stage.client("bob").await.shake().await.message["result"].is_object(), "another principal has room of its own");
}

#[tokio::test]
async fn ses_2_a_url_asks_for_tools_by_the_same_policy() {
    let stage = Stage::new(AUTO).await;
    let mut ada = stage.client("ada").await;
    ada.url = format!("{}?tools={NOW}", ada.url);
    ada.shake().await;
    assert_eq!(names(&ada.asks("tools/list", json!({})).await)[5..], ["time__now"]);
    let stage = Stage::new("activation = \"prompt\"").await;
    let mut ada = stage.client("ada").await;
    ada.url = format!("{}?tools={NOW}", ada.url);
    ada.shake().await;
    assert_eq!(names(&ada.asks("tools/list", json!({})).await).len(), 5);
    let waiting = stage.desk.sessions()[0].state().waiting.clone().unwrap();
    assert_eq!(waiting.what[0].bound.id.as_str(), NOW);
}
