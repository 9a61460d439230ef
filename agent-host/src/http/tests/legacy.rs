//! Clients that shake hands.

use super::super::sessions::Sessions;
use super::stage::{Client, NOW, Stage, caller, heard, names, until};
use agent_core::id::ToolId;
use agent_engine::revocation::Scope;
use rmcp::transport::streamable_http_server::session::SessionManager;
use serde_json::json;
use std::task::Poll;
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
async fn ses_3_attack_10_who_takes_a_session_over_hears_of_it_and_the_old_connection_is_closed() {
    let config = "activation = \"auto\"\nprofile = \"credential\"\n[profiles.credential.http]\nretain = \"credential\"";
    let stage = Stage::new(config).await;
    let mut ada = stage.client("ada").await;
    ada.shake().await;
    ada.calls("activate_tools", json!({"tools": [NOW]})).await;
    let (shaken, old) = (&stage.endpoint.routes.shaken, ada.session.clone().unwrap().into());
    assert!(shaken.has_session(&old).await.unwrap());
    stage.endpoint.routes.sessions.age(Duration::from_secs(6 * 60));
    let mut again = Client { session: None, ..ada.clone() };
    again.shake().await;
    let closed = async {
        while shaken.has_session(&old).await.unwrap() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(5), closed).await.unwrap();
    let mut listening = again.listening().await;
    stage.desk.revoke(&Scope::Everywhere(ToolId::parse(NOW).unwrap()), "test", false).await;
    assert!(heard(&mut listening, "list_changed").await);
}

#[tokio::test]
async fn ses_3_i_10_a_session_whose_client_went_before_it_knew_it_is_counted_and_ends_soon() {
    let stage = Stage::new(AUTO).await;
    let (sessions, gone) = (stage.endpoint.routes.sessions.clone(), caller("gone"));
    let mut ada = stage.client("ada").await;
    ada.shake().await;
    tokio::select! {
        biased;
        _ = sessions.with_handle(&gone, &[]) => panic!("it was opened at once"),
        () = std::future::ready(()) => {}
    }
    until(|| sessions.served() == 2).await;
    // A handshake whose client does not wait for its answer.
    let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}});
    let body = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello}).to_string();
    let request = http::Request::post("/mcp").header("content-type", "application/json");
    let request = request.header("accept", "application/json, text/event-stream").header("host", "127.0.0.1").body(body.into()).unwrap();
    let (routes, shaken) = (stage.endpoint.routes.clone(), stage.endpoint.routes.shaken.clone());
    tokio::select! {
        biased;
        answer = routes.served(gone, request) => panic!("it was answered at once: {answer:?}"),
        () = std::future::ready(()) => {}
    }
    until(|| sessions.served() == 3).await;
    until(|| shaken.sessions.try_read().is_ok_and(|known| known.len() == 1)).await;
    let soon = async |sessions: &Sessions, after| {
        sessions.age(Duration::from_secs(after));
        sessions.sweep(Instant::now()).await;
        stage.desk.sessions().len()
    };
    assert_eq!((soon(&sessions, 20).await, soon(&sessions, 11).await), (3, 1));
    assert_eq!(ada.asks("tools/list", json!({})).await.status, 200, "who knows hers keeps it");
}

#[tokio::test]
async fn ses_3_what_nobody_uses_ends_and_an_open_stream_is_a_use() {
    let stage = Stage::new("activation = \"auto\"\nprofile = \"short\"\n[profiles.short.http]\nidle = \"1h\"").await;
    let (mut ada, mut bob) = (stage.client("ada").await, stage.client("bob").await);
    ada.shake().await;
    bob.shake().await;
    let listening = bob.listening().await;
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
    assert!(third.status == 429 && third.message["error"]["message"].as_str().unwrap().contains("sessions"), "{third:?}");
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

#[tokio::test]
async fn ses_2_a_handshake_is_told_what_came_of_the_tools_in_its_url() {
    let config = "activation = \"auto\"\nprofile = \"credential\"\n[profiles.credential.http]\nretain = \"credential\"";
    let stage = Stage::new(config).await;
    let mut ada = stage.client("ada").await;
    ada.url = format!("{}?tools={NOW},mcp:time/than", ada.url);
    let told = |answer: &super::stage::Answer| answer.message["result"]["instructions"].as_str().unwrap().to_owned();
    let first = told(&ada.shake().await);
    assert!(first.contains("?tools=") && first.contains("mcp:time/than"), "{first}");
    assert_eq!(names(&ada.asks("tools/list", json!({})).await).len(), 5);
    stage.endpoint.routes.sessions.age(Duration::from_secs(6 * 60));
    let mut again = Client { session: None, url: format!("{}?tools={NOW}", stage.url()), ..ada.clone() };
    let second = told(&again.shake().await);
    assert!(second.contains("was there before"), "{second}");
    let plain = told(&stage.client("bob").await.shake().await);
    assert!(!plain.contains("?tools="), "{plain}");
}

#[tokio::test]
async fn ses_3_a_client_that_comes_back_while_others_are_ended_keeps_its_session() {
    let stage = Stage::new(AUTO).await;
    let (mut ada, mut bob) = (stage.client("ada").await, stage.client("bob").await);
    ada.shake().await;
    bob.shake().await;
    let sessions = &stage.endpoint.routes.sessions;
    sessions.age(Duration::from_secs(366 * 24 * 3600));
    let mut sweep = Box::pin(sessions.sweep(Instant::now()));
    let begun = std::future::poll_fn(|context| Poll::Ready(sweep.as_mut().poll(context))).await;
    assert!(begun.is_pending(), "an end waits for its record");
    let (ada_came, bob_came) = (ada.asks("tools/list", json!({})).await.status, bob.asks("tools/list", json!({})).await.status);
    assert!([ada_came, bob_came].contains(&200) && [ada_came, bob_came].contains(&404), "one was ended: {ada_came} {bob_came}");
    sweep.await;
    let who = if ada_came == 200 { ada } else { bob };
    assert_eq!(who.asks("tools/list", json!({})).await.status, 200);
    assert_eq!(stage.desk.sessions().len(), 1);
}
