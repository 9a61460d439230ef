//! What is no message, and what comes too much of.

use super::super::account::CONNECTIONS;
use super::stage::{NOW, Stage, caller, parse, read, until};
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
    let health = reqwest::get(format!("http://{at}/health")).await.unwrap();
    assert!(health.headers()["content-type"].to_str().unwrap().starts_with("text/plain"));
    assert_eq!(health.text().await.unwrap(), "ok\n");
    let written = reqwest::Client::new().post(format!("http://{at}/health")).send().await.unwrap();
    assert_eq!((written.status().as_u16(), &written.headers()["allow"]), (405, &"GET, HEAD".parse().unwrap()), "RFC 9110, 15.5.6");
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

#[tokio::test]
async fn attack_64_connections_of_a_principal_are_bounded_and_nobodys_are_closed() {
    let stage = Stage::new("").await;
    let (ada, bob) = (stage.client("ada").await, stage.client("bob").await);
    assert_eq!(ada.says("tools/list", json!({})).await.status, 200);
    // All but the one that she has.
    let account = stage.endpoint.routes.sessions.account(&caller("ada"));
    let others = account.connections().clone().try_acquire_many_owned(u32::try_from(CONNECTIONS - 1).unwrap()).unwrap();
    let one_more = super::stage::Client { http: reqwest::Client::new(), ..ada.clone() };
    let refused = one_more.modern("tools/list", json!({})).send().await.unwrap();
    assert_eq!((refused.status().as_u16(), refused.headers().contains_key("retry-after")), (429, true));
    assert_eq!(ada.says("tools/list", json!({})).await.status, 200, "what is open is hers still");
    assert_eq!(bob.says("tools/list", json!({})).await.status, 200, "another principal's are its own");
    drop(others);
    assert_eq!(one_more.says("tools/list", json!({})).await.status, 200);
    drop((ada, one_more));
    until(|| account.connections().available_permits() == CONNECTIONS).await;
    let mut nobody = TcpStream::connect(stage.endpoint.at()).await.unwrap();
    nobody.write_all(format!("GET /health HTTP/1.1\r\nHost: {}\r\n\r\n", stage.endpoint.at()).as_bytes()).await.unwrap();
    let mut said = String::new();
    tokio::time::timeout(Duration::from_secs(5), nobody.read_to_string(&mut said)).await.unwrap().unwrap();
    assert!(said.ends_with("ok\n"), "{said}");
}

#[tokio::test]
async fn ses_4_a_page_of_the_operators_may_call_and_read_and_no_other() {
    let stage = Stage::new("[http]\norigins = [\"https://app.example.com\"]").await;
    let ada = stage.client("ada").await;
    let preflight = async |origin: &str| {
        let asks = ada.http.request(reqwest::Method::OPTIONS, &ada.url).header("origin", origin);
        let asks = asks.header("access-control-request-method", "POST");
        asks.header("access-control-request-headers", "authorization, Content-Type, mcp-param-zone, x-evil").send().await.unwrap()
    };
    let of = |response: &reqwest::Response, name: &str| response.headers().get(name).map(|value| value.to_str().unwrap().to_owned());
    let page = "https://app.example.com";
    let asked = preflight(page).await;
    assert_eq!((asked.status().as_u16(), of(&asked, "access-control-allow-origin").as_deref()), (204, Some(page)));
    assert_eq!(of(&asked, "access-control-allow-headers").as_deref(), Some("authorization, content-type, mcp-param-zone"));
    assert!(of(&asked, "access-control-allow-methods").unwrap().contains("DELETE"));
    let listed = ada.modern("tools/list", json!({})).header("origin", page).send().await.unwrap();
    let shown = (listed.status().as_u16(), of(&listed, "access-control-allow-origin"), of(&listed, "vary"));
    assert_eq!(shown, (200, Some(page.to_owned()), Some("Origin".to_owned())));
    assert!(of(&listed, "access-control-expose-headers").unwrap().contains("Mcp-Session-Id"));
    let bare = ada.http.post(&ada.url).header("origin", page).send().await.unwrap();
    assert_eq!((bare.status().as_u16(), of(&bare, "access-control-allow-origin").as_deref()), (401, Some(page)), "it can read why");
    for response in [&asked, &listed, &bare] {
        assert_eq!(of(response, "access-control-allow-credentials"), None, "no cookie counts");
    }
    let other = preflight("https://app.example.net").await;
    assert_eq!((other.status().as_u16(), of(&other, "access-control-allow-origin")), (403, None));
}

#[tokio::test]
async fn ses_4_what_is_cut_off_at_the_end_is_told_that_it_may_have_been_done() {
    let stage = Stage::new("activation = \"prompt\"\napproval = { wait = \"25s\" }").await;
    let ada = stage.client("ada").await;
    // Its client shows no forms, so the call waits for somebody else.
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
    });
    let params = json!({"name": "activate_tools", "arguments": {"tools": [NOW]}, "_meta": meta});
    let request = ada.request(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}));
    let request =
        request.header("mcp-protocol-version", "2026-07-28").header("mcp-method", "tools/call").header("mcp-name", "activate_tools");
    let waits = tokio::spawn(async move { read(request.send().await.unwrap()).await });
    until(|| stage.desk.sessions().iter().any(|cell| cell.state().waiting.is_some())).await;
    stage.endpoint.end().await;
    let answer = waits.await.unwrap();
    assert!(answer.message["error"]["message"].as_str().is_some_and(|why| why.contains("outcome unknown")), "{answer:?}");
}
