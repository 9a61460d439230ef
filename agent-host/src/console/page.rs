//! The pages: pure functions from values to HTML.
//!
//! Every text is escaped by `maud`; text of an upstream is made visible and labelled besides. No inline script or style, no
//! handler in an attribute, no URL of an upstream. Clauses: AUTH-2, AUTH-9, CAT-5.

pub mod approvals;
pub mod audit;
pub mod catalog;
pub mod front;
pub mod policy;
pub mod questions;
mod records;
pub mod remembered;
pub mod servers;
pub mod session;
pub mod sessions;
pub mod tokens;
pub mod tool;
mod words;

pub(super) use words::{button, hidden};

#[cfg(test)]
mod tests;

use crate::admin::{Boundary, Operator, Over, Request, Role};
use agent_core::safety::visible;
use maud::{DOCTYPE, Markup, html};

/// What stands round every page.
pub struct Frame<'a> {
    /// What every link begins with, such as `/c/7f3a`; without a slash at its end.
    pub prefix: &'a str,
    /// Who looks.
    pub operator: &'a Operator,
    /// What a form of this login must send back in its field `csrf`.
    pub csrf: &'a str,
    /// Where the host stands to its clients.
    pub boundary: Boundary,
    /// Who stopped everything, while it is stopped.
    pub stopped: Option<&'a str>,
    /// How many requests wait for this operator.
    pub waiting: usize,
}

impl Frame<'_> {
    /// Whether who looks may ask for this. The handler asks again.
    pub(crate) fn may(&self, request: &Request) -> bool {
        self.operator.lacks(request).is_none() && request.principal().is_none_or(|principal| self.operator.sees(principal))
    }
}

/// The places of the menu: what a path begins with behind the prefix, and its name.
const PLACES: [(&str, &str); 9] = [
    ("/", "Overview"),
    ("/approvals", "Approvals"),
    (remembered::PATH, "Remembered"),
    ("/sessions", "Sessions"),
    ("/catalog", "Catalog"),
    ("/servers", "Servers"),
    ("/policy", "Policy"),
    (tokens::PATH, "Tokens"),
    ("/audit", "Audit"),
];

/// What every page's head holds.
pub(super) fn head(prefix: &str, title: &str) -> Markup {
    html! {
        meta charset="utf-8";
        meta name="viewport" content="width=device-width, initial-scale=1";
        meta name="color-scheme" content="light dark";
        title { (title) " · agent-host" }
        link rel="stylesheet" href={ (prefix) "/style.css" };
        link rel="icon" href={ (prefix) "/icon.svg" };
    }
}

/// One page: its path in the menu, its title, and what it shows.
#[must_use]
pub fn page(frame: &Frame<'_>, here: &str, title: &str, main: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                (head(frame.prefix, title))
                @if here == "/approvals" { noscript { meta http-equiv="refresh" content="5"; } }
                script src={ (frame.prefix) "/script.js" } defer {}
            }
            body {
                a class="skip" href="#main" { "to the page" }
                header.top {
                    nav aria-label="pages" {
                        @for (path, name) in PLACES.into_iter().filter(|(path, _)| *path != tokens::PATH || frame.may(&Request::Tokens {})) {
                            a href={ (frame.prefix) (path) } aria-current=[(path == here).then_some("page")] {
                                (name)
                                @if path == "/approvals" && frame.waiting > 0 { " " span class="count" { (frame.waiting) } }
                            }
                        }
                    }
                    div.who {
                        p { a href={ (frame.prefix) "/logins" } { (visible(&frame.operator.name)) } ", " (frame.operator.role.as_str()) " · boundary: " (frame.boundary.as_str()) }
                        form method="post" action={ (frame.prefix) "/logout" } { (words::hidden(frame, "/", &[])) button type="submit" { "Log out" } }
                    }
                }
                @if let Some(by) = frame.stopped { (banner(frame, by)) }
                main id="main" data-live={ (frame.prefix) "/live" } { h1 { (title) } (main) }
                p id="said" class="sr" role="status" {}
                (keys())
            }
        }
    }
}

/// That everything is stopped, on every page, and the way to lift it for whoever may.
fn banner(frame: &Frame<'_>, by: &str) -> Markup {
    html! {
        div.banner role="alert" {
            p { b { "Everything is stopped by " (visible(by)) } ": nothing is activated and no call starts." }
            @if frame.operator.role >= Role::Admin && frame.operator.over == Over::All { (words::button(frame, "resume", "/", &[], "Lift the stop", "")) }
        }
    }
}

/// The keys, shown by `?`; without a script there are none.
fn keys() -> Markup {
    html! {
        dialog id="keys" aria-labelledby="keys-title" {
            h2 id="keys-title" { "Keys" }
            dl {
                @for (key, what) in [
                    ("j", "next request or row"),
                    ("k", "the one before"),
                    ("a", "approve it for this session"),
                    ("o", "approve it once"),
                    ("d", "deny it"),
                    ("/", "search or filter"),
                    ("g then a letter", "overview o, approvals a, remembered r, sessions s, catalog c, servers v, policy p, tokens t, audit u"),
                    ("?", "these keys"),
                ] { div { dt { kbd { (key) } } dd { (what) } } }
            }
            p.dim { "a, o and d answer the request that has the focus, and nothing else." }
            form method="dialog" { button type="submit" { "Close" } }
        }
    }
}
