//! What servers ask of a person while they are called: beside the requests, and each on a page of its own.
//!
//! Is: one form for a question, with a button for each choice or a field for free text; it works without a script. Is not: a request;
//! an answer activates nothing. Clauses: AUTH-8, CAT-5.

use super::{Frame, words};
use crate::admin::Role;
use agent_core::inquiry::Inquiry;
use agent_core::limits::REPLY_BYTES;
use agent_core::safety::visible;
use agent_core::session::SessionId;
use maud::{Markup, html};

/// Where a question is shown by itself, behind the prefix.
fn path(inquiry: &Inquiry) -> String {
    format!("/questions/{}/{}", inquiry.asker.session, inquiry.index)
}

/// All that wait; nothing where none does.
#[must_use]
pub fn queue(frame: &Frame<'_>, waiting: &[Inquiry], now: u64) -> Markup {
    html! {
        @if !waiting.is_empty() {
            h2 { (words::count(waiting.len(), "question")) " of servers" }
            p.dim { "An answer goes to the server that asks. It activates nothing." }
            @for inquiry in waiting { (question(frame, inquiry, "/approvals", now)) }
        }
    }
}

/// One of them, or that it waits no longer.
#[must_use]
pub fn one(frame: &Frame<'_>, inquiry: Option<&Inquiry>, now: u64) -> Markup {
    html! {
        @match inquiry {
            Some(inquiry) => (question(frame, inquiry, &path(inquiry), now)),
            None => {
                p.empty { "This question does not wait." }
                p.dim { "It was answered, taken back or came to its end, or it is not yours to see." }
            }
        }
        p { a href={ (frame.prefix) "/approvals" } { "everything that waits" } }
    }
}

fn question(frame: &Frame<'_>, inquiry: &Inquiry, back: &str, now: u64) -> Markup {
    let (asker, wording) = (&inquiry.asker, &inquiry.wording);
    let (session, index) = (asker.session.to_string(), inquiry.index.to_string());
    let id = format!("q-{session}-{index}");
    let server = wording.context.get("server").map_or("a server", String::as_str);
    html! {
        article.request id=(id) tabindex="0" aria-labelledby={ "h-" (id) } {
            header {
                h2 id={ "h-" (id) } { b { (visible(server)) } " asks, in a call for " b { (asker.principal) } }
                p.dim { "asked " (words::moment(inquiry.asked, now)) ", ends " (words::moment(inquiry.expires, now)) }
            }
            p.says { span.label { "the server says (not checked):" } " " q { (visible(&wording.text)) } }
            dl.facts {
                @for (name, text) in wording.context.iter().filter(|(name, _)| *name != "session") {
                    div { dt { (visible(name)) } dd { (visible(text)) } }
                }
                div { dt { "session" } dd { (words::session(frame, asker.session)) } }
                div { dt { "question" } dd { a href={ (frame.prefix) (path(inquiry)) } { "number " (index) } } }
            }
            p.note { "Never type a password or a key here: the server and the records of this host get what you answer." }
            @if frame.operator.role >= Role::Approver {
                form method="post" action={ (frame.prefix) "/do/reply" } {
                    (words::hidden(frame, back, &[("session", &session), ("index", &index)]))
                    (answer(inquiry, back))
                }
            } @else { p.dim { "A viewer answers nothing: that takes an approver." } }
        }
    }
}

fn answer(inquiry: &Inquiry, back: &str) -> Markup {
    let choices = &inquiry.wording.choices;
    html! {
        @if choices.is_empty() {
            @if back == "/approvals" { noscript { p.dim { "This page reloads by itself. Type on the question's own page." } } }
            p { label { "Your answer " input type="text" name="said" maxlength=(REPLY_BYTES); } }
        }
        div.buttons role="group" aria-label="answer" {
            @if choices.is_empty() { button type="submit" class="yes" { "Answer" } }
            @for choice in choices { button type="submit" name="said" value=(choice) { (visible(choice)) } }
            span.gap {}
            button type="submit" name="declined" value="yes" class="no" { "Answer nothing" }
        }
    }
}

/// The session and the number of a question, of a path's last two parts.
#[must_use]
pub fn named(session: &str, index: &str) -> Option<(SessionId, u64)> {
    Some((SessionId::parse(session)?, index.parse().ok()?))
}
