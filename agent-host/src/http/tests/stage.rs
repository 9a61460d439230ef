//! A host with one tool, an endpoint in front of it, and a client that says exactly what it is told to.

use super::super::*;
use crate::admin::Boundary;
use crate::caller::Caller;
use crate::config::Config;
use agent_core::id::{Alias, SourceClass, ToolId};
use agent_core::outcome::{Outcome, ToolResult};
use agent_core::session::{PrincipalId, ProfileId, TokenId};
use agent_engine::catalog::{Source, assemble};
use agent_engine::desk::Desk;
use agent_engine::engine::{Parts, build};
use agent_engine::ledger::MemoryLedger;
use agent_engine::testing::{ManualClock, SeededEntropy, StaticHost};
use agent_engine::token::Wanted;
use serde_json::{Value, json};
use std::path::Path;
use tokio::sync::watch;

pub(super) const NOW: &str = "mcp:time/now";

/// An endpoint and what it stands on.
pub(super) struct Stage {
    pub(super) endpoint: Endpoint,
    pub(super) desk: Desk,
    pub(super) config: watch::Sender<Arc<Config>>,
    clients: Clients,
}

pub(super) fn parse(text: &str) -> Config {
    Config::parse(Path::new("/nowhere/agent-host.toml"), text).unwrap()
}

impl Stage {
    pub(super) async fn new(config: &str) -> Self {
        crate::egress::crypto();
        let config = parse(config);
        let tool = |id: &str| ToolId::parse(id).unwrap();
        let tools = StaticHost::default().with(tool(NOW), None, |_| Outcome::Ok(ToolResult::text("noon")));
        let (ledger, clock) = (Arc::new(MemoryLedger::default()), Arc::new(ManualClock::default()));
        let mut parts = Parts::new(ledger, Arc::new(tools), clock, Arc::new(SeededEntropy::new(1)));
        parts.policy = config.policy.clone();
        let (front, desk) = build(parts).await.unwrap();
        let definition = json!({"name": "now", "description": "says what time it is", "inputSchema": {"type": "object"}});
        let http = config.http.clone();
        let (config, read) = watch::channel(Arc::new(config));
        let clients = Clients::new(front, desk.clone(), Boundary::SameUser, read);
        let endpoint = opened(&clients, &http).await;
        let stage = Self { endpoint, desk, config, clients };
        stage.publish(&definition).await;
        stage
    }

    /// The same after an end of the host, while which a token was taken back.
    pub(super) async fn again_without(self, token: TokenId) -> Self {
        self.endpoint.end().await;
        self.desk.revoke_token(token, "test").await;
        let endpoint = opened(&self.clients, &self.clients.config().http).await;
        Self { endpoint, ..self }
    }

    /// Another endpoint on what is there.
    pub(super) async fn again(&self) -> Endpoint {
        opened(&self.clients, &self.clients.config().http).await
    }

    /// The one tool is defined otherwise from now on.
    pub(super) async fn publish(&self, definition: &Value) {
        let source = Source { definitions: vec![definition.to_string()], ..Source::new(SourceClass::Mcp, Alias::parse("time").unwrap()) };
        self.desk.publish(assemble(&[source])).await;
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}/mcp", self.endpoint.at())
    }

    /// A client of that principal, under a new token; `NAME-c` comes under the profile `credential`.
    pub(super) async fn client(&self, name: &str) -> Client {
        let profile = name.strip_suffix("-c").map(|_| ProfileId::parse("credential").unwrap());
        self.bearer(&self.token(name.trim_end_matches("-c"), profile, false).await.1)
    }

    pub(super) async fn token(&self, name: &str, profile: Option<ProfileId>, url: bool) -> (TokenId, String) {
        let wanted = Wanted { principal: PrincipalId::parse(name).unwrap(), profile, lasts: None, url, note: None };
        let (record, token) = self.desk.create_token(wanted, "test").await.unwrap();
        (record.id, token.reveal())
    }

    pub(super) fn bearer(&self, token: &str) -> Client {
        Client { url: self.url(), token: token.to_owned(), session: None, http: reqwest::Client::new() }
    }
}

/// Somebody who was proven to be that.
pub(super) fn caller(name: &str) -> Caller {
    Caller::new(PrincipalId::parse(name).unwrap(), None, ("test", name), None)
}

async fn opened(clients: &Clients, http: &Http) -> Endpoint {
    let credentials = Credentials::new(clients.clone());
    Endpoint::open("127.0.0.1:0".parse().unwrap(), http, clients.clone(), credentials).await.unwrap()
}

/// A client over raw HTTP.
#[derive(Clone)]
pub(super) struct Client {
    pub(super) url: String,
    pub(super) token: String,
    pub(super) session: Option<String>,
    pub(super) http: reqwest::Client,
}

/// A status, and the last message of the answer.
#[derive(Debug, PartialEq)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) message: Value,
}

impl Answer {
    pub(super) fn text(&self) -> &str {
        self.message["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{self:?}"))
    }

    pub(super) fn object(&self) -> Value {
        serde_json::from_str(self.text()).unwrap()
    }
}

impl Client {
    pub(super) fn request(&self, body: &Value) -> reqwest::RequestBuilder {
        let request = self.http.post(&self.url).bearer_auth(&self.token).header("accept", "application/json, text/event-stream");
        let request = match &self.session {
            Some(session) => request.header("mcp-session-id", session).header("mcp-protocol-version", "2025-06-18"),
            None => request,
        };
        request.json(body)
    }

    /// Shakes hands as a legacy client does.
    pub(super) async fn shake(&mut self) -> Answer {
        let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}});
        let response = self.request(&json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello})).send().await.unwrap();
        self.session = response.headers().get("mcp-session-id").map(|id| id.to_str().unwrap().to_owned());
        let answer = read(response).await;
        let told = self.request(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).send().await.unwrap();
        assert!(self.session.is_none() || told.status().is_success(), "{told:?}");
        answer
    }

    /// The stream of a client that shook hands.
    pub(super) async fn listening(&self) -> reqwest::Response {
        let listening = self.http.get(&self.url).bearer_auth(&self.token).header("accept", "text/event-stream");
        let listening = listening.header("mcp-session-id", self.session.as_ref().unwrap()).send().await.unwrap();
        assert!(listening.status().is_success(), "{listening:?}");
        listening
    }

    /// A legacy request.
    pub(super) async fn asks(&self, method: &str, params: Value) -> Answer {
        read(self.request(&json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})).send().await.unwrap()).await
    }

    pub(super) async fn calls(&self, name: &str, arguments: Value) -> Answer {
        self.asks("tools/call", json!({"name": name, "arguments": arguments})).await
    }

    /// A modern request, with all it has to say of itself.
    pub(super) fn modern(&self, method: &str, mut params: Value) -> reqwest::RequestBuilder {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}},
            "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
        });
        let name = params["name"].as_str().map(str::to_owned);
        let request = self.request(&json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}));
        let request = request.header("mcp-protocol-version", "2026-07-28").header("mcp-method", method);
        name.into_iter().fold(request, |request, name| request.header("mcp-name", name))
    }

    pub(super) async fn says(&self, method: &str, params: Value) -> Answer {
        read(self.modern(method, params).send().await.unwrap()).await
    }

    pub(super) async fn does(&self, name: &str, arguments: Value) -> Answer {
        self.says("tools/call", json!({"name": name, "arguments": arguments})).await
    }
}

pub(super) async fn read(response: reqwest::Response) -> Answer {
    let status = response.status().as_u16();
    let text = response.text().await.unwrap();
    let data = text.lines().filter_map(|line| line.strip_prefix("data:")).rfind(|data| !data.trim().is_empty());
    let message = serde_json::from_str(data.unwrap_or(&text)).unwrap_or(Value::String(text.clone()));
    Answer { status, message }
}

pub(super) fn names(answer: &Answer) -> Vec<String> {
    let tools = answer.message["result"]["tools"].as_array().unwrap_or_else(|| panic!("{answer:?}"));
    tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

/// Whether a stream says that within a while.
pub(super) async fn heard(stream: &mut reqwest::Response, word: &str) -> bool {
    let mut text = String::new();
    let found = async {
        while let Some(chunk) = stream.chunk().await.unwrap() {
            text.push_str(std::str::from_utf8(&chunk).unwrap());
            if text.contains(word) {
                return true;
            }
        }
        false
    };
    tokio::time::timeout(Duration::from_secs(3), found).await.unwrap_or(false)
}

/// Waits until something holds that others bring about.
pub(super) async fn until(holds: impl Fn() -> bool) {
    let holding = async {
        while !holds() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(10), holding).await.unwrap();
}
