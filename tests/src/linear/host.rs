//! A running host with a sample server, and what clients and operators of it need.

use agent_core::session::PrincipalId;
use agent_host::admin::passphrase::set;
use agent_host::admin::{Bearer, Lifetime, Ordered, Request, Response, ask};
use agent_host::config::OperatorName;
use reqwest::Client;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

/// A host that ends with this.
pub(super) struct Host {
    pub(super) program: PathBuf,
    pub(super) folder: TempDir,
    url: String,
    _process: Child,
}

/// The owner's passphrase.
pub(super) const WORD: &str = "correct horse battery staple";

const CONFIG: &str = "activation = \"prompt\"\n[servers.text]\ncommand = \"PROGRAM\"\nargs = [\"sample-server\", \"text\"]\n";

impl Host {
    pub(super) async fn start() -> Self {
        let program = crate::scenario::built().1.join("agent-host");
        assert!(program.exists(), "{} is missing: run `cargo build -p agent-host`", program.display());
        let folder = tempfile::tempdir().unwrap();
        let config = folder.path().join("agent-host.toml");
        std::fs::write(&config, CONFIG.replace("PROGRAM", program.to_str().unwrap())).unwrap();
        let mut process = Command::new(&program)
            .args(["run", "--http", "127.0.0.1:0", "--console", "127.0.0.1:0", "--config"])
            .arg(&config)
            .arg("--state")
            .arg(folder.path().join("state"))
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(process.stderr.take().unwrap()).lines();
        let mut url = None;
        while url.is_none() {
            let line = lines.next_line().await.unwrap().expect("the host says where it listens");
            url = line.split_once("clients over HTTP come to ").map(|(_, url)| url.trim().to_owned());
        }
        tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
        set(&folder.path().join("state"), &OperatorName::owner(), &serde_json::from_value(WORD.into()).unwrap()).unwrap();
        Self { program, folder, url: url.unwrap(), _process: process }
    }

    pub(super) fn state(&self) -> PathBuf {
        self.folder.path().join("state")
    }

    /// What an operator asks at the socket.
    pub(super) async fn asked(&self, request: Request) -> Response {
        ask(&self.state(), &request).await.unwrap()
    }

    /// A client of a principal that nobody else is, with a session of its own.
    pub(super) async fn client(&self, web: &Client, number: usize) -> Conversation {
        let principal = PrincipalId::parse(&format!("person{number}")).unwrap();
        let token = Ordered { principal, profile: None, ttl: Lifetime(Some(Duration::from_secs(3600))), url: false, note: None };
        let Response::TokenMade { secret: Bearer(secret), .. } = self.asked(Request::CreateToken { token }).await else {
            panic!("no token")
        };
        let mut conversation = Conversation { web: web.clone(), url: self.url.clone(), secret: secret.reveal().to_owned(), handle: None };
        let (text, _) = conversation.call("search_tools", json!({"query": "count words"})).await;
        let found: Value = serde_json::from_str(&text).unwrap();
        conversation.handle = Some(found["session"].as_str().unwrap_or_else(|| panic!("no session in {text}")).to_owned());
        conversation
    }
}

/// One modern conversation: each call names its session.
#[derive(Clone)]
pub(super) struct Conversation {
    web: Client,
    url: String,
    secret: String,
    handle: Option<String>,
}

impl Conversation {
    /// The text of an answer, or of the form that the person is shown in place of one, and whether that is a form.
    pub(super) async fn call(&self, name: &str, mut arguments: Value) -> (String, bool) {
        if let Some(handle) = &self.handle {
            arguments["session"] = handle.clone().into();
        }
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}},
        });
        let body =
            json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments, "_meta": meta}});
        let request = self
            .web
            .post(&self.url)
            .bearer_auth(&self.secret)
            .header("Accept", "application/json, text/event-stream")
            .header("MCP-Protocol-Version", "2026-07-28")
            .header("Mcp-Method", "tools/call")
            .header("Mcp-Name", name)
            .json(&body);
        let answer: Value = request.send().await.unwrap().json().await.unwrap();
        let form = answer.pointer("/result/inputRequests").and_then(Value::as_object).and_then(|asked| asked.values().next());
        if let Some(form) = form {
            return (form.pointer("/params/message").and_then(Value::as_str).unwrap_or_else(|| panic!("{answer}")).to_owned(), true);
        }
        let text = answer.pointer("/result/content/0/text").and_then(Value::as_str);
        (text.unwrap_or_else(|| panic!("`{name}` was answered with {answer}")).to_owned(), false)
    }
}
