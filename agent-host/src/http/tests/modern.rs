//! Requests that stand by themselves.

use super::stage::{Client, NOW, Stage, heard, names, read, until};
use serde_json::{Value, json};
use tokio::task::JoinSet;

const AUTO: &str = "activation = \"auto\"";
const CREDENTIAL: &str = "activation = \"auto\"\nsurface = \"dynamic\"\n[profiles.credential.http]\nsession = \"credential\"";

#[tokio::test]
async fn ses_2_a_handle_names_the_session_of_each_call() {
    let stage = Stage::new(AUTO).await;
    let ada = stage.client("ada").await;
    let discovered = ada.says("server/discover", json!({})).await;
    assert!(discovered.message["result"]["instructions"].as_str().unwrap().contains("`session`"), "{discovered:?}");
    let listed = ada.says("tools/list", json!({})).await;
    assert_eq!(names(&listed).len(), 5);
    assert_eq!((&listed.message["result"]["ttlMs"], &listed.message["result"]["cacheScope"]), (&json!(0), &json!("private")));
    assert!(listed.message["result"]["tools"][2]["inputSchema"]["required"].as_array().unwrap().contains(&json!("session")));
    let found = ada.does("search_tools", json!({"query": "what time is it"})).await.object();
    let session = found["session"].as_str().unwrap().to_owned();
    assert_eq!(session.len(), 32, "128 bits");
    let again = ada.does("search_tools", json!({"query": "time", "session": session})).await.object();
    assert_eq!((again.get("session"), &again["tools"][0]["id"]), (None, &json!(NOW)));
    ada.does("activate_tools", json!({"tools": [NOW], "session": session})).await;
    let called = ada.does("call_tool", json!({"id": NOW, "arguments": {}, "session": session})).await;
    assert_eq!((called.text(), &called.message["result"]["resultType"]), ("noon", &json!("complete")));
    assert_eq!(names(&ada.says("tools/list", json!({})).await).len(), 5, "the list stays as it is");
}

#[tokio::test]
async fn attack_6_and_8_a_handle_is_its_principals_alone() {
    let stage = Stage::new(AUTO).await;
    let (ada, bob) = (stage.client("ada").await, stage.client("bob").await);
    let opened = ada.does("activate_tools", json!({"tools": [NOW]})).await.object();
    let session = opened["session"].as_str().unwrap();
    let call = |session: &str| json!({"id": NOW, "arguments": {}, "session": session});
    let stolen = bob.does("call_tool", call(session)).await;
    let made_up = bob.does("call_tool", call("00000000000000000000000000000001")).await;
    let odd = bob.does("call_tool", call("x")).await;
    assert!(stolen.message["error"].is_object());
    assert_eq!((&stolen, &stolen), (&made_up, &odd));
    assert!(bob.does("call_tool", json!({"id": NOW, "arguments": {}})).await.message["error"].is_object(), "none is named");
    assert_eq!(ada.does("call_tool", call(session)).await.text(), "noon");
    let other = ada.does("search_tools", json!({"query": "time"})).await.object();
    let refused = ada.does("call_tool", call(other["session"].as_str().unwrap())).await;
    assert_eq!(refused.message["result"]["isError"], true, "a session of her own, and it holds nothing");
}

#[tokio::test]
async fn ses_2_an_answer_goes_on_in_the_session_that_its_first_call_opened() {
    let stage = Stage::new("activation = \"prompt\"").await;
    let ada = stage.client("ada").await;
    let asked = ada.does("activate_tools", json!({"tools": [NOW]})).await;
    let state = asked.message["result"]["requestState"].as_str().unwrap_or_else(|| panic!("{asked:?}")).to_owned();
    assert_eq!(stage.desk.sessions().len(), 1);
    let answer = |state: &str| {
        let responses = json!({"approve": {"action": "accept", "content": {"approve": true}}});
        json!({"name": "activate_tools", "arguments": {"tools": [NOW]}, "inputResponses": responses, "requestState": state})
    };
    let bob = stage.client("bob").await.says("tools/call", answer(&state)).await;
    assert!(!bob.message.to_string().contains("\"added\":1"), "{bob:?}");
    let active = ada.says("tools/call", answer(&state)).await.object();
    assert!(active["session"].is_string(), "it learns its handle now: {active}");
    let called = ada.does("call_tool", json!({"id": NOW, "arguments": {}, "session": active["session"]})).await;
    assert_eq!(called.text(), "noon");
    let replayed = ada.says("tools/call", answer(&state)).await;
    assert!(replayed.message["result"]["isError"] == true, "{replayed:?}");
}

#[tokio::test]
async fn ses_2_a_credential_is_one_session_where_the_operator_says_so() {
    let stage = Stage::new(CREDENTIAL).await;
    let (one, bob) = (stage.client("ada-c").await, stage.client("bob-c").await);
    let two = one.clone();
    one.does("activate_tools", json!({"tools": [NOW]})).await;
    assert_eq!(names(&two.says("tools/list", json!({})).await)[5], "time__now");
    assert_eq!(two.does("time__now", json!({})).await.text(), "noon");
    assert_eq!(names(&bob.says("tools/list", json!({})).await).len(), 5);
    assert!(bob.does("time__now", json!({})).await.message["error"].is_object());
    assert_eq!(stage.desk.sessions().len(), 2);
}

#[tokio::test]
async fn ses_2_requests_that_come_at_once_find_the_one_session_whole() {
    let config = format!("{CREDENTIAL}\n[profiles.credential]\npresets = [\"{NOW}\"]");
    let stage = Stage::new(&config).await;
    let ada = stage.client("ada-c").await;
    let mut requests = JoinSet::new();
    for _ in 0..16 {
        let ada = ada.clone();
        requests.spawn(async move { names(&ada.says("tools/list", json!({})).await).len() });
    }
    assert_eq!(requests.join_all().await, [6; 16]);
    assert_eq!(stage.desk.sessions().len(), 1);
}

#[tokio::test]
async fn attack_7_and_61_nobody_comes_without_a_credential() {
    let stage = Stage::new(AUTO).await;
    let (id, taken_back) = stage.token("ada", None, false).await;
    stage.desk.revoke_token(id, "test").await;
    let made_up = format!("aht_{}", "0".repeat(64));
    for token in ["", "eve", "Bearer", "aht_", &made_up, &taken_back] {
        let answer = stage.bearer(token).says("tools/list", json!({})).await;
        assert_eq!(answer.status, 401, "{token}");
    }
    let bare = reqwest::Client::new().post(stage.url()).json(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})).send().await;
    assert_eq!(bare.unwrap().status().as_u16(), 401);
    assert!(stage.desk.sessions().is_empty());
}

#[tokio::test]
async fn attack_13_headers_and_body_say_the_same() {
    let stage = Stage::new(AUTO).await;
    let ada = stage.client("ada").await;
    let request = ada.modern("tools/call", json!({"name": "call_tool", "arguments": {"id": NOW, "arguments": {}}}));
    let split = request.header("mcp-name", "search_tools");
    assert_eq!(read(split.send().await.unwrap()).await.status, 400);
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}});
    let bare = ada.request(&body).header("mcp-protocol-version", "2026-07-28").header("mcp-method", "tools/list");
    let answer = read(bare.send().await.unwrap()).await;
    assert_eq!((answer.status, &answer.message["error"]["code"]), (400, &json!(-32602)), "no _meta");
    let old = ada.request(&body).header("mcp-protocol-version", "1900-01-01");
    assert_eq!(read(old.send().await.unwrap()).await.status, 400);
}

#[tokio::test]
async fn attack_13_marked_arguments_are_what_their_headers_say() {
    let stage = Stage::new(CREDENTIAL).await;
    let definition =
        json!({"name": "now", "inputSchema": {"type": "object", "properties": {"zone": {"type": "string", "x-mcp-header": "Zone"}}}});
    stage.publish(&definition).await;
    let ada = stage.client("ada-c").await;
    let call = async |name: &str, headers: &[&str]| {
        let request = ada.modern("tools/call", json!({"name": name, "arguments": {"zone": "Z"}}));
        let request = headers.iter().fold(request, |request, value| request.header("mcp-param-zone", *value));
        read(request.send().await.unwrap()).await
    };
    let (inactive, nothing) = (call("time__now", &[]).await, call("time__ow", &[]).await);
    assert_eq!(inactive, nothing, "what is not active is not told of");
    ada.does("activate_tools", json!({"tools": [NOW]})).await;
    for headers in [&[][..], &["Y"], &["Z", "Z"], &["=?base64?Wg=?="]] {
        let answer = call("time__now", headers).await;
        assert_eq!((answer.status, &answer.message["error"]["code"]), (400, &json!(-32020)), "{headers:?} {answer:?}");
    }
    for headers in [["Z"], ["=?base64?Wg==?="]] {
        assert_eq!(call("time__now", &headers).await.text(), "noon");
    }
    let by_id = ada.does("call_tool", json!({"id": NOW, "arguments": {"zone": "Z"}})).await;
    assert_eq!(by_id.text(), "noon", "these are arguments of another tool's");
}

#[tokio::test]
async fn attack_65_only_the_owners_stream_hears_of_a_change() {
    let stage = Stage::new(CREDENTIAL).await;
    let (ada, bob) = (stage.client("ada-c").await, stage.client("bob-c").await);
    let listen =
        |client: &super::stage::Client| client.modern("subscriptions/listen", json!({"notifications": {"toolsListChanged": true}})).send();
    let (mut hers, mut his) = (listen(&ada).await.unwrap(), listen(&bob).await.unwrap());
    assert!(hers.status().is_success() && his.status().is_success());
    assert!(heard(&mut hers, "acknowledged").await && heard(&mut his, "acknowledged").await);
    ada.does("activate_tools", json!({"tools": [NOW]})).await;
    assert!(heard(&mut hers, "list_changed").await);
    assert!(!heard(&mut his, "list_changed").await);
}

#[tokio::test]
async fn attack_65_a_stream_that_ends_takes_no_other_of_its_id_with_it() {
    let stage = Stage::new(CREDENTIAL).await;
    let one = stage.client("ada-c").await;
    let two = super::stage::Client { http: reqwest::Client::new(), ..one.clone() };
    let listen =
        |client: &super::stage::Client| client.modern("subscriptions/listen", json!({"notifications": {"toolsListChanged": true}})).send();
    let (mut hers, mut her_others) = (listen(&one).await.unwrap(), listen(&two).await.unwrap());
    assert!(heard(&mut hers, "acknowledged").await && heard(&mut her_others, "acknowledged").await);
    drop(hers);
    until(|| stage.endpoint.routes.sessions.answers() == 1).await;
    two.does("activate_tools", json!({"tools": [NOW]})).await;
    assert!(heard(&mut her_others, "list_changed").await);
}

#[tokio::test]
async fn ses_4_a_client_says_of_itself_what_it_likes() {
    let stage = Stage::new(AUTO).await;
    let ada = stage.client("ada").await;
    let mut claimed = ada.does("search_tools", json!({"query": "time"})).await.object();
    claimed["session"] = Value::Null;
    let request = ada.modern("tools/call", json!({"name": "search_tools", "arguments": {"query": "time"}}));
    let request = request.header("x-principal", "bob").header("x-forwarded-user", "bob");
    let mut same = read(request.send().await.unwrap()).await.object();
    same["session"] = Value::Null;
    assert_eq!(claimed, same);
    assert!(stage.desk.sessions().iter().all(|cell| cell.asker().principal.as_str() == "ada"));
}

#[tokio::test]
async fn attack_17_who_asks_again_and_again_takes_nobody_elses_question_away() {
    let config = "activation = \"prompt\"\n[profiles.credential.http]\nsession = \"credential\"";
    let stage = Stage::new(config).await;
    let (ada, bob) = (stage.client("ada-c").await, stage.client("bob-c").await);
    let asks = json!({"tools": [NOW]});
    let asked = bob.does("activate_tools", asks.clone()).await;
    // More often than states are kept.
    for _ in 0..1_100 {
        assert!(ada.does("activate_tools", asks.clone()).await.message["result"]["requestState"].is_string());
    }
    let responses = json!({"approve": {"action": "accept", "content": {"approve": true}}});
    let state = &asked.message["result"]["requestState"];
    let answer = json!({"name": "activate_tools", "arguments": asks, "inputResponses": responses, "requestState": state});
    assert_eq!(bob.says("tools/call", answer).await.object()["added"], 1);
}

#[tokio::test]
async fn ses_1_a_session_of_a_handle_says_what_its_client_calls_itself() {
    let stage = Stage::new(AUTO).await;
    stage.client("ada").await.does("search_tools", json!({"query": "time"})).await;
    assert_eq!(stage.desk.sessions()[0].client().as_deref(), Some("raw"));
}

#[tokio::test]
async fn ses_3_one_session_too_many_is_429_and_when_to_come_again() {
    let stage = Stage::new("profile = \"small\"\n[profiles.small.http]\nsessions = 1").await;
    let ada = stage.client("ada").await;
    let search = || ada.modern("tools/call", json!({"name": "search_tools", "arguments": {"query": "time"}}));
    assert_eq!(read(search().send().await.unwrap()).await.status, 200);
    for accept in ["application/json, text/event-stream", "application/json;q=0.9, text/event-stream"] {
        let mut request = search().build().unwrap();
        request.headers_mut().insert("accept", accept.parse().unwrap());
        let refused = ada.http.execute(request).await.unwrap();
        assert_eq!((refused.status().as_u16(), refused.headers().contains_key("retry-after")), (429, true), "{accept}");
        let message = read(refused).await.message;
        assert!(message["id"] == 1 && message["error"]["message"].as_str().unwrap().contains("sessions"), "{message}");
    }
}

#[tokio::test]
async fn ses_2_a_first_answer_says_what_came_of_the_tools_in_its_url() {
    let stage = Stage::new(CREDENTIAL).await;
    let mut ada = stage.client("ada").await;
    ada.url = format!("{}?tools={NOW},mcp:time/than", stage.url());
    let search = |session: &Value| json!({"query": "time", "session": session});
    let first = ada.does("search_tools", json!({"query": "time"})).await;
    let note = first.message["result"]["content"][1]["text"].as_str().unwrap();
    assert!(note.contains("?tools=") && note.contains("mcp:time/than"), "{note}");
    let second = ada.does("search_tools", search(&first.object()["session"])).await;
    assert_eq!(second.message["result"]["content"].as_array().unwrap().len(), 1, "it is told once");
    // Where every conversation is one session, most find it there.
    let mut one = stage.client("ada-c").await;
    one.does("search_tools", json!({"query": "time"})).await;
    one.url = format!("{}?tools={NOW}", stage.url());
    let notes = async |client: &super::stage::Client| {
        let answer = client.does("search_tools", json!({"query": "time"})).await;
        answer.message["result"]["content"].as_array().unwrap()[1..].iter().map(|note| note["text"].to_string()).collect::<String>()
    };
    assert!(notes(&one).await.contains("was there before"));
    assert_eq!(notes(&one).await, "");
}

#[tokio::test]
async fn ses_3_a_handle_for_which_there_is_no_room_is_told_so() {
    let stage = Stage::new("activation = \"auto\"\nprofile = \"small\"\n[profiles.small.http]\nsessions = 1").await;
    let ada = stage.client("ada").await;
    let opened = ada.does("activate_tools", json!({"tools": [NOW]})).await.object();
    // As after a restart: the session is there, and not served.
    let again = stage.again().await;
    let there = Client { url: again.url(), ..ada.clone() };
    let call = |session: &Value| json!({"id": NOW, "arguments": {}, "session": session});
    let mut other = there.clone();
    other.shake().await;
    let full = there.does("call_tool", call(&opened["session"])).await;
    assert!(full.message["error"]["message"].as_str().unwrap().contains("as many of your sessions are live as may be"), "{full:?}");
    let unknown = there.does("call_tool", call(&json!("0".repeat(32)))).await;
    assert!(!unknown.message["error"]["message"].as_str().unwrap().contains("live"), "{unknown:?}");
    again.end().await;
}
