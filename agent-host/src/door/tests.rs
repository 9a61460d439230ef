//! The door of a host on a real socket; the engine behind it is a real one with a fixed tool.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use super::*;
use crate::admin::Boundary;
use crate::config::Config;
use crate::relay::DOOR;
use agent_core::id::{Alias, SourceClass, ToolId};
use agent_core::outcome::{Outcome, ToolResult};
use agent_core::session::PrincipalId;
use agent_engine::catalog::{Source, assemble};
use agent_engine::engine::{Parts, build};
use agent_engine::ledger::MemoryLedger;
use agent_engine::policy::{Policy, Verdict};
use agent_engine::testing::{ManualClock, SeededEntropy, StaticHost};
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;

async fn clients() -> Clients {
    let now = ToolId::parse("mcp:time/now").unwrap();
    let tools = StaticHost::default().with(now, None, |_| Outcome::Ok(ToolResult::text("noon")));
    let ledger = Arc::new(MemoryLedger::default());
    let mut parts = Parts::new(ledger, Arc::new(tools), Arc::new(ManualClock::default()), Arc::new(SeededEntropy::new(1)));
    parts.policy = Policy::of(Verdict::Auto);
    let (front, desk) = build(parts).await.unwrap();
    let definitions = vec![json!({"name": "now", "inputSchema": {"type": "object"}}).to_string()];
    desk.publish(assemble(&[Source { definitions, ..Source::new(SourceClass::Mcp, Alias::parse("time").unwrap()) }])).await;
    let config = Config::parse(Path::new("/c.toml"), "approval = { wait = \"1ms\" }").unwrap();
    Clients::new(front, desk, Boundary::SameUser, watch::channel(Arc::new(config)).1)
}

struct Client {
    read: BufReader<OwnedReadHalf>,
    write: OwnedWriteHalf,
    welcome: Value,
}

impl Client {
    async fn enter(state: &Path, hello: Value) -> Self {
        let (read, write) = UnixStream::connect(socket(state)).await.unwrap().into_split();
        let mut client = Self { read: BufReader::new(read), write, welcome: Value::Null };
        client.welcome = client.exchange(hello).await;
        client
    }

    async fn exchange(&mut self, line: Value) -> Value {
        self.write.write_all(format!("{line}\n").as_bytes()).await.unwrap();
        let mut answer = String::new();
        self.read.read_line(&mut answer).await.unwrap();
        serde_json::from_str(&answer).unwrap()
    }

    async fn greet(&mut self) {
        let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}});
        self.exchange(json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params})).await;
        self.write.write_all(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n").await.unwrap();
    }

    /// The answer of a call, notices passed over.
    async fn call(&mut self, name: &str, arguments: Value) -> String {
        let request = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}});
        let mut answer = self.exchange(request).await;
        while answer["id"] != 1 {
            let mut line = String::new();
            self.read.read_line(&mut line).await.unwrap();
            answer = serde_json::from_str(&line).unwrap();
        }
        answer["result"]["content"][0]["text"].as_str().unwrap().to_owned()
    }
}

fn hello(resume: Value) -> Value {
    json!({"door": DOOR, "version": "1", "config": "/c.toml", "profile": null, "activation": null, "principal": null, "name": null, "resume": resume})
}

async fn until(what: impl Fn() -> bool) {
    for _ in 0..500 {
        if what() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    unreachable!("it never came to that");
}

#[tokio::test]
async fn host_1_each_client_has_a_set_of_its_own() {
    let state = tempfile::tempdir().unwrap();
    let clients = clients().await;
    let door = Door::open(state.path(), clients.clone()).unwrap();
    let mut first = Client::enter(state.path(), hello(Value::Null)).await;
    let mut second = Client::enter(state.path(), hello(Value::Null)).await;
    first.greet().await;
    second.greet().await;
    first.call("activate_tools", json!({"tools": ["mcp:time/now"]})).await;
    assert_eq!(first.call("time__now", json!({})).await, "noon");
    assert!(second.call("time__now", json!({})).await.contains("not active"), "one's set is not the other's");
    assert_eq!(*door.clients().borrow(), 2);
    drop(first);
    until(|| clients.desk.sessions().len() == 1).await;
    assert_eq!(*door.clients().borrow(), 1);
}

#[tokio::test]
async fn ses_1_a_session_is_taken_up_again_by_its_key_alone() {
    let state = tempfile::tempdir().unwrap();
    let clients = clients().await;
    let door = Door::open(state.path(), clients.clone()).unwrap();
    let mut client = Client::enter(state.path(), hello(Value::Null)).await;
    client.greet().await;
    client.call("activate_tools", json!({"tools": ["mcp:time/now"]})).await;
    let (session, key) = (client.welcome["session"].clone(), client.welcome["key"].clone());
    let beside = Client::enter(state.path(), hello(json!([session, key]))).await;
    assert!(beside.welcome["refused"].as_str().unwrap().contains("another client"), "{}", beside.welcome);

    // The host goes away, not the client.
    drop(door);
    until(|| !socket(state.path()).exists()).await;
    let _door = Door::open(state.path(), clients.clone()).unwrap();
    let wrong = Client::enter(state.path(), hello(json!([session, "0".repeat(32)]))).await;
    assert_ne!(wrong.welcome["session"], session);
    let mut other = hello(json!([session, key]));
    other["principal"] = "somebody".into();
    assert_ne!(Client::enter(state.path(), other).await.welcome["session"], session, "it is another principal's");
    let mut again = Client::enter(state.path(), hello(json!([session, key]))).await;
    assert_eq!((&again.welcome["session"], &again.welcome["key"]), (&session, &Value::Null));
    again.greet().await;
    assert_eq!(again.call("time__now", json!({})).await, "noon", "what it held it holds");
}

#[tokio::test]
async fn host_1_who_can_not_come_in_is_told_why() {
    let state = tempfile::tempdir().unwrap();
    let _door = Door::open(state.path(), clients().await).unwrap();
    let changed = |key: &str, value: Value| {
        let mut hello = hello(Value::Null);
        hello[key] = value;
        hello
    };
    for (line, why) in [
        (json!({"jsonrpc": "2.0", "id": 0, "method": "initialize"}), "not understood"),
        (json!({"door": 99, "version": "9.9", "more": 1}), "the client is 9.9"),
        (changed("more", 1.into()), "the client is 1"),
        (changed("profile", "x".into()), "no profile `x`"),
        (
            changed("activation", "deny".into()),
            "AGENT_HOST_ACTIVATION of this client is `deny`, and the host of this state folder runs on `prompt`",
        ),
        (changed("config", "/other.toml".into()), "runs on /c.toml, not on /other.toml"),
    ] {
        let client = Client::enter(state.path(), line).await;
        assert!(client.welcome["refused"].as_str().unwrap().contains(why), "{}", client.welcome);
    }
    for told in ["prompt", "auto"] {
        let client = Client::enter(state.path(), changed("activation", told.into())).await;
        assert!(client.welcome["session"].is_string(), "a host that is as strict as that is its host: {}", client.welcome);
    }
    let mode = std::fs::metadata(socket(state.path())).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[tokio::test(start_paused = true)]
async fn host_1_a_session_whose_client_does_not_come_back_is_closed() {
    let clients = clients().await;
    let launch = || crate::client::Launch { principal: PrincipalId::parse("local:7").unwrap(), profile: None, name: None };
    let back = clients.open(launch(), true).await.unwrap().connection.session.asker().session;
    clients.open(launch(), true).await.unwrap();
    let here = Here::new();
    let _taken = here.take(back).unwrap();
    let waiting = tokio::spawn(orphans(clients.clone(), here.clone()));
    tokio::time::sleep(GRACE - Duration::from_secs(1)).await;
    assert_eq!(clients.desk.sessions().len(), 2, "it has a minute");
    clients.open(launch(), true).await.unwrap();
    waiting.await.unwrap();
    let left: Vec<_> = clients.desk.sessions().iter().map(|cell| cell.asker().session).collect();
    assert!(left.len() == 2 && left.contains(&back), "who came back, and who came new: {left:?}");
}

#[tokio::test]
async fn rev_1_a_client_at_the_door_whose_session_was_ended_stays_and_is_told() {
    let state = tempfile::tempdir().unwrap();
    let clients = clients().await;
    let door = Door::open(state.path(), clients.clone()).unwrap();
    let mut client = Client::enter(state.path(), hello(Value::Null)).await;
    client.greet().await;
    client.call("activate_tools", json!({"tools": ["mcp:time/now"]})).await;
    let session = clients.desk.sessions()[0].clone();
    assert!(clients.desk.end(session.asker().session, "operator").await.unwrap().1.recorded);
    for _ in 0..2 {
        assert!(client.call("time__now", json!({})).await.contains("this session was ended"));
    }
    assert!(clients.desk.sessions().is_empty() && *door.clients().borrow() == 1);
    drop(client);
    until(|| *door.clients().borrow() == 0).await;
}
