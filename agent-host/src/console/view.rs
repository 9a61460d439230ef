//! A page for a path: what it shows is asked of `admin::handle`, as who looks may see it.
//!
//! Is not: markup. Clause: AUTH-4 (console, login).

use super::house::House;
use super::logins::Login;
use super::page::{Frame, page as framed};
use super::plain;
use super::routes::{html, see, visitor};
use crate::admin::{Boundary, Operator, Request as Ask, Response as Told, handle};
use agent_core::session::{RequestId, SessionId};
use axum::extract::{Request, State};
use axum::response::Response;
use http::StatusCode;
use maud::{Markup, html};
use std::sync::Arc;

/// The paths of pages, besides the first.
pub(super) const PATHS: [&str; 10] = [
    "/approvals",
    "/approvals/{request}",
    "/sessions",
    "/sessions/{session}",
    "/catalog",
    "/catalog/{*tool}",
    "/servers",
    "/policy",
    "/audit",
    "/logins",
];

/// Any page.
pub(super) async fn page(State(house): State<Arc<House>>, request: Request) -> Response {
    let path = request.uri().path().strip_prefix(house.prefix.as_str()).unwrap_or_default().to_owned();
    let path = if path.is_empty() { "/".to_owned() } else { path };
    let Some((operator, login)) = visitor(&house, request.headers(), request.method()) else {
        let to: String = url::form_urlencoded::byte_serialize(path.as_bytes()).collect();
        return see(&house, &format!("/login?to={to}"));
    };
    let looks = Looks { house: &house, operator: &operator, login: &login };
    let parts: Vec<_> = path.split('/').skip(1).collect();
    match parts.as_slice() {
        [""] => looks.waiting("/", "Overview").await,
        ["approvals"] => looks.waiting("/approvals", "Approvals").await,
        ["approvals", request] => looks.asked(request).await,
        ["sessions"] => looks.sessions().await,
        ["sessions", session] => looks.session(session).await,
        ["logins"] => looks.framed("/logins", "Logins", StatusCode::OK, &plain::logins(&house, &login)).await,
        [first, ..] => looks.framed(&format!("/{first}"), first, StatusCode::OK, &html! { p { "This page is not there yet." } }).await,
        [] => see(&house, "/"),
    }
}

/// Somebody at a page.
struct Looks<'a> {
    house: &'a House,
    operator: &'a Operator,
    login: &'a Login,
}

impl Looks<'_> {
    async fn ask(&self, request: Ask) -> Told {
        handle(&self.house.office, self.operator, request).await
    }

    async fn framed(&self, here: &str, title: &str, status: StatusCode, main: &Markup) -> Response {
        let (boundary, waiting) = match self.ask(Ask::Approvals {}).await {
            Told::Approvals { waiting, boundary } => (boundary, waiting.len()),
            _ => (Boundary::SameUser, 0),
        };
        let stopped = self.house.office.stopped();
        let frame = Frame {
            prefix: &self.house.prefix,
            operator: self.operator,
            csrf: &self.login.csrf,
            boundary,
            stopped: stopped.as_deref(),
            waiting,
        };
        let flash = self.house.logins.told(self.login);
        let main = html! {
            @if let Some(flash) = flash { p class=(if flash.done { "done" } else { "not-done" }) role="status" { (flash.text) } }
            (main)
        };
        html(status, framed(&frame, here, title, &main))
    }

    async fn nothing(&self, here: &str, what: &str) -> Response {
        self.framed(here, "Nothing here", StatusCode::NOT_FOUND, &html! { p { (what) } }).await
    }

    async fn waiting(&self, here: &str, title: &str) -> Response {
        let Told::Approvals { waiting, .. } = self.ask(Ask::Approvals {}).await else {
            return self.nothing(here, "It could not be read.").await;
        };
        self.framed(here, title, StatusCode::OK, &plain::waiting(self.house, &waiting)).await
    }

    async fn asked(&self, request: &str) -> Response {
        let Told::Approvals { waiting, boundary } = self.ask(Ask::Approvals {}).await else {
            return self.nothing("/approvals", "It could not be read.").await;
        };
        let request = RequestId::parse(request);
        match waiting.iter().find(|question| Some(question.id) == request) {
            Some(question) => {
                let main = plain::question(self.house, self.login, question, boundary);
                self.framed("/approvals", "A request", StatusCode::OK, &main).await
            }
            None => {
                self.nothing("/approvals", "This request does not wait for you: it was answered, expired or withdrawn, or is not yours.")
                    .await
            }
        }
    }

    async fn sessions(&self) -> Response {
        let Told::Sessions { sessions, .. } = self.ask(Ask::Sessions {}).await else {
            return self.nothing("/sessions", "They could not be read.").await;
        };
        self.framed("/sessions", "Sessions", StatusCode::OK, &plain::sessions(self.house, &sessions)).await
    }

    async fn session(&self, session: &str) -> Response {
        let whole = match SessionId::parse(session) {
            Some(session) => self.ask(Ask::Session { session }).await,
            None => Told::Session { session: None },
        };
        match whole {
            Told::Session { session: Some(whole) } => {
                self.framed("/sessions", "A session", StatusCode::OK, &plain::session(self.house, self.login, &whole)).await
            }
            _ => self.nothing("/sessions", "There is no such session.").await,
        }
    }
}
