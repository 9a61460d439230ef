//! A relay between a client and hosts that come and go, over real sockets.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use super::*;
use agent_core::session::SessionId;
use serde_json::{Value, json};
use std::path::Path;
use tokio::io::{AsyncBufReadExt, BufReader, DuplexStream, ReadHalf, WriteHalf, split};
use tokio::net::UnixListener;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::task::JoinHandle;

struct Host {
    read: BufReader<OwnedReadHalf>,
    write: OwnedWriteHalf,
    hello: Value,
}

impl Host {
    async fn take(listener: &UnixListener, answer: Value) -> Self {
        let (read, write) = listener.accept().await.unwrap().0.into_split();
        let mut host = Self { read: BufReader::new(read), write, hello: Value::Null };
        host.hello = host.hear().await;
        host.say(&answer).await;
        host
    }

    async fn hear(&mut self) -> Value {
        let mut line = String::new();
        self.read.read_line(&mut line).await.unwrap();
        serde_json::from_str(&line).unwrap()
    }

    async fn say(&mut self, what: &Value) {
        self.write.write_all(format!("{what}\n").as_bytes()).await.unwrap();
    }
}

struct Client {
    read: BufReader<ReadHalf<DuplexStream>>,
    write: WriteHalf<DuplexStream>,
    relay: JoinHandle<Result<(), RelayError>>,
}

impl Client {
    fn of(state: &Path, start: Option<Start>) -> Self {
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let (version, config) = ("1".to_owned(), state.join("c.toml"));
        let hello = Hello { door: DOOR, version, config, profile: None, activation: None, principal: None, name: None, resume: None };
        let link = Link::new(state.join("client.sock"), hello, start, |_| {});
        let (input, output) = split(theirs);
        let relay = tokio::spawn(relay(link, input, output));
        let (read, write) = split(ours);
        Self { read: BufReader::new(read), write, relay }
    }

    async fn hear(&mut self) -> Value {
        let mut line = String::new();
        self.read.read_line(&mut line).await.unwrap();
        serde_json::from_str(&line).unwrap()
    }

    async fn say(&mut self, what: Value) {
        self.write.write_all(format!("{what}\n").as_bytes()).await.unwrap();
    }
}

fn welcome(key: Option<&str>) -> Value {
    json!({"version": "1", "pid": 1, "session": SessionId::new(7), "key": key, "told": []})
}

#[tokio::test]
async fn host_1_a_host_is_replaced_under_its_client() {
    let state = tempfile::tempdir().unwrap();
    let listener = UnixListener::bind(state.path().join("client.sock")).unwrap();
    let mut client = Client::of(state.path(), None);
    let mut first = Host::take(&listener, welcome(Some("0af"))).await;
    assert_eq!(first.hello["resume"], Value::Null);
    client.say(json!({"id": 0, "method": "initialize"})).await;
    assert_eq!(first.hear().await["method"], "initialize");
    first.say(&json!({"id": 0, "result": {}})).await;
    assert_eq!(client.hear().await["id"], 0);
    client.say(json!({"method": "notifications/initialized"})).await;
    client.say(json!({"id": 1, "method": "tools/call"})).await;
    first.hear().await;
    first.hear().await;
    drop(first);
    let unknown = client.hear().await;
    assert_eq!(unknown["id"], 1);
    assert!(unknown["error"]["message"].as_str().unwrap().starts_with("outcome unknown"), "{unknown}");
    assert_eq!(client.hear().await["method"], "notifications/tools/list_changed");

    let mut second = Host::take(&listener, welcome(None)).await;
    assert_eq!(second.hello["resume"], json!([SessionId::new(7), "0af"]), "the session is taken up again by its key");
    assert_eq!(second.hear().await["method"], "initialize");
    assert_eq!(second.hear().await["method"], "notifications/initialized");
    second.say(&json!({"id": 0, "result": {}})).await;
    client.say(json!({"id": 2, "method": "tools/list"})).await;
    assert_eq!(second.hear().await["id"], 2);
    second.say(&json!({"id": 2, "result": {"tools": []}})).await;
    assert_eq!(client.hear().await["id"], 2, "the second handshake's answer was not the client's");

    client.write.shutdown().await.unwrap();
    let mut rest = String::new();
    assert_eq!(second.read.read_line(&mut rest).await.unwrap(), 0, "the host sees its client go");
    drop(second);
    assert!(client.relay.await.unwrap().is_ok());
}

#[tokio::test]
async fn host_1_who_is_refused_is_told_why() {
    let state = tempfile::tempdir().unwrap();
    let listener = UnixListener::bind(state.path().join("client.sock")).unwrap();
    let mut client = Client::of(state.path(), None);
    client.say(json!({"id": "a", "method": "initialize"})).await;
    Host::take(&listener, json!({"refused": "no profile `x`", "hint": "there are: none"})).await;
    let told = client.hear().await;
    assert_eq!(
        (&told["id"], &told["error"]["message"]),
        (&"a".into(), &"agent-host can't serve: no profile `x`\nhint: there are: none".into())
    );
    let error = client.relay.await.unwrap().unwrap_err();
    assert_eq!(error.to_string(), "no profile `x`\nhint: there are: none");
}

#[tokio::test]
async fn host_1_a_host_that_does_not_come_up_is_not_waited_for() {
    let state = tempfile::tempdir().unwrap();
    let start = |script: &str| Start {
        program: "/bin/sh".into(),
        arguments: ["-c", script].map(Into::into).into(),
        folder: state.path().to_owned(),
        another: 5,
    };
    let error = Client::of(state.path(), Some(start("echo no such key >&2; exit 2"))).relay.await.unwrap().unwrap_err();
    assert_eq!(error.to_string(), "no host could be reached: no such key");
    assert_eq!(std::fs::read_to_string(state.path().join("host.log")).unwrap(), "no such key\n");
    let error = Client::of(state.path(), None).relay.await.unwrap().unwrap_err();
    assert!(matches!(error, RelayError::NoHost(_)));

    let error = Client::of(state.path(), Some(start("exit 3"))).relay.await.unwrap().unwrap_err();
    assert!(error.to_string().ends_with("exit status: 3"), "{error}");

    // One that lost the race to another host is no failure, nor one that was ended: the other one is found.
    for script in ["exit 5", "exit 0", "kill -9 $$"] {
        let _ = std::fs::remove_file(state.path().join("client.sock"));
        let client = Client::of(state.path(), Some(start(script)));
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        let listener = UnixListener::bind(state.path().join("client.sock")).unwrap();
        let host = Host::take(&listener, welcome(None)).await;
        drop((client, host));
    }
}

#[tokio::test]
async fn host_1_a_host_that_was_just_ending_is_no_failure() {
    let state = tempfile::tempdir().unwrap();
    let listener = UnixListener::bind(state.path().join("client.sock")).unwrap();
    let mut client = Client::of(state.path(), None);
    drop(listener.accept().await.unwrap());
    let mut host = Host::take(&listener, welcome(None)).await;
    client.say(json!({"id": 1, "method": "ping"})).await;
    assert_eq!(host.hear().await["id"], 1);
}

#[tokio::test]
async fn host_1_a_relay_ends_with_its_client_though_no_host_is_there() {
    let state = tempfile::tempdir().unwrap();
    let start = Start {
        program: "/bin/sh".into(),
        arguments: ["-c", "sleep 5"].map(Into::into).into(),
        folder: state.path().to_owned(),
        another: 5,
    };
    let client = Client::of(state.path(), Some(start));
    drop((client.read, client.write));
    assert!(client.relay.await.unwrap().is_ok());
}

#[tokio::test]
async fn host_1_a_client_without_a_host_is_told_why() {
    let (mut ours, theirs) = tokio::io::duplex(1 << 12);
    let (input, output) = split(theirs);
    ours.write_all(b"{\"id\":7,\"method\":\"server/discover\"}\n").await.unwrap();
    excuse(input, output, "c.toml:3: no such key `x`").await.unwrap();
    let mut line = String::new();
    BufReader::new(ours).read_line(&mut line).await.unwrap();
    let answer: Value = serde_json::from_str(&line).unwrap();
    assert_eq!((&answer["id"], &answer["error"]["message"]), (&7.into(), &"agent-host can't serve: c.toml:3: no such key `x`".into()));
}

#[tokio::test]
async fn host_1_a_host_has_no_profile_of_one_client() {
    let state = tempfile::tempdir().unwrap();
    // A test can't set a variable of its own process, so a shell does that and runs one test of this program again.
    let inner = "relay::tests::host_1_a_host_says_its_profile";
    let mut again = std::process::Command::new(std::env::current_exe().unwrap());
    again.args(["--exact", inner, "--ignored"]).env("AGENT_HOST_PROFILE", "mine").env("AGENT_HOST_LOG", "warn").env("STAGE", state.path());
    assert!(again.status().unwrap().success());
    assert_eq!(std::fs::read_to_string(state.path().join("host.log")).unwrap(), "profile none, log warn\n");
}

#[tokio::test]
#[ignore = "is run by host_1_a_host_has_no_profile_of_one_client, with variables of its own"]
async fn host_1_a_host_says_its_profile() {
    let state = std::path::PathBuf::from(std::env::var_os("STAGE").unwrap());
    let says = "echo profile ${AGENT_HOST_PROFILE:-none}, log $AGENT_HOST_LOG >&2; exit 2";
    let start = Start { program: "/bin/sh".into(), arguments: ["-c", says].map(Into::into).into(), folder: state.clone(), another: 5 };
    assert!(Client::of(&state, Some(start)).relay.await.unwrap().is_err());
}

#[tokio::test]
async fn host_1_a_request_too_long_to_be_carried_is_answered() {
    let state = tempfile::tempdir().unwrap();
    let listener = UnixListener::bind(state.path().join("client.sock")).unwrap();
    let mut client = Client::of(state.path(), None);
    let mut host = Host::take(&listener, welcome(Some("0af"))).await;
    client.say(json!({"id": "long", "method": "ping", "params": "x".repeat(crate::lines::LINE_BYTES)})).await;
    let refused = client.hear().await;
    assert_eq!((&refused["id"], refused["error"]["code"].as_i64()), (&"long".into(), Some(-32600)), "{refused}");
    client.say(json!({"id": 2, "method": "ping"})).await;
    assert_eq!(host.hear().await["id"], 2);
}
