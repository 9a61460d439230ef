//! An MCP client that says no more than it must, over the real wire: a child `agent-host serve` and lines of JSON-RPC.
//!
//! Is not: a client that shows forms; whoever is asked, is asked at the terminal.

use super::super::{Exit, Failure};
use crate::lines::{Line, Lines};
use serde::Deserialize;
use serde_json::{Value, json};
use std::ffi::OsString;
use std::path::Path;
use std::process::Stdio;
use tokio::io::AsyncWriteExt;
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

/// One client and the relay that it started.
pub(super) struct Client {
    relay: Child,
    to: ChildStdin,
    from: Lines<ChildStdout>,
    asked: u64,
    /// How often it was told that its list changed.
    pub(super) changes: usize,
}

/// What is looked at of a line.
#[derive(Deserialize)]
struct Message {
    id: Option<u64>,
    method: Option<String>,
    result: Option<Value>,
    error: Option<Value>,
}

/// What a call came to, as a model reads it.
pub(super) struct Answer {
    pub(super) text: String,
    pub(super) refused: bool,
}

impl Answer {
    /// Whether it says that a person has not answered yet.
    pub(super) fn pending(&self) -> bool {
        self.text.starts_with("pending")
    }
}

impl Client {
    /// Starts the program as a client's configuration would, and shakes hands.
    pub(super) async fn start(program: &Path, arguments: &[OsString], folder: &Path) -> Result<Self, Failure> {
        let mut command = Command::new(program);
        command.args(arguments).current_dir(folder).kill_on_drop(true);
        // What is set for a host of the user's own says nothing here.
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("AGENT_HOST_")) {
            command.env_remove(name);
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut relay = command.spawn().map_err(|error| off(&format!("agent-host could not be started: {error}")))?;
        let (to, from) = relay.stdin.take().zip(relay.stdout.take()).ok_or_else(|| off("it has no pipes"))?;
        let mut client = Self { relay, to, from: Lines::new(from), asked: 0, changes: 0 };
        let me = json!({"name": "agent-host-demo", "version": env!("CARGO_PKG_VERSION")});
        client.ask("initialize", &json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": me})).await?;
        client.say(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await?;
        Ok(client)
    }

    /// The tools as they are listed, each as the bytes of its definition.
    pub(super) async fn list(&mut self) -> Result<Vec<Value>, Failure> {
        let result = self.ask("tools/list", &json!({})).await?;
        Ok(result.get("tools").and_then(Value::as_array).cloned().unwrap_or_default())
    }

    /// Calls a tool.
    pub(super) async fn call(&mut self, name: &str, arguments: &Value) -> Result<Answer, Failure> {
        let result = self.ask("tools/call", &json!({"name": name, "arguments": arguments})).await?;
        let blocks = result.get("content").and_then(Value::as_array).into_iter().flatten();
        let text: Vec<_> = blocks.filter_map(|block| block.get("text")?.as_str()).collect();
        Ok(Answer { text: text.join("\n"), refused: result.get("isError") == Some(&Value::Bool(true)) })
    }

    /// Ends as a client does: by closing the other's input.
    pub(super) async fn end(self) {
        let Self { mut relay, to, .. } = self;
        drop(to);
        if let Err(error) = relay.wait().await {
            tracing::debug!(%error, "the demo's relay was gone already");
        }
    }

    async fn say(&mut self, message: &Value) -> Result<(), Failure> {
        self.to.write_all(format!("{message}\n").as_bytes()).await.map_err(|error| off(&format!("agent-host is gone: {error}")))
    }

    /// Asks, and gives the result; what else is said meanwhile is counted.
    async fn ask(&mut self, method: &str, params: &Value) -> Result<Value, Failure> {
        self.asked += 1;
        self.say(&json!({"jsonrpc": "2.0", "id": self.asked, "method": method, "params": params})).await?;
        while let Some(line) = self.from.next().await {
            let Line::Whole(line) = line else { continue };
            let message: Message = serde_json::from_slice(&line).map_err(|error| off(&error.to_string()))?;
            if message.method.as_deref() == Some("notifications/tools/list_changed") {
                self.changes += 1;
            } else if message.id == Some(self.asked) {
                let error = message.error.unwrap_or_default();
                return message.result.ok_or_else(|| off(&format!("`{method}` was answered with {error}")));
            }
        }
        Err(off("agent-host ended; its words are in `host.log` of the demo's state folder"))
    }
}

fn off(what: &str) -> Failure {
    Failure::new(Exit::Failed, format!("the demo broke off: {what}"))
}
