//! What one client can make its host hold.

use super::raw::{activate, connect, modern, prompting};
use super::{LONG, SHORT, host};
use agent_engine::policy::{Policy, Verdict};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::time::timeout;

/// More than both pipes hold, requests on one side and answers on the other.
const MANY: u64 = 20_000;

#[tokio::test]
async fn ses_2_a_client_that_only_writes_is_not_read_on() {
    let mut client = connect(host(Policy::of(Verdict::Auto), SHORT).await);
    client.shake_hands().await;
    let mut sent = 0;
    while sent < MANY {
        let line = format!("{}\n", json!({"jsonrpc": "2.0", "id": format!("n{sent}"), "method": "tools/list"}));
        // A line is written whole or, at the last one, in part.
        if timeout(Duration::from_millis(500), client.out.write_all(line.as_bytes())).await.is_err() {
            break;
        }
        sent += 1;
    }
    assert!((10..3_000).contains(&sent), "{sent} requests were taken from a client that reads nothing");
    let mut answered = BTreeSet::new();
    while answered.len() < usize::try_from(sent).unwrap() {
        let answer = client.next().await;
        assert!(answer["result"]["tools"].is_array() && answered.insert(answer["id"].to_string()), "each is answered once: {answer}");
    }
}

#[tokio::test]
async fn ses_2_requests_that_wait_are_bounded_and_all_are_answered() {
    let mut client = connect(host(Policy::of(Verdict::Prompt), Duration::from_secs(1)).await);
    client.shake_hands().await;
    let mut ids: BTreeSet<u64> = BTreeSet::new();
    for _ in 0..300 {
        ids.insert(client.send("tools/call", activate()).await);
    }
    let list = client.send("tools/list", json!({})).await;
    let (mut before, mut listed) = (0, false);
    while !(ids.is_empty() && listed) {
        let answer = timeout(LONG, client.next()).await.unwrap();
        match answer["id"].as_u64() {
            Some(id) if id == list => listed = true,
            Some(id) => {
                assert!(ids.remove(&id), "{answer}");
                before += u32::from(!listed);
            }
            None => {}
        }
    }
    assert!(before >= 10, "the list was not taken before there was room: {before}");
}

#[tokio::test]
async fn ses_2_a_place_is_free_again_however_its_request_ends() {
    let mut client = connect(prompting().await);
    client.shake_hands().await;
    for _ in 0..600 {
        let id = client.send("tools/call", activate()).await;
        client.line(json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}})).await;
    }
    let list: Value = client.request("tools/list", json!({})).await;
    assert!(list["result"]["tools"].is_array(), "{list}");
}

#[tokio::test]
async fn ses_2_every_request_is_answered_under_its_id() {
    let mut client = connect(prompting().await);
    client.shake_hands().await;
    let deep = "[".repeat(200) + &"]".repeat(200);
    let long = "x".repeat(crate::lines::LINE_BYTES);
    let unreadable = [
        (
            json!("deep"),
            format!(r#"{{"jsonrpc":"2.0","id":"deep","method":"tools/call","params":{{"name":"x","arguments":{{"a":{deep}}}}}}}"#),
        ),
        (json!("long"), format!(r#"{{"jsonrpc":"2.0","id":"long","method":"ping","params":{{"a":"{long}"}}}}"#)),
        (json!(7), r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":[]}"#.to_owned()),
        (json!(1.5), r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#.to_owned()),
        (Value::Null, r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#.to_owned()),
        (Value::Null, r#"[{"jsonrpc":"2.0","id":9,"method":"ping"}]"#.to_owned()),
    ];
    for (id, line) in unreadable {
        // What nobody waits for is answered by nobody.
        let unasked = format!("noise\n{{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{deep}}}\n{{\"method\":{deep}}}\n");
        client.out.write_all(unasked.as_bytes()).await.unwrap();
        client.out.write_all(format!("{line}\n").as_bytes()).await.unwrap();
        let answer = timeout(LONG, client.next()).await.unwrap();
        assert_eq!((&answer["id"], answer["error"]["code"].as_i64()), (&id, Some(-32600)), "{answer}");
    }
    let list: Value = client.request("tools/list", json!({})).await;
    assert!(list["result"]["tools"].is_array(), "{list}");
}

#[tokio::test]
async fn host_1_a_notice_before_the_first_request_breaks_nothing_off() {
    let mut client = connect(prompting().await);
    let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 3}});
    client.line(cancel.clone()).await;
    client.line(json!({"jsonrpc": "2.0", "id": "old", "result": {}})).await;
    let found = client.request("server/discover", modern(json!({}))).await;
    assert!(found["result"]["supportedVersions"].is_array(), "{found}");
    client.line(cancel.clone()).await;
    client.request("tools/list", json!({})).await;
    client.line(cancel).await;
    let list = client.request("tools/list", modern(json!({}))).await;
    assert!(list["result"]["tools"].is_array() && !client.served.is_finished(), "{list}");
}

#[tokio::test]
async fn host_1_what_a_host_ends_under_is_not_said_to_be_cancelled() {
    let mut client = connect(host(Policy::of(Verdict::Prompt), LONG).await);
    client.shake_hands().await;
    let id = client.send("tools/call", activate()).await;
    // The list comes once the call before it was begun.
    client.request("tools/list", json!({})).await;
    client.served.abort();
    let mut told = None;
    while let Some(line) = timeout(LONG, client.lines.next_line()).await.unwrap().unwrap() {
        told = serde_json::from_str::<Value>(&line).ok().filter(|line| line["id"] == id).or(told);
    }
    assert!(told.is_some(), "it is answered before the end");
    let told = told.unwrap();
    assert!(told["error"]["message"].as_str().unwrap().starts_with("outcome unknown"), "{told}");
}
