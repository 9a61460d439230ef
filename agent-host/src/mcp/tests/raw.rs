//! A client that writes and reads lines: every byte of both eras is its own.

use super::{LONG, NOW, SHORT, host};
use crate::config::Surface;
use crate::mcp::{Connection, serve};
use agent_engine::policy::{Policy, Verdict};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf};
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// One client on one connection.
pub(super) struct Raw {
    pub(super) lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    pub(super) out: WriteHalf<DuplexStream>,
    pub(super) last: u64,
    /// What came in besides the answer that was waited for.
    pub(super) heard: Vec<Value>,
    pub(super) served: JoinHandle<Result<(), String>>,
}

pub(super) fn connect(connection: Connection) -> Raw {
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    let served = tokio::spawn(serve(connection, tokio::io::split(ours)));
    let (read, out) = tokio::io::split(theirs);
    Raw { lines: BufReader::new(read).lines(), out, last: 0, heard: Vec::new(), served }
}

pub(super) fn meta(version: &str, capabilities: &Value) -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientCapabilities": capabilities,
        "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
    })
}

/// Adds what a request of the modern era has to say of itself.
pub(super) fn modern(mut params: Value) -> Value {
    params["_meta"] = meta("2026-07-28", &json!({}));
    params
}

/// The same by a client that shows forms.
pub(super) fn forms(mut params: Value) -> Value {
    params["_meta"] = meta("2026-07-28", &json!({"elicitation": {"form": {}}}));
    params
}

pub(super) fn activate() -> Value {
    json!({"name": "activate_tools", "arguments": {"tools": [NOW]}})
}

/// The same call again, with the state it was given and an answer.
pub(super) fn retry(asked: &Value, answer: Value) -> Value {
    let mut params = forms(activate());
    params["requestState"] = asked["result"]["requestState"].clone();
    params["inputResponses"] = json!({"approve": answer});
    params
}

pub(super) fn yes() -> Value {
    json!({"action": "accept", "content": {"approve": true}})
}

pub(super) fn text(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"].as_str().unwrap_or_default()
}

impl Raw {
    pub(super) async fn line(&mut self, message: Value) {
        self.out.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }

    /// Sends a request without waiting, and returns its id.
    pub(super) async fn send(&mut self, method: &str, params: Value) -> u64 {
        self.last += 1;
        self.line(json!({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params})).await;
        self.last
    }

    pub(super) async fn next(&mut self) -> Value {
        let line = timeout(LONG, self.lines.next_line()).await.unwrap().unwrap();
        serde_json::from_str(&line.unwrap()).unwrap()
    }

    pub(super) async fn answer(&mut self, id: u64) -> Value {
        loop {
            let message = self.next().await;
            if message["id"] == id && message.get("method").is_none() {
                return message;
            }
            self.heard.push(message);
        }
    }

    pub(super) async fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params).await;
        self.answer(id).await
    }

    pub(super) async fn call(&mut self, params: Value) -> Value {
        self.request("tools/call", params).await
    }

    pub(super) async fn names(&mut self) -> Vec<String> {
        let list = self.request("tools/list", modern(json!({}))).await;
        list["result"]["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    }

    pub(super) async fn shake_hands(&mut self) {
        let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}});
        self.request("initialize", hello).await;
        self.line(json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
    }

    /// How often a notice came.
    pub(super) fn notices(&self) -> Vec<&Value> {
        self.heard.iter().filter(|message| message["method"] == "notifications/tools/list_changed").collect()
    }

    /// Nothing that came is a request to the client: there is none in this era.
    pub(super) fn was_asked_nothing(&self) {
        assert!(self.heard.iter().all(|message| message.get("id").is_none()), "{:?}", self.heard);
    }
}

pub(super) async fn prompting() -> Connection {
    host(Policy::of(Verdict::Prompt), LONG).await
}

pub(super) async fn with_surface(surface: Surface) -> Connection {
    Connection { surface: Some(surface), ..host(Policy::of(Verdict::Auto), SHORT).await }
}
