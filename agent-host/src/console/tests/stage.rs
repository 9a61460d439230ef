//! A host with a tool that somebody asks for, its console, and a browser that keeps a cookie.

use super::super::*;
use crate::admin::passphrase::{Secret, set};
use crate::admin::{Listener, Users};
use crate::config::OperatorName;
use agent_core::id::{Alias, SourceClass, ToolId};
use agent_core::outcome::{Outcome, ToolResult};
use agent_core::request::Question;
use agent_core::session::PrincipalId;
use agent_engine::builtins::Reply;
use agent_engine::catalog::{Source, assemble};
use agent_engine::desk::Desk;
use agent_engine::engine::{Front, Parts, build};
use agent_engine::ledger::MemoryLedger;
use agent_engine::session::Cell;
use agent_engine::testing::{ManualClock, SeededEntropy, StaticHost};
use reqwest::redirect::Policy;
use reqwest::{RequestBuilder, Response};
use serde_json::json;
use zeroize::Zeroizing;

pub(super) const NOW: &str = "mcp:time/now";
pub(super) const WORD: &str = "correct horse";

/// What a server says of its tool.
pub(super) const SAYS: &str = "<img src=x onerror=alert(1)></script><script>alert(2)</script>";

pub(super) struct Stage {
    pub(super) state: tempfile::TempDir,
    pub(super) clock: Arc<ManualClock>,
    pub(super) ledger: Arc<MemoryLedger>,
    pub(super) front: Front,
    pub(super) desk: Desk,
    pub(super) config: watch::Sender<Arc<Config>>,
    pub(super) console: Console,
    pub(super) _listener: Listener,
}

pub(super) fn parse(text: &str) -> Config {
    Config::parse(Path::new("/nowhere/agent-host.toml"), text).unwrap()
}

fn secret(text: &str) -> Secret {
    Secret::new(Zeroizing::new(text.to_owned())).unwrap()
}

impl Stage {
    pub(super) async fn new(config: &str) -> Self {
        let config = parse(config);
        crate::egress::crypto();
        let state = tempfile::tempdir().unwrap();
        let id = ToolId::parse(NOW).unwrap();
        let tools = StaticHost::default().with(id, None, |_| Outcome::Ok(ToolResult::text("noon")));
        let (ledger, clock) = (Arc::new(MemoryLedger::default()), Arc::new(ManualClock::default()));
        let mut parts = Parts::new(ledger.clone(), Arc::new(tools), clock.clone(), Arc::new(SeededEntropy::new(1)));
        parts.policy = config.policy.clone();
        let (front, desk) = build(parts).await.unwrap();
        let definition = json!({"name": "now", "description": SAYS, "inputSchema": {"type": "object"}});
        let source = Source { definitions: vec![definition.to_string()], ..Source::new(SourceClass::Mcp, Alias::parse("time").unwrap()) };
        desk.publish(assemble(&[source])).await;
        let (config, told) = watch::channel(Arc::new(config));
        let office = Office::new(state.path(), desk.clone(), Users::started_by_client()).under(told.clone());
        let listener = Listener::open(state.path(), office.clone()).unwrap();
        let at = "127.0.0.1:0".parse().unwrap();
        let console = Console::open_by(clock.clone(), at, state.path(), office, told).await.unwrap();
        Self { state, clock, ledger, front, desk, config, console, _listener: listener }
    }

    /// With a passphrase of the owner's.
    pub(super) async fn with_owner() -> Self {
        let stage = Self::new("").await;
        stage.set("owner", WORD);
        stage
    }

    pub(super) fn set(&self, operator: &str, word: &str) {
        set(self.state.path(), &OperatorName::parse(operator).unwrap(), &secret(word)).unwrap();
    }

    /// A session of a principal's that asks for the tool.
    pub(super) async fn asks(&self, principal: &str) -> (Arc<Cell>, Question) {
        let session = self.front.open(PrincipalId::parse(principal).unwrap(), None, false).await.unwrap().session;
        let arguments = json!({"tools": [NOW]}).as_object().cloned().unwrap();
        self.front.call(&session, "activate_tools", arguments).await;
        let question = session.state().waiting.as_deref().cloned().unwrap();
        (session, question)
    }

    pub(super) async fn runs(&self, session: &Arc<Cell>) -> bool {
        matches!(self.front.call(session, "time__now", serde_json::Map::new()).await, Reply::Ran(_))
    }

    pub(super) fn browser(&self) -> Browser {
        let url = self.console.url();
        let origin = url.split('/').take(3).collect::<Vec<_>>().join("/");
        let http = reqwest::Client::builder().redirect(Policy::none()).build().unwrap();
        Browser { base: url.trim_end_matches('/').to_owned(), origin, cookie: None, http }
    }

    /// A browser in which the owner is logged in.
    pub(super) async fn owner(&self) -> Browser {
        let mut browser = self.browser();
        assert_eq!(browser.log_in(&[("passphrase", WORD)]).await.status(), 303);
        browser
    }
}

pub(super) struct Browser {
    /// The prefix's URL, without a slash at its end.
    pub(super) base: String,
    pub(super) origin: String,
    pub(super) cookie: Option<String>,
    pub(super) http: reqwest::Client,
}

/// A form's fields as a browser sends them.
pub(super) fn filled(request: RequestBuilder, fields: &[(&str, &str)]) -> RequestBuilder {
    let body = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
    request.header("content-type", "application/x-www-form-urlencoded").body(body)
}

impl Browser {
    fn with_cookie(&self, request: RequestBuilder) -> RequestBuilder {
        match &self.cookie {
            Some(cookie) => request.header("cookie", cookie),
            None => request,
        }
    }

    pub(super) fn get(&self, path: &str) -> RequestBuilder {
        self.with_cookie(self.http.get(format!("{}{path}", self.base)).header("sec-fetch-dest", "document"))
    }

    /// A form as a page of another kind would send it: with no word of where it comes from.
    pub(super) fn bare(&self, path: &str, fields: &[(&str, &str)]) -> RequestBuilder {
        self.with_cookie(filled(self.http.post(format!("{}{path}", self.base)), fields))
    }

    /// A form as one of our own pages sends it.
    pub(super) fn post(&self, path: &str, fields: &[(&str, &str)]) -> RequestBuilder {
        self.bare(path, fields).header("origin", "null").header("sec-fetch-site", "same-origin")
    }

    pub(super) async fn log_in(&mut self, fields: &[(&str, &str)]) -> Response {
        let response = self.post("/login", fields).send().await.unwrap();
        if let Some(set) = response.headers().get("set-cookie") {
            self.cookie = set.to_str().unwrap().split(';').next().map(str::to_owned);
        }
        response
    }

    pub(super) async fn page(&self, path: &str) -> (u16, String) {
        let response = self.get(path).send().await.unwrap();
        (response.status().as_u16(), response.text().await.unwrap())
    }

    /// The token that this login's forms send back.
    pub(super) async fn csrf(&self) -> String {
        let (_, page) = self.page("/logins").await;
        page.split("name=\"csrf\" value=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap_or_else(|| panic!("{page}")).to_owned()
    }

    /// A form of this login; the word that the next page has of it.
    pub(super) async fn act(&self, what: &str, fields: &[(&str, &str)]) -> String {
        let csrf = self.csrf().await;
        let fields = [fields, &[("csrf", csrf.as_str()), ("back", "/logins")]].concat();
        let response = self.post(&format!("/do/{what}"), &fields).send().await.unwrap();
        assert_eq!(response.status(), 303, "{what}");
        let (_, page) = self.page("/logins").await;
        page.split("role=\"status\">").nth(1).and_then(|rest| rest.split('<').next()).unwrap_or_default().to_owned()
    }

    pub(super) async fn answer(&self, question: &Question, decision: &str) -> String {
        let (session, request) = (question.asker.session.to_string(), question.id.to_string());
        let shown = question.digest().to_string();
        self.act("answer", &[("session", &session), ("request", &request), ("shown", &shown), ("decision", decision)]).await
    }
}
