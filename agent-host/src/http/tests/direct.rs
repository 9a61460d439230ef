//! Calls that are read past rmcp, beside the same calls that rmcp reads.

use super::super::direct::Call;
use super::stage::{Answer, Client, NOW, Stage, read};
use http::{HeaderMap, HeaderName};
use serde_json::{Value, json};
use std::time::Duration;

const PLAIN: &str = "application/json, text/event-stream";
/// Says the same, in words that are left to rmcp.
const ODD: &str = "application/json;q=0.9, text/event-stream";

/// One call both ways, each in a session of its own that holds the tool; handles are left out, for they differ.
async fn both(client: &Client, params: &Value) -> (Value, Value) {
    let one = async |accept: &str| {
        let opened = client.does("activate_tools", json!({"tools": [NOW]})).await;
        let mut params = params.clone();
        if params["arguments"]["session"] == "mine" {
            params["arguments"]["session"] = opened.object()["session"].clone();
        }
        let request = client.modern("tools/call", params).build().unwrap();
        let (client, mut request) = (client.http.clone(), request);
        request.headers_mut().insert("accept", accept.parse().unwrap());
        let response = client.execute(request).await.unwrap();
        let kind = response.headers()["content-type"].to_str().unwrap().to_owned();
        let Answer { status, mut message } = read(response).await;
        if let Some(Value::String(text)) = message.pointer_mut("/result/content/0/text")
            && let Ok(Value::Object(mut object)) = serde_json::from_str(text)
        {
            object.get_mut("session").map(Value::take);
            *text = Value::from(object).to_string();
        }
        if let Some(Value::String(text)) = message.pointer_mut("/result/content/1/text") {
            text.truncate("session: ".len());
        }
        json!([status, kind, message])
    };
    (one(PLAIN).await, one(ODD).await)
}

#[tokio::test]
async fn ses_2_a_call_read_past_rmcp_is_answered_as_rmcp_answers_it() {
    let auto = Stage::new("activation = \"auto\"").await;
    let ada = auto.client("ada").await;
    let call = |name: &str, arguments: Value| json!({"name": name, "arguments": arguments});
    for params in [
        call("call_tool", json!({"id": NOW, "arguments": {}, "session": "mine"})),
        call("call_tool", json!({"id": "mcp:time/then", "arguments": {}, "session": "mine"})),
        call("call_tool", json!({"id": 7, "session": "mine"})),
        call("call_tool", json!({"id": NOW, "arguments": {}})),
        call("call_tool", json!({"id": NOW, "session": 7})),
        call("call_tool", json!({"id": NOW, "session": "00000000000000000000000000000001"})),
        call("search_tools", json!({"query": "time"})),
        call("search_tools", json!({"query": "time", "session": "mine"})),
        call("tool_details", json!({"id": NOW, "session": "mine"})),
        call("time__now", json!({})),
        call("", json!({})),
        json!({"name": "search_tools"}),
    ] {
        let (direct, by_rmcp) = both(&ada, &params).await;
        assert_eq!(direct, by_rmcp, "{params}");
    }
}

#[tokio::test]
async fn ses_2_a_question_read_past_rmcp_is_put_as_rmcp_puts_it() {
    let stage = Stage::new("activation = \"prompt\"").await;
    let ask = async |client: &Client, accept: &str| {
        let mut request = client.modern("tools/call", json!({"name": "activate_tools", "arguments": {"tools": [NOW]}})).build().unwrap();
        request.headers_mut().insert("accept", accept.parse().unwrap());
        read(client.http.execute(request).await.unwrap()).await
    };
    let client = stage.client("ada").await;
    let asked = [ask(&client, PLAIN).await, ask(&client, ODD).await].map(|answer| {
        let result = &answer.message["result"];
        let form = result["inputRequests"]["approve"]["params"]["requestedSchema"].clone();
        (answer.status, result["resultType"].clone(), form, result["requestState"].is_string())
    });
    assert!(asked[0] == asked[1] && asked[0].1 == "input_required" && asked[0].3, "{asked:?}");
}

#[tokio::test]
async fn ses_2_what_is_not_plainly_in_order_is_left_to_rmcp() {
    let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}});
    let whole = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "x", "arguments": {}, "_meta": meta}});
    let said = [("accept", PLAIN), ("mcp-protocol-version", "2026-07-28"), ("mcp-method", "tools/call"), ("mcp-name", "x")];
    let headers = |said: &[(&'static str, &str)]| -> HeaderMap {
        said.iter().map(|(name, value)| (HeaderName::from_static(name), value.parse().unwrap())).collect()
    };
    let reads = |headers: &HeaderMap, body: &Value| Call::read(headers, body.to_string().as_bytes()).is_some();
    assert!(reads(&headers(&said), &whole));
    for (name, value) in [
        ("accept", "application/json"),
        ("accept", "*/*"),
        ("accept", ODD),
        ("mcp-protocol-version", "2025-11-25"),
        ("mcp-method", "tools/list"),
        ("mcp-name", "y"),
    ] {
        let mut other = headers(&said);
        other.insert(name, value.parse().unwrap());
        assert!(!reads(&other, &whole), "{name}: {value}");
        let mut twice = headers(&said);
        twice.append(name, twice[name].clone());
        assert!(!reads(&twice, &whole), "{name} stands twice");
        twice.remove(name);
        assert!(!reads(&twice, &whole), "no {name}");
    }
    for (path, value) in [
        ("/jsonrpc", json!("1.0")),
        ("/id", json!(null)),
        ("/method", json!("tools/list")),
        ("/params/name", json!(7)),
        ("/params/arguments", json!([])),
        ("/params/_meta", json!({})),
        ("/params/_meta/io.modelcontextprotocol~1protocolVersion", json!("2025-11-25")),
        ("/params/_meta/io.modelcontextprotocol~1clientCapabilities", json!(7)),
    ] {
        let mut other = whole.clone();
        *other.pointer_mut(path).unwrap() = value;
        assert!(!reads(&headers(&said), &other), "{path}");
    }
    let mut hears = whole.clone();
    hears["params"]["_meta"]["progressToken"] = json!(1);
    assert!(!reads(&headers(&said), &hears), "something comes before its answer");
    let twice = whole.to_string().replacen("\"id\":1", "\"id\":1,\"id\":2", 1);
    assert!(Call::read(&headers(&said), twice.as_bytes()).is_none());
}

#[tokio::test]
async fn ses_3_a_call_takes_its_sessions_turn_whoever_reads_it() {
    let stage = Stage::new("activation = \"auto\"").await;
    for accept in [PLAIN, ODD] {
        let opened = stage.client("ada").await.does("activate_tools", json!({"tools": [NOW]})).await.object();
        // A connection of its own, on which nothing was said yet.
        let client = Client { http: reqwest::Client::builder().pool_max_idle_per_host(1).build().unwrap(), ..stage.client("ada").await };
        let params = json!({"name": "call_tool", "arguments": {"id": NOW, "arguments": {}, "session": opened["session"]}});
        let call = async || {
            let mut request = client.modern("tools/call", params.clone()).build().unwrap();
            request.headers_mut().insert("accept", accept.parse().unwrap());
            read(client.http.execute(request).await.unwrap()).await
        };
        assert_eq!(call().await.text(), "noon");
        let turns: Vec<_> = stage.endpoint.routes.sessions.lanes().iter().map(|lane| lane.occupied()).collect();
        let waits = tokio::time::timeout(Duration::from_millis(200), call()).await;
        assert!(waits.is_err(), "{accept}: its session is worked on elsewhere: {waits:?}");
        drop(turns);
        assert_eq!(call().await.text(), "noon");
    }
}
