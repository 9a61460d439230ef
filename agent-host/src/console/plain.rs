//! The pages of the shell itself: the login and the logins.
//!
//! Is: pure but for the names and passphrases that it looks up. Is not: a decision. Clause: AUTH-4 (console, login).

use super::house::House;
use super::logins::Login;
use super::oidc;
use super::page::{Frame, head, hidden};
use agent_core::safety::visible;
use maud::{DOCTYPE, Markup, html};

/// The login page, with what came of the last try.
pub(super) fn login(house: &House, to: &str, why: Option<&str>) -> Markup {
    let names = house.names();
    let provider = house.provider();
    let set = names.iter().any(|name| house.lock(name).mark().is_ok_and(|mark| mark.is_some()));
    html! {
        (DOCTYPE)
        html lang="en" {
            head { (head(&house.prefix, "Log in")) }
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
                    } @else if provider.is_none() {
                        p { "No passphrase is set, so nobody can log in. In a terminal on the host:" }
                        pre { (if names.len() > 1 { "agent-host passphrase set --operator NAME" } else { "agent-host passphrase set" }) }
                        p { "Then load this page again." }
                    }
                    @if let Some(provider) = provider {
                        form method="post" action={ (house.prefix) (oidc::BEGIN) } {
                            input type="hidden" name="to" value=(to);
                            p { button type="submit" { "Log in at " (visible(provider.settings().issuer.url().host_str().unwrap_or_default())) } }
                        }
                    }
                }
            }
        }
    }
}

/// A page that leads on by itself, or by a link.
pub(super) fn onward(house: &House, title: &str, there: &str, to: &str) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                (head(&house.prefix, title))
                meta http-equiv="refresh" content={ "0;url=" (there) };
            }
            body { main id="main" class="login" { h1 { "agent-host" } p { a href=(there) { (to) } } } }
        }
    }
}

/// One operator's logins, each with a button that ends it.
pub(super) fn logins(frame: &Frame<'_>, house: &House, mine: &Login) -> Markup {
    let action = format!("{}/logout", house.prefix);
    html! {
        ul {
            @for login in house.logins.of(&mine.operator) {
                li {
                    (visible(&login.from))
                    @if login.id == mine.id { " (this one)" }
                    form method="post" action=(action) {
                        (hidden(frame, "/logins", &[("login", &login.id)]))
                        button type="submit" { "End it" }
                    }
                }
            }
        }
        form method="post" action=(action) {
            (hidden(frame, "/logins", &[("login", "others")]))
            button type="submit" { "End all others" }
        }
    }
}
