//! What one client can make its host hold.

use super::raw::{activate, connect, prompting};
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
