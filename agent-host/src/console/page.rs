//! The pages: pure functions from values to HTML.
//!
//! Every text is escaped by `maud`; text of an upstream is made visible and labelled besides. No inline script or style, no
//! handler in an attribute, no URL of an upstream. Clauses: AUTH-2, AUTH-9, CAT-5.

use crate::admin::{Boundary, Operator};
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

/// The places of the menu: what a path begins with behind the prefix, and its name.
const PLACES: [(&str, &str); 7] = [
    ("/", "Overview"),
    ("/approvals", "Approvals"),
    ("/sessions", "Sessions"),
    ("/catalog", "Catalog"),
    ("/servers", "Servers"),
    ("/policy", "Policy"),
    ("/audit", "Audit"),
];

/// One page: its path in the menu, its title, and what it shows.
#[must_use]
pub fn page(frame: &Frame<'_>, here: &str, title: &str, main: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) " · agent-host" }
                link rel="stylesheet" href={ (frame.prefix) "/style.css" };
                script src={ (frame.prefix) "/script.js" } defer {}
            }
            body {
                a class="skip" href="#main" { "to the page" }
                header {
                    nav aria-label="pages" {
                        @for (path, name) in PLACES {
                            a href={ (frame.prefix) (path) } aria-current=[(path == here).then_some("page")] {
                                (name)
                                @if path == "/approvals" && frame.waiting > 0 { " " span class="count" { (frame.waiting) } }
                            }
                        }
                    }
                    p class="who" { (frame.operator.name) ", " (frame.operator.role.as_str()) " · boundary: " (frame.boundary.as_str()) }
                }
                @if let Some(by) = frame.stopped {
                    p class="banner" role="alert" { "Everything is stopped by " (by) "." }
                }
                main id="main" { h1 { (title) } (main) }
            }
        }
    }
}
