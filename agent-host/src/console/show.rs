//! From a path to its page: asks `admin::handle` for what the page shows, and renders it. Changes nothing.
//!
//! Is: all that a GET can show, for whoever is logged in. Is not: a login, nor a form's other end; the endpoint has those.
//! Clauses: AUTH-2, HOST-3 (see), POL-4, REV-4 (the banner), SES-4 (tokens). Neighbours: `page` renders.

use super::page::{Frame, approvals, audit, catalog, front, policy, questions, remembered, servers, session, sessions, tokens, tool};
use crate::admin::{Explained, Listed, Office, Records, Request, Response, Span, handle};
use agent_core::id::{Alias, ToolId};
use agent_core::inquiry::Inquiry;
use agent_core::safety::echo;
use agent_core::session::{PrincipalId, ProfileId, RequestId, SessionId};
use agent_core::transition::Stream;
use maud::{Markup, html};
use std::collections::BTreeMap;
use url::form_urlencoded::parse;

/// A query's keys that are read; the last of a kind counts.
type Query = BTreeMap<String, String>;

/// What stands in a frame.
pub struct Shown {
    /// The path in the menu.
    pub here: &'static str,
    /// The title.
    pub title: String,
    /// The page's own part.
    pub main: Markup,
    /// Whether what the path names is there for who looks. What is not theirs to see is not there.
    pub there: bool,
}

/// A page's own part, and whether what it is about is there.
type Part = (Markup, bool);

/// One page, by its path behind the prefix. None where a path has none.
pub async fn show(office: &Office, frame: &Frame<'_>, path: &str, query: &str) -> Option<Shown> {
    let query: Query = parse(query.as_bytes()).into_owned().collect();
    let seen = Seen { office, frame, query, now: office.now() };
    let parts: Vec<_> = path.split('/').filter(|part| !part.is_empty()).collect();
    let (here, title, (main, there)) = match parts.as_slice() {
        [] => ("/", "Overview".to_owned(), (seen.front().await, true)),
        ["approvals"] => ("/approvals", "Approvals".to_owned(), (seen.queue().await, true)),
        ["approvals", request] => {
            let request = RequestId::parse(request)?;
            ("/approvals", "One request".to_owned(), seen.request(request).await)
        }
        ["questions", session, index] => {
            let (session, index) = questions::named(session, index)?;
            ("", "One question".to_owned(), seen.question(session, index).await)
        }
        ["sessions"] => ("/sessions", "Sessions".to_owned(), (seen.sessions().await, true)),
        ["sessions", session] => {
            let session = SessionId::parse(session)?;
            ("/sessions", "One session".to_owned(), seen.session(session).await)
        }
        ["catalog"] => ("/catalog", "Catalog".to_owned(), (seen.catalog().await, true)),
        ["catalog", "tool"] => {
            let id = ToolId::parse(seen.text("id")).ok()?;
            ("/catalog", echo(id.as_str()), seen.tool(id).await)
        }
        ["servers"] => ("/servers", "Servers".to_owned(), (seen.servers().await, true)),
        ["remembered"] => (remembered::PATH, "Remembered".to_owned(), (seen.remembered().await, true)),
        ["tokens"] => (tokens::PATH, "Tokens".to_owned(), (seen.tokens().await, true)),
        ["policy"] => ("/policy", "Policy".to_owned(), (seen.policy().await, true)),
        ["audit"] => ("/audit", "Audit".to_owned(), (seen.audit().await, true)),
        _ => return None,
    };
    Some(Shown { here, title, main, there })
}

/// What a page is made of.
struct Seen<'a> {
    office: &'a Office,
    frame: &'a Frame<'a>,
    query: Query,
    now: u64,
}

impl Seen<'_> {
    async fn ask(&self, request: Request) -> Response {
        handle(self.office, self.frame.operator, request).await
    }

    fn text(&self, key: &str) -> &str {
        self.query.get(key).map_or("", |text| text.trim())
    }

    fn said(&self, key: &str) -> Option<String> {
        Some(self.text(key)).filter(|text| !text.is_empty()).map(str::to_owned)
    }

    fn number(&self, key: &str) -> usize {
        self.text(key).parse().unwrap_or_default()
    }

    async fn front(&self) -> Markup {
        let span = match self.text("span") {
            "hour" => Span::Hour,
            "week" => Span::Week,
            _ => Span::Day,
        };
        match self.ask(Request::Overview { span }).await {
            Response::Overview { numbers } => front::overview(self.frame, &numbers, span),
            other => failed(&other),
        }
    }

    async fn queue(&self) -> Markup {
        match self.ask(Request::Approvals {}).await {
            Response::Approvals { waiting, .. } => html! {
                (approvals::queue(self.frame, &waiting, self.now))
                (questions::queue(self.frame, &self.questions().await, self.now))
            },
            other => failed(&other),
        }
    }

    async fn questions(&self) -> Vec<Inquiry> {
        match self.ask(Request::Questions {}).await {
            Response::Questions { waiting } => waiting,
            _ => Vec::new(),
        }
    }

    async fn question(&self, session: SessionId, index: u64) -> Part {
        let waiting = self.questions().await;
        let one = waiting.iter().find(|inquiry| inquiry.asker.session == session && inquiry.index == index);
        (questions::one(self.frame, one, self.now), one.is_some())
    }

    async fn request(&self, request: RequestId) -> Part {
        match self.ask(Request::Approvals {}).await {
            Response::Approvals { waiting, .. } => {
                let one = waiting.iter().find(|question| question.id == request);
                (approvals::one(self.frame, one, self.now), one.is_some())
            }
            other => (failed(&other), true),
        }
    }

    async fn sessions(&self) -> Markup {
        let list = Listed { text: self.text("q").to_owned(), ended: !self.text("ended").is_empty(), from: self.number("from") };
        match self.ask(Request::SessionList { list: list.clone() }).await {
            Response::SessionList { page } => sessions::all(self.frame, &page, &list, self.now),
            other => failed(&other),
        }
    }

    async fn session(&self, id: SessionId) -> Part {
        let whole = match self.ask(Request::Session { session: id }).await {
            Response::Session { session } => session,
            other => return (failed(&other), true),
        };
        let records = Records { stream: Some(Stream::Session(id)), ..Records::default() };
        let records = match self.ask(Request::Records { records }).await {
            Response::Records { page } => Some(page),
            _ => None,
        };
        (session::one(self.frame, whole.as_deref(), records.as_deref(), self.now), whole.is_some())
    }

    async fn catalog(&self) -> Markup {
        let server = Alias::parse(self.text("server")).ok();
        let (query, after) = (self.text("q"), ToolId::parse(self.text("after")).ok());
        let found = match query.is_empty() {
            true => None,
            false => Some(match self.ask(Request::Search { words: query.to_owned(), server: server.clone() }).await {
                Response::Found { found } => Ok(found),
                Response::Failed { what, .. } => Err(what),
                _ => Err("nothing was searched".to_owned()),
            }),
        };
        match self.ask(Request::Catalog { server: server.clone(), after }).await {
            Response::Catalog { page } => catalog::list(self.frame, &page, query, server.as_ref(), found.as_ref()),
            other => failed(&other),
        }
    }

    async fn tool(&self, id: ToolId) -> Part {
        match self.ask(Request::Tool { id }).await {
            Response::Tool { tool } => (tool::one(self.frame, tool.as_deref()), tool.is_some()),
            other => (failed(&other), true),
        }
    }

    async fn servers(&self) -> Markup {
        let served = match self.ask(Request::Catalog { server: None, after: None }).await {
            Response::Catalog { page } => page.servers,
            _ => BTreeMap::new(),
        };
        match self.ask(Request::Servers {}).await {
            Response::Servers { health, .. } => servers::list(self.frame, &health, &served),
            other => failed(&other),
        }
    }

    async fn remembered(&self) -> Markup {
        let (always, noes) = match (self.ask(Request::Standing {}).await, self.ask(Request::Denials {}).await) {
            (Response::Standing { approvals }, Response::Denials { denials }) => (approvals, denials),
            (Response::Standing { .. }, other) | (other, _) => return failed(&other),
        };
        let lists = remembered::Lists { always: &always, noes: &noes, always_from: self.number("always"), noes_from: self.number("no") };
        remembered::lists(self.frame, &lists, self.now)
    }

    async fn tokens(&self) -> Markup {
        match self.ask(Request::Tokens {}).await {
            Response::Tokens { tokens } => tokens::list(self.frame, &tokens, self.number("from"), self.now),
            other => failed(&other),
        }
    }

    async fn policy(&self) -> Markup {
        match self.ask(Request::Policy {}).await {
            Response::Policy { page } => {
                let (principal, profile, tool) = (self.text("principal"), self.text("profile"), self.text("tool"));
                let answer = if tool.is_empty() { None } else { Some(self.explained(principal, profile, tool).await) };
                policy::rules(self.frame, &page, &policy::Asked { principal, profile, tool, answer })
            }
            other => failed(&other),
        }
    }

    async fn explained(&self, principal: &str, profile: &str, tool: &str) -> Result<Box<Explained>, String> {
        let principal = PrincipalId::parse(principal).map_err(|why| format!("the principal is {why}"))?;
        let profile =
            if profile.is_empty() { None } else { Some(ProfileId::parse(profile).map_err(|why| format!("the profile is {why}"))?) };
        let tool = ToolId::parse(tool).map_err(|why| why.to_string())?;
        match self.ask(Request::Explain { principal, profile, tool }).await {
            Response::Explained { explained } => explained.ok_or_else(|| "the catalog has no such tool".to_owned()),
            Response::Failed { what, .. } => Err(what),
            _ => Err("nothing was explained".to_owned()),
        }
    }

    async fn audit(&self) -> Markup {
        let stream = match self.said("stream").map(Stream::try_from) {
            Some(Err(why)) => {
                return html! { p.note { "The stream: " (why) "." } p { a href={ (self.frame.prefix) "/audit" } { "all records" } } };
            }
            Some(Ok(stream)) => Some(stream),
            None => None,
        };
        let records = Records { stream, kind: self.said("kind"), text: self.said("text"), before: self.text("before").parse().ok() };
        match self.ask(Request::Records { records: records.clone() }).await {
            Response::Records { page } => audit::list(self.frame, &records, &page),
            other => failed(&other),
        }
    }
}

/// What stood in the way.
fn failed(response: &Response) -> Markup {
    let (what, hint) = match response {
        Response::Failed { what, hint } => (what.as_str(), hint.as_str()),
        _ => ("there is nothing to show", "try again"),
    };
    html! { p.note role="alert" { (echo(what)) } p.dim { (echo(hint)) } }
}
