//! The modern era: versions, lists, streams.

use super::raw::{activate, connect, forms, meta, modern, prompting, text, with_surface};
use super::{LONG, NOW, SHORT, host};
use crate::config::Surface;
use agent_core::id::ToolId;
use agent_engine::policy::{Policy, Verdict};
use agent_engine::revocation::Scope;
use serde_json::{Value, json};
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::time::timeout;

#[tokio::test]
async fn ses_2_discover_names_both_eras_and_how_to_go_on() {
    let mut client = connect(prompting().await);
    let found = client.request("server/discover", modern(json!({}))).await;
    let result = &found["result"];
    let versions = result["supportedVersions"].as_array().unwrap();
    assert!(versions.contains(&json!("2025-11-25")) && versions.contains(&json!("2026-07-28")), "{found}");
    assert_eq!((&result["resultType"], &result["ttlMs"], &result["cacheScope"]), (&json!("complete"), &json!(0), &json!("private")));
    assert!(result["instructions"].as_str().unwrap().contains("call_tool") && result["capabilities"]["tools"]["listChanged"] == true);
    let list = client.request("tools/list", modern(json!({}))).await;
    let result = &list["result"];
    assert_eq!((&result["resultType"], &result["ttlMs"], &result["cacheScope"]), (&json!("complete"), &json!(0), &json!("private")));
    let search = client.call(modern(json!({"name": "search_tools", "arguments": {"query": "noon"}}))).await;
    assert!(search["result"]["resultType"] == "complete" && text(&search).contains(NOW), "{search}");
}

#[tokio::test]
async fn attack_14_no_request_is_served_by_a_guessed_version() {
    let mut client = connect(prompting().await);
    for method in ["tools/list", "server/discover"] {
        let mut old = json!({});
        old["_meta"] = meta("1900-01-01", &json!({}));
        let refused = client.request(method, old).await;
        assert_eq!(refused["error"]["code"], -32022, "{refused}");
        assert!(refused["error"]["data"]["supported"].as_array().unwrap().contains(&json!("2026-07-28")), "{refused}");
        let refused = client.request(method, json!({})).await;
        assert_eq!(refused["error"]["code"], -32602, "{refused}");
    }
    assert_eq!(client.names().await.len(), 5);
    let refused = client.call(activate()).await;
    assert_eq!(refused["error"]["code"], -32602, "a connection without a handshake needs it in each request: {refused}");
}

#[tokio::test]
async fn attack_14_each_request_is_served_by_the_rules_of_its_own_era() {
    let connection = host(Policy::of(Verdict::Auto), SHORT).await;
    let mut client = connect(connection);
    client.shake_hands().await;
    let active = client.call(activate()).await;
    assert!(text(&active).contains("call by name") && active["result"].get("resultType").is_none(), "{active}");
    let list = client.request("tools/list", json!({})).await["result"].clone();
    assert_eq!((list["tools"].as_array().unwrap().len(), list.get("ttlMs"), list.get("resultType")), (6, None, None));
    assert_eq!(client.names().await.len(), 5, "the modern list is stable");
    let unknown = json!({"name": "time__now", "arguments": {}});
    assert_eq!(text(&client.call(unknown.clone()).await), "noon");
    assert_eq!(client.call(modern(unknown)).await["error"]["code"], -32602);
}

#[tokio::test]
async fn attack_15_a_batch_runs_nothing() {
    for hands in [true, false] {
        let connection = host(Policy::of(Verdict::Auto), SHORT).await;
        let session = connection.session.clone();
        let mut client = connect(connection);
        if hands {
            client.shake_hands().await;
        }
        assert_eq!(client.names().await.len(), 5);
        let one = |id: u64| json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": modern(activate())});
        client.line(json!([one(90), one(91)])).await;
        assert_eq!(client.names().await.len(), 5);
        assert!(client.heard.iter().all(|message| message.get("result").is_none()), "{:?}", client.heard);
        assert!(session.state().active.is_empty());
    }
}

#[tokio::test]
async fn attack_3_call_tool_is_no_way_round() {
    let connection = prompting().await;
    let session = connection.session.clone();
    let mut client = connect(connection);
    let refused = client.call(forms(json!({"name": "call_tool", "arguments": {"id": NOW, "arguments": {}}}))).await;
    assert!(refused["result"]["isError"] == true && text(&refused).starts_with("not active in this session"), "{refused}");
    for id in ["call_tool", "activate_tools", "builtin:activate_tools"] {
        let refused = client.call(forms(json!({"name": "call_tool", "arguments": {"id": id, "arguments": {"tools": [NOW]}}}))).await;
        assert!(refused["result"]["isError"] == true && text(&refused).contains("not called through call_tool"), "{refused}");
    }
    assert!(session.state().waiting.is_none(), "nobody is asked");
}

#[tokio::test]
async fn gate_2_an_unknown_tool_is_the_protocols_error_and_says_nothing() {
    for surface in [Surface::Dynamic, Surface::Stable] {
        let mut client = connect(with_surface(surface).await);
        let mut said = Vec::new();
        for name in ["time__now", "no_such", "mcp:time/now", "call_tool "] {
            let refused = client.call(modern(json!({"name": name, "arguments": {}}))).await;
            assert_eq!(refused["error"]["code"], -32602, "{refused}");
            said.push(refused["error"]["message"].clone());
        }
        assert!(said.iter().all(|text| *text == said[0] && text.as_str().unwrap().starts_with("Unknown tool: ")), "{said:?}");
        let refused = client.call(modern(json!({"name": "call_tool", "arguments": {"id": NOW, "arguments": {}}}))).await;
        assert!(refused["result"]["isError"] == true && text(&refused).starts_with("not active in this session"), "{refused}");
    }
}

#[tokio::test]
async fn act_6_a_stable_list_never_changes_and_names_nothing_else() {
    let connection = host(Policy::of(Verdict::Auto), SHORT).await;
    let mut client = connect(connection);
    let before = client.request("tools/list", modern(json!({}))).await["result"].clone();
    let active = client.call(modern(activate())).await;
    let answer: Value = serde_json::from_str(text(&active)).unwrap();
    assert_eq!((&answer["tools"][0]["id"], &answer["how"]), (&json!(NOW), &json!("call_tool with the id")));
    assert!(answer["tools"][0]["input_schema"].is_object());
    assert_eq!(client.request("tools/list", modern(json!({}))).await["result"], before);
    let by_name = client.call(modern(json!({"name": "time__now", "arguments": {}}))).await;
    assert_eq!(by_name["error"]["code"], -32602, "what is not listed is not admitted by name");
    let by_id = client.call(modern(json!({"name": "call_tool", "arguments": {"id": NOW, "arguments": {}}}))).await;
    assert_eq!(text(&by_id), "noon");
    let other = client.call(modern(json!({"name": "call_tool", "arguments": {"id": "mcp:time/then", "arguments": {}}}))).await;
    assert!(text(&other).ends_with(&format!("Callable now: {NOW}.")), "{other}");
    assert!(client.notices().is_empty());
}

#[tokio::test]
async fn act_6_every_open_stream_hears_before_the_answer_and_after_a_revoke() {
    let connection = with_surface(Surface::Dynamic).await;
    let (desk, session) = (connection.desk.clone(), connection.session.clone());
    let mut client = connect(connection);
    let wants = json!({"notifications": {"toolsListChanged": true, "promptsListChanged": true, "resourceSubscriptions": ["file:///x"]}});
    let mut streams = Vec::new();
    for wants in [wants.clone(), wants, json!({"notifications": {"promptsListChanged": true}})] {
        streams.push(client.send("subscriptions/listen", modern(wants)).await);
        let ack = client.next().await;
        assert_eq!(ack["method"], "notifications/subscriptions/acknowledged", "{ack}");
        assert_eq!(ack["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], streams[streams.len() - 1]);
        let accepted = ack["params"]["notifications"].as_object().unwrap();
        assert!(accepted.keys().all(|key| key == "toolsListChanged") && accepted.len() == usize::from(streams.len() < 3), "{ack}");
    }
    assert!(text(&client.call(modern(activate())).await).contains("time__now"));
    let told: Vec<_> =
        client.notices().iter().map(|notice| notice["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"].clone()).collect();
    assert_eq!(told, [json!(streams[0]), json!(streams[1])], "both streams that asked for it, before the answer");
    client.line(json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": streams[0]}})).await;
    assert!(client.names().await.contains(&"time__now".to_owned()));
    client.heard.clear();
    desk.revoke(&Scope::Grant(session.asker().session, ToolId::parse(NOW).unwrap()), "Ada", false).await;
    let notice = client.next().await;
    assert_eq!(notice["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], streams[1], "{notice}");
    let held = client.call(modern(json!({"name": "time__now", "arguments": {}}))).await;
    assert!(held["result"]["isError"] == true && text(&held).contains("revoked"), "what was held is told why: {held}");
    client.was_asked_nothing();
}

#[tokio::test]
async fn act_6_streams_are_bounded() {
    let mut client = connect(prompting().await);
    for _ in 0..64 {
        client.send("subscriptions/listen", modern(json!({"notifications": {"toolsListChanged": true}}))).await;
        assert_eq!(client.next().await["method"], "notifications/subscriptions/acknowledged");
    }
    let more = client.request("subscriptions/listen", modern(json!({"notifications": {"toolsListChanged": true}}))).await;
    assert_eq!(more["result"]["resultType"], "complete", "one more ends as it begins: {more}");
    assert_eq!(client.names().await.len(), 5);
}

#[tokio::test]
async fn act_6_a_legacy_client_of_a_stable_list_calls_by_id_alone() {
    let mut client = connect(with_surface(Surface::Stable).await);
    client.shake_hands().await;
    assert!(text(&client.call(activate()).await).contains("call_tool with the id"));
    let by_name = client.call(json!({"name": "time__now", "arguments": {}})).await;
    assert!(by_name["result"]["isError"] == true && text(&by_name).starts_with("no tool of this name is listed"), "{by_name}");
    let by_id = client.call(json!({"name": "call_tool", "arguments": {"id": NOW, "arguments": {}}})).await;
    assert!(text(&by_id) == "noon" && client.notices().is_empty(), "{by_id}");
    let listen = client.request("subscriptions/listen", json!({"notifications": {"toolsListChanged": true}})).await;
    assert_eq!(listen["error"]["code"], -32601, "streams are of the other era: {listen}");
}

#[tokio::test]
async fn ses_2_streams_end_with_a_result_when_the_host_ends_or_the_input_does() {
    for by_host in [true, false] {
        let connection = prompting().await;
        let (front, session) = (connection.front.clone(), connection.session.clone());
        let mut client = connect(connection);
        let stream = client.send("subscriptions/listen", modern(json!({"notifications": {"toolsListChanged": true}}))).await;
        client.next().await;
        let asked = std::time::Instant::now();
        if by_host {
            front.close(&session).await;
        } else {
            client.out.shutdown().await.unwrap();
        }
        let ended = client.answer(stream).await;
        assert_eq!(ended["result"]["resultType"], "complete", "{ended}");
        assert_eq!(ended["result"]["_meta"]["io.modelcontextprotocol/subscriptionId"], stream);
        assert_eq!(timeout(LONG, &mut client.served).await.unwrap().unwrap(), Ok(()));
        assert!(asked.elapsed() < Duration::from_secs(4), "nothing is waited for");
    }
}

#[tokio::test]
async fn act_6_full_lists_what_the_rules_allow_from_the_start() {
    let connection = with_surface(Surface::Full).await;
    let left = connection.front.preset_by_rule(&connection.session).await;
    assert_eq!(left, []);
    let session = connection.session.clone();
    let mut client = connect(connection);
    assert_eq!(client.names().await.last().unwrap(), "time__now");
    assert!(session.state().active[0].grant.preset);
    assert_eq!(text(&client.call(modern(json!({"name": "time__now", "arguments": {}}))).await), "noon");
}
