//! Tokens: in a header, in a URL, and taken back.

use super::stage::{Client, NOW, Stage, caller, names};
use serde_json::json;
use std::time::Duration;

const AUTO: &str = "activation = \"auto\"";

#[tokio::test]
async fn attack_9_a_token_taken_back_ends_what_was_opened_under_it() {
    let stage = Stage::new(AUTO).await;
    let (id, token) = stage.token("ada", None, false).await;
    let (mut ada, mut other) = (stage.bearer(&token), stage.client("ada").await);
    ada.shake().await;
    other.shake().await;
    let bare = Client { session: None, ..ada.clone() };
    let handle = bare.does("activate_tools", json!({"tools": [NOW]})).await.object()["session"].clone();
    assert_eq!(stage.desk.sessions().len(), 3);
    stage.desk.revoke_token(id, "test").await;
    assert_eq!(ada.asks("tools/list", json!({})).await.status, 401);
    for _ in 0..100 {
        if stage.desk.sessions().len() == 1 {
            let call = json!({"id": NOW, "arguments": {}, "session": handle});
            let bare = Client { session: None, ..other.clone() };
            assert!(bare.does("call_tool", call).await.message["error"].is_object(), "its handle is nothing to another token");
            assert_eq!(names(&other.asks("tools/list", json!({})).await).len(), 5, "another token of the same person stays");
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("{:?}", stage.desk.sessions().len());
}

#[tokio::test]
async fn attack_9_a_token_that_went_while_no_host_ran_leaves_no_session() {
    let stage = Stage::new(AUTO).await;
    let (id, token) = stage.token("ada", None, false).await;
    let other = stage.client("ada").await;
    let handle = stage.bearer(&token).does("activate_tools", json!({"tools": [NOW]})).await.object()["session"].clone();
    let hers = other.does("activate_tools", json!({"tools": [NOW]})).await.object()["session"].clone();
    stage.endpoint.routes.sessions.with_handle(&caller("oauth:eve"), &[]).await.unwrap();
    let stage = stage.again_without(id).await;
    let other = Client { url: stage.url(), ..other };
    let call = |session| json!({"id": NOW, "arguments": {}, "session": session});
    assert!(other.does("call_tool", call(handle)).await.message["error"].is_object(), "its handle is nothing to another token");
    assert_eq!(other.does("call_tool", call(hers)).await.text(), "noon");
    let left: Vec<_> = stage.desk.sessions().iter().map(|cell| cell.asker().principal.to_string()).collect();
    assert!(left.len() == 2 && left.contains(&"oauth:eve".to_owned()), "an issuer's token may stand still: {left:?}");
}

#[tokio::test]
async fn ses_4_only_a_token_made_for_it_may_stand_in_a_url() {
    let stage = Stage::new(AUTO).await;
    let (plain, url) = (stage.token("ada", None, false).await.1, stage.token("ada", None, true).await.1);
    let at = |token: &str| format!("http://{}/s/{token}/mcp", stage.endpoint.at());
    let client = |token: &str| Client { url: at(token), ..stage.bearer("none") };
    assert_eq!(client(&plain).says("tools/list", json!({})).await.status, 401);
    assert_eq!(names(&client(&url).says("tools/list", json!({})).await).len(), 5);
    let mut legacy = client(&url);
    legacy.shake().await;
    legacy.calls("activate_tools", json!({"tools": [NOW]})).await;
    assert_eq!(legacy.calls("time__now", json!({})).await.text(), "noon");
}

#[tokio::test]
async fn ses_1_a_narrower_credential_of_the_same_person_is_not_served_in_a_wider_session() {
    let config = "activation = \"auto\"\nprofile = \"wide\"\n[profiles.wide]\n[profiles.credential]\ntools = [\"mcp:other/*\"]\n";
    let stage = Stage::new(config).await;
    let (mut wide, mut narrow) = (stage.client("ada").await, stage.client("ada-c").await);
    let handle = wide.does("activate_tools", json!({"tools": [NOW]})).await.object()["session"].clone();
    let call = json!({"id": NOW, "arguments": {}, "session": handle});
    assert_eq!(wide.does("call_tool", call.clone()).await.text(), "noon");
    assert!(narrow.does("call_tool", call).await.message["error"].is_object());
    wide.shake().await;
    narrow.session = wide.session.clone();
    assert_eq!(narrow.asks("tools/list", json!({})).await.status, 404);
    assert_eq!(names(&wide.asks("tools/list", json!({})).await).len(), 5);
}

#[tokio::test]
async fn ses_2_a_credentials_session_is_of_the_profile_that_it_has_now() {
    let config = |profile: &str| {
        let profiles = "[profiles.wide.http]\nsession = \"credential\"\n[profiles.narrow.http]\nsession = \"credential\"\n";
        format!("activation = \"auto\"\nprofile = \"{profile}\"\n{profiles}")
    };
    let stage = Stage::new(&config("wide")).await;
    let ada = stage.client("ada").await;
    ada.does("activate_tools", json!({"tools": [NOW]})).await;
    let call = json!({"id": NOW, "arguments": {}});
    assert_eq!(ada.does("call_tool", call.clone()).await.text(), "noon");
    stage.config.send_replace(std::sync::Arc::new(super::stage::parse(&config("narrow"))));
    assert!(ada.does("call_tool", call.clone()).await.message["result"]["isError"] == json!(true), "nothing was active under this one");
    let profiles: Vec<_> = stage.desk.sessions().iter().map(|cell| cell.asker().profile.clone().unwrap().to_string()).collect();
    assert_eq!(profiles, ["narrow"]);
    ada.does("activate_tools", json!({"tools": [NOW]})).await;
    assert_eq!(ada.does("call_tool", call).await.text(), "noon");
}

#[tokio::test]
async fn ses_4_a_stream_ends_with_the_token_that_opened_it() {
    let stage = Stage::new(AUTO).await;
    let (id, token) = stage.token("ada", None, false).await;
    let ada = stage.bearer(&token);
    let stream = ada.modern("subscriptions/listen", json!({"notifications": {"toolsListChanged": true}})).send().await.unwrap();
    let reading = tokio::spawn(stream.text());
    stage.desk.revoke_token(id, "test").await;
    assert!(tokio::time::timeout(Duration::from_secs(5), reading).await.is_ok(), "it is open still");
}

#[tokio::test]
async fn ses_4_where_an_issuers_keys_cannot_be_had_a_client_is_told_when_to_come_again() {
    let oauth = "[oauth]\nprofile = \"p\"\nissuer = \"http://127.0.0.1:1\"\nresource = \"https://t.example/mcp\"\n";
    let stage = Stage::new(&format!("[profiles.p]\n{oauth}")).await;
    // ES256, with a `kid`; nobody gets as far as its signature.
    let ada = stage.bearer("eyJhbGciOiJFUzI1NiIsImtpZCI6ImsiLCJ0eXAiOiJhdCtqd3QifQ.e30.c2ln");
    let answer = ada.modern("tools/list", json!({})).send().await.unwrap();
    assert_eq!((answer.status().as_u16(), answer.headers().contains_key("retry-after")), (503, true));
}
