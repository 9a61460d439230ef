//! What is no message, and what comes too much of.

use super::stage::{NOW, Stage, parse, read};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

#[tokio::test]
async fn attack_57_every_route_checks_for_whom_it_is() {
    let stage = Stage::new("").await;
    let (at, ada) = (stage.endpoint.at(), stage.client("ada").await);
    for path in ["/mcp", "/health", "/.well-known/oauth-protected-resource", "/s/x/mcp", "/nowhere"] {
        for (name, value) in [("host", "evil.example"), ("origin", "http://evil.example"), ("origin", "null")] {
            let answer =
                reqwest::Client::new().post(format!("http://{at}{path}")).header(name, value).bearer_auth(&ada.token).send().await.unwrap();
            assert_eq!(answer.status().as_u16(), 403, "{path} {name}: {value}");
        }
    }
    assert_eq!(reqwest::get(format!("http://{at}/health")).await.unwrap().text().await.unwrap(), "ok\n");
}

#[tokio::test]
async fn attack_58_a_page_cannot_send_what_is_no_json() {
    let stage = Stage::new("activation = \"auto\"").await;
    let ada = stage.client("ada").await;
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}).to_string();
    for kind in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/jsonp"] {
        let request = ada.http.post(&ada.url).bearer_auth(&ada.token).header("content-type", kind).body(body.clone());
        assert_eq!(read(request.send().await.unwrap()).await.status, 415, "{kind}");
    }
    assert!(stage.desk.sessions().is_empty());
}

#[tokio::test]
async fn attack_15_and_64_batches_packed_and_large_bodies_are_not_read() {
    let stage = Stage::new("").await;
    let ada = stage.client("ada").await;
    let call =
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "search_tools", "arguments": {"query": "time"}}});
    assert_eq!(read(ada.request(&json!([call, call])).send().await.unwrap()).await.status, 400);
    assert_eq!(read(ada.request(&call).header("content-encoding", "gzip").send().await.unwrap()).await.status, 415);
    assert_eq!(read(ada.request(&json!({"x": "y".repeat(2 * 1024 * 1024)})).send().await.unwrap()).await.status, 413);
    assert!(stage.desk.sessions().is_empty());
}

#[tokio::test]
async fn attack_64_open_streams_of_a_principal_are_bounded() {
    let stage = Stage::new("profile = \"small\"\n[profiles.small.http]\nrequests = 4").await;
    let (ada, bob) = (stage.client("ada").await, stage.client("bob").await);
    let listen =
        |client: &super::stage::Client| client.modern("subscriptions/listen", json!({"notifications": {"toolsListChanged": true}}));
    let mut open = Vec::new();
    for _ in 0..4 {
        open.push(listen(&ada).send().await.unwrap());
    }
    let fifth = ada.modern("tools/list", json!({})).send().await.unwrap();
    assert_eq!((fifth.status().as_u16(), fifth.headers().contains_key("retry-after")), (429, true));
    assert_eq!(bob.says("tools/list", json!({})).await.status, 200, "another principal's are its own");
    drop(open);
    for _ in 0..100 {
        if ada.says("tools/list", json!({})).await.status == 200 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("closed streams are counted still");
}

#[tokio::test]
async fn ses_4_a_stream_ends_with_a_result_and_then_nothing_is_taken() {
    let stage = Stage::new("").await;
    let ada = stage.client("ada").await;
    let stream = ada.modern("subscriptions/listen", json!({"notifications": {"toolsListChanged": true}})).send().await.unwrap();
    let (reading, ending) = (tokio::spawn(read(stream)), stage.endpoint.routes.clone());
    tokio::time::sleep(Duration::from_millis(200)).await;
    ending.drain().await;
    let last = tokio::time::timeout(Duration::from_secs(5), reading).await.unwrap().unwrap();
    assert!(last.message["result"].is_object(), "{last:?}");
    let late = ada.modern("tools/list", json!({})).send().await.unwrap();
    assert_eq!((late.status().as_u16(), late.headers().contains_key("retry-after")), (503, true));
}

#[tokio::test]
async fn attack_64_a_slow_head_holds_no_other_up() {
    let stage = Stage::new("activation = \"auto\"").await;
    let mut slow = TcpStream::connect(stage.endpoint.at()).await.unwrap();
    slow.write_all(b"POST /mcp HTTP/1.1\r\nHost: ").await.unwrap();
    let mut long = TcpStream::connect(stage.endpoint.at()).await.unwrap();
    let head = format!("POST /mcp HTTP/1.1\r\nHost: {}\r\nX: {}", stage.endpoint.at(), "x".repeat(100_000));
    let _ = long.write_all(head.as_bytes()).await;
    let mut answer = Vec::new();
    let _ = tokio::time::timeout(Duration::from_secs(5), long.read_to_end(&mut answer)).await.unwrap();
    assert!(String::from_utf8_lossy(&answer).starts_with("HTTP/1.1 431"), "{answer:?}");
    let ada = stage.client("ada").await;
    assert_eq!(ada.does("activate_tools", json!({"tools": [NOW]})).await.status, 200);
}

#[tokio::test]
async fn host_2_names_and_pages_hold_as_the_configuration_says_now() {
    let stage = Stage::new("").await;
    let url = format!("http://{}/health", stage.endpoint.at());
    let status = async |host: &str| reqwest::Client::new().get(&url).header("host", host).send().await.unwrap().status().as_u16();
    assert_eq!(status("mcp.example.com").await, 403);
    stage.config.send_replace(Arc::new(parse("[http]\nhosts = [\"mcp.example.com\"]")));
    assert_eq!(status("mcp.example.com").await, 200);
    stage.config.send_replace(Arc::new(parse("")));
    assert_eq!(status("mcp.example.com").await, 403);
}

#[tokio::test]
async fn attack_64_ids_are_used_once_at_a_time() {
    let stage = Stage::new("activation = \"prompt\"\napproval = { wait = \"2s\" }").await;
    let mut ada = stage.client("ada").await;
    ada.shake().await;
    let call = |name: &str, arguments| json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": name, "arguments": arguments}});
    let waits = ada.request(&call("activate_tools", json!({"tools": [NOW]}))).send();
    let again = async {
        tokio::time::sleep(Duration::from_millis(500)).await;
        ada.request(&call("search_tools", json!({"query": "time"}))).send().await
    };
    let (first, second) = tokio::join!(async { read(waits.await.unwrap()).await }, again);
    assert_eq!(read(second.unwrap()).await.status, 400);
    assert!(first.text().starts_with("pending"), "{first:?}");
    assert_eq!(ada.asks("tools/list", json!({})).await.status, 200);
}

#[tokio::test]
async fn attack_14_an_old_version_in_a_request_that_stands_by_itself_is_not_served() {
    let stage = Stage::new("activation = \"auto\"").await;
    let ada = stage.client("ada").await;
    let meta = json!({"io.modelcontextprotocol/protocolVersion": "2025-06-18", "io.modelcontextprotocol/clientCapabilities": {}});
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": meta}});
    let answer = read(ada.request(&body).header("mcp-protocol-version", "2025-06-18").send().await.unwrap()).await;
    assert!(answer.message["error"].is_object() || answer.status >= 400, "{answer:?}");
    assert!(stage.desk.sessions().is_empty());
}
