//! The pages of the shell itself: the login, the logins, and plain ones of what waits and of the sessions.
//!
//! Is: pure but for the names and passphrases that it looks up. Is not: a decision. Clauses: AUTH-2, AUTH-4 (console, login), CAT-5.

use super::house::House;
use super::logins::Login;
use crate::admin::{Boundary, Session, Whole};
use crate::question::text;
use agent_core::request::Question;
use agent_core::safety::visible;
use maud::{DOCTYPE, Markup, html};

/// The login page, with what came of the last try.
pub(super) fn login(house: &House, to: &str, why: Option<&str>) -> Markup {
    let names = house.names();
    let set = names.iter().any(|name| house.lock(name).mark().is_some());
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { "Log in · agent-host" }
                link rel="stylesheet" href={ (house.prefix) "/style.css" };
            }
            body {
                main id="main" class="login" {
                    h1 { "agent-host" }
                    @if let Some(why) = why { p class="not-done" role="alert" { (why) } }
                    @if set {
                        form method="post" action={ (house.prefix) "/login" } {
                            input type="hidden" name="to" value=(to);
                            @if names.len() > 1 {
                                p { label for="name" { "Name" } " " input id="name" name="name" autocomplete="username" required; }
                            }
                            p {
                                label for="passphrase" { "Passphrase" } " "
                                input id="passphrase" name="passphrase" type="password" autocomplete="current-password" required autofocus;
                            }
                            p { button type="submit" { "Log in" } }
                        }
                    } @else {
                        p { "No passphrase is set, so nobody can log in. In a terminal on the host:" }
                        pre { (if names.len() > 1 { "agent-host passphrase set --operator NAME" } else { "agent-host passphrase set" }) }
                        p { "Then load this page again." }
                    }
                }
            }
        }
    }
}

fn hidden(login: &Login, back: &str) -> Markup {
    html! {
        input type="hidden" name="csrf" value=(login.csrf);
        input type="hidden" name="back" value=(back);
    }
}

/// One operator's logins, each with a button that ends it.
pub(super) fn logins(house: &House, mine: &Login) -> Markup {
    let action = format!("{}/logout", house.prefix);
    html! {
        ul {
            @for login in house.logins.of(&mine.operator) {
                li {
                    (visible(&login.from))
                    @if login.id == mine.id { " (this one)" }
                    form method="post" action=(action) {
                        (hidden(mine, "/logins"))
                        input type="hidden" name="login" value=(login.id);
                        button type="submit" { "End it" }
                    }
                }
            }
        }
        form method="post" action=(action) {
            (hidden(mine, "/logins"))
            input type="hidden" name="login" value="others";
            button type="submit" { "End all others" }
        }
    }
}

pub(super) fn waiting(house: &House, waiting: &[Question]) -> Markup {
    html! {
        @if waiting.is_empty() { p { "Nothing waits." } }
        ul {
            @for question in waiting {
                li { a href={ (house.prefix) "/approvals/" (question.id) } { (question.id) } " of " (question.asker.principal.as_str()) }
            }
        }
    }
}

pub(super) fn question(house: &House, login: &Login, question: &Question, boundary: Boundary) -> Markup {
    html! {
        pre { (text(question, boundary)) }
        form method="post" action={ (house.prefix) "/do/answer" } {
            (hidden(login, "/approvals"))
            input type="hidden" name="session" value=(question.asker.session);
            input type="hidden" name="request" value=(question.id);
            input type="hidden" name="shown" value=(question.digest());
            button type="submit" name="decision" value="approve" { "Approve" } " "
            button type="submit" name="decision" value="deny" { "Deny" }
        }
    }
}

pub(super) fn sessions(house: &House, sessions: &[Session]) -> Markup {
    html! {
        @if sessions.is_empty() { p { "There are no sessions." } }
        ul {
            @for session in sessions {
                li {
                    a href={ (house.prefix) "/sessions/" (session.asker.session) } { (session.asker.session) }
                    " of " (session.asker.principal.as_str()) ", " (session.active.len()) " active"
                }
            }
        }
    }
}

pub(super) fn session(house: &House, login: &Login, whole: &Whole) -> Markup {
    let asker = &whole.session.asker;
    html! {
        p { (asker.session) " of " (asker.principal.as_str()) ", set " (whole.set) @if whole.ended { ", ended" } }
        ul {
            @for held in &whole.session.active {
                li {
                    code { (visible(held.grant.bound.id.as_str())) }
                    form method="post" action={ (house.prefix) "/do/revoke" } {
                        (hidden(login, &format!("/sessions/{}", asker.session)))
                        input type="hidden" name="session" value=(asker.session);
                        input type="hidden" name="tool" value=(held.grant.bound.id.as_str());
                        button type="submit" { "Take back" }
                    }
                }
            }
        }
    }
}
