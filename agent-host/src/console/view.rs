//! A page for a path: what it shows is asked of `admin::handle`, as who looks may see it.
//!
//! Is not: markup. Clause: AUTH-4 (console, login).

use super::house::House;
use super::logins::{Flash, Login};
use super::page::{Frame, button, page as framed};
use super::plain;
use super::routes::{html, is_opened, is_path, see, visitor};
use super::show::{Shown, show};
use crate::admin::{Boundary, Operator, Request as Ask, Response as Told, handle};
use axum::extract::{Request, State};
use axum::response::Response;
use http::StatusCode;
use maud::{Markup, html};
use std::sync::Arc;

/// The paths of pages, besides the first.
pub(super) const PATHS: [&str; 13] = [
    "/approvals",
    "/approvals/{request}",
    "/questions/{session}/{index}",
    "/sessions",
    "/sessions/{session}",
    "/catalog",
    "/catalog/{*tool}",
    "/servers",
    "/policy",
    "/remembered",
    "/tokens",
    "/audit",
    "/logins",
];

/// Any page.
pub(super) async fn page(State(house): State<Arc<House>>, request: Request) -> Response {
    let path = request.uri().path().strip_prefix(house.prefix.as_str()).unwrap_or_default().to_owned();
    let path = if path.is_empty() { "/".to_owned() } else { path };
    let Some((operator, login)) = visitor(&house, request.headers(), request.method()) else {
        // With its query, where that is one that can be led back to.
        let whole = request.uri().query().map(|query| format!("{path}?{query}")).filter(|whole| is_path(whole));
        let to: String = url::form_urlencoded::byte_serialize(whole.as_deref().unwrap_or(&path).as_bytes()).collect();
        return see(&house, &format!("/login?to={to}"));
    };
    let opened = is_opened(request.headers());
    let looks = Looks { house: &house, operator: &operator, login: &login, opened };
    looks.at(&path, request.uri().query().unwrap_or_default()).await
}

/// Somebody at a page.
struct Looks<'a> {
    house: &'a House,
    operator: &'a Operator,
    login: &'a Login,
    /// By a person, who reads the word that was left; a page that looks again leaves it to the one that is opened.
    opened: bool,
}

impl Looks<'_> {
    async fn waiting(&self) -> (Boundary, usize) {
        let questions = match handle(&self.house.office, self.operator, Ask::Questions {}).await {
            Told::Questions { waiting } => waiting.len(),
            _ => 0,
        };
        match handle(&self.house.office, self.operator, Ask::Approvals {}).await {
            Told::Approvals { waiting, boundary, .. } => (boundary, waiting.len() + questions),
            _ => (Boundary::SameUser, 0),
        }
    }

    async fn at(&self, path: &str, query: &str) -> Response {
        let (boundary, waiting) = self.waiting().await;
        let stopped = self.house.office.stopped();
        let frame = self.frame(boundary, waiting, stopped.as_deref());
        if path == "/logins" {
            return self.whole(&frame, path, path, "Logins", StatusCode::OK, &plain::logins(&frame, self.house, self.login));
        }
        match show(&self.house.office, &frame, path, query).await {
            Some(Shown { here, title, main, there }) => {
                let status = if there { StatusCode::OK } else { StatusCode::NOT_FOUND };
                self.whole(&frame, path, here, &title, status, &main)
            }
            None => self.whole(&frame, path, "", "Nothing here", StatusCode::NOT_FOUND, &html! { p { "There is no such page." } }),
        }
    }

    fn frame<'b>(&'b self, boundary: Boundary, waiting: usize, stopped: Option<&'b str>) -> Frame<'b> {
        Frame { prefix: &self.house.prefix, operator: self.operator, csrf: &self.login.csrf, boundary, stopped, waiting }
    }

    fn whole(&self, frame: &Frame<'_>, path: &str, here: &str, title: &str, status: StatusCode, main: &Markup) -> Response {
        let flash = if self.opened { self.house.logins.told(self.login) } else { None };
        let main = html! {
            @if let Some(flash) = flash { (said(frame, path, &flash)) }
            (main)
        };
        html(status, framed(frame, here, title, &main))
    }
}

/// What came of a form, and what can be done next.
fn said(frame: &Frame<'_>, path: &str, flash: &Flash) -> Markup {
    html! {
        div class=(if flash.done { "done" } else { "not-done" }) role="status" {
            (flash.text)
            @if let Some(next) = &flash.next {
                @let fields: Vec<_> = next.fields.iter().map(|(name, value)| (*name, value.as_str())).collect();
                (button(frame, next.what, path, &fields, next.label, ""))
            }
        }
    }
}
