//! What waits for a person: all of it, oldest first, and one request by itself.
//!
//! Is: the very question whose digest the answer names, and one form for it. A link to it carries no authority: the page is
//! shown to whoever is logged in and may see it. Clauses: AUTH-2, AUTH-3, AUTH-4 (console), AUTH-9.

use super::{Frame, words};
use crate::admin::{Boundary, Role};
use crate::question::{good_for, named, whom};
use agent_core::effect::Acts;
use agent_core::request::{Asked, Novelty, Question, Strength};
use maud::{Markup, html};

/// Requests of one page.
const SHOWN: usize = 100;

/// Everything that waits.
#[must_use]
pub fn queue(frame: &Frame<'_>, waiting: &[Question], now: u64) -> Markup {
    html! {
        (boundary(frame))
        @if waiting.is_empty() {
            p.empty { "Nothing waits for you." }
            p.dim { "A request shows here as soon as a session asks. Press " kbd { "?" } " for the keys." }
        } @else {
            p.lead {
                (words::count(waiting.len(), "request")) " waiting, the oldest first. "
                span.keys { kbd { "j" } kbd { "k" } " move, " kbd { "a" } " approve, " kbd { "o" } " once, " kbd { "d" } " deny, " kbd { "?" } " help" }
            }
            @for question in waiting.iter().take(SHOWN) { (request(frame, question, now)) }
            @if waiting.len() > SHOWN { p.dim { "and " (waiting.len() - SHOWN) " more, once these are answered" } }
        }
    }
}

/// One of them, or that it waits no longer.
#[must_use]
pub fn one(frame: &Frame<'_>, question: Option<&Question>, now: u64) -> Markup {
    html! {
        (boundary(frame))
        @match question {
            Some(question) => (request(frame, question, now)),
            None => {
                p.empty { "This request does not wait." }
                p.dim { "It was answered, withdrawn or came to its end, or it is not yours to see." }
            }
        }
        p { a href={ (frame.prefix) "/approvals" } { "everything that waits" } }
    }
}

fn boundary(frame: &Frame<'_>) -> Markup {
    html! {
        @if frame.boundary == Boundary::SameUser {
            p.note { "Boundary: " (frame.boundary.as_str()) ". What runs as the client's user can change what this host rests on." }
        }
    }
}

fn request(frame: &Frame<'_>, question: &Question, now: u64) -> Markup {
    let (asker, id) = (&question.asker, question.id.to_string());
    let (session, digest) = (asker.session.to_string(), question.digest().to_string());
    let may = frame.operator.role >= Role::Approver;
    let some = may && question.what.len() > 1;
    let weak = question.strong && frame.operator.strength < Strength::Strong;
    html! {
        article.request id=(id) tabindex="0" aria-labelledby={ "h-" (id) } {
            header {
                h2 id={ "h-" (id) } {
                    b { (asker.principal) } " asks for " (words::count(question.what.len(), "tool"))
                    @if question.strong { " " (words::mark("strong")) }
                }
                p.dim { "asked " (words::moment(question.asked, now)) ", ends " (words::moment(question.expires, now)) }
            }
            form method="post" action={ (frame.prefix) "/do/answer" } {
                // Enter in a field presses a form's first button; this one does nothing.
                button.none type="submit" disabled hidden {}
                (words::hidden(frame, "/approvals", &[("session", &session), ("request", &id), ("shown", &digest)]))
                div.scroll { table.asked {
                    thead { tr {
                        @if some { th scope="col" { "deny" } }
                        th scope="col" { "tool" } th scope="col" { "can" } th scope="col" { "definition" } th scope="col" { "acts as" }
                    } }
                    tbody { @for asked in &question.what { (tool(frame, question, asked, some)) } }
                } }
                dl.facts {
                    div { dt { "a yes covers" } dd { "these exact definitions, for " b { (whom(&question.covers)) } ", at most 12 hours" } }
                    div { dt { "session" } dd { (words::session(frame, asker.session)) @if let Some(profile) = &asker.profile { ", profile " (profile) } } }
                    div { dt { "request" } dd { a.id href=(words::request(frame, question.id)) title=(id) { (words::short(&id)) } } }
                    div { dt { "digest of this question" } dd { code title=(digest) { (question.digest().short()) } } }
                }
                @if weak { p.note { "A rule demands a strong answer, and your login proves less: a yes from here changes nothing." } }
                @if may { (buttons(question)) } @else { p.dim { "A viewer decides nothing: that takes an approver." } }
            }
        }
    }
}

fn tool(frame: &Frame<'_>, question: &Question, asked: &Asked, some: bool) -> Markup {
    let bound = &asked.bound;
    html! {
        tr {
            @if some { td { input type="checkbox" name="tool" value=(bound.id) aria-label={ "deny " (bound.id) }; } }
            th scope="row" {
                (words::tool(frame, &bound.id))
                " " @match asked.novelty { Novelty::New => (words::mark("new")), Novelty::Known => (words::mark("accepted")) }
                @if asked.flagged || !asked.names.is_empty() { " " (words::mark("look twice")) }
                span.dim.line { "server " b { (bound.id.server()) } }
                @if asked.flagged { span.dim.line { "it holds hidden characters or letters of another script" } }
                @if !asked.names.is_empty() { span.dim.line { "its words name what is not its server's: " (named(asked)) } }
                @if let Some(good) = good_for(asked) { span.dim.line { "a yes is good for " (good) } }
                (words::says(&asked.says))
            }
            td { (words::effect(asked.effect)) span.dim.line { (words::capabilities(&asked.capabilities)) } }
            td {
                code title=(bound.digest) { (bound.digest.short()) }
                span.dim.line { @match asked.novelty { Novelty::New => "never accepted before", Novelty::Known => "accepted before" } }
            }
            td {
                @match asked.acts {
                    Some(Acts::Operator) => "the operator, one login for everybody",
                    Some(Acts::Principal) => { b { (question.asker.principal) } ", a login of its own" },
                    None => { span.dim { "no login there" } },
                }
            }
        }
    }
}

fn buttons(question: &Question) -> Markup {
    let press = |value: &str, class: &str, key: Option<&str>, label: &str| {
        html! {
            button type="submit" name="decision" value=(value) class=(class) data-key=[key] { (label) @if let Some(key) = key { " " kbd { (key) } } }
        }
    };
    html! {
        div.buttons role="group" aria-label="answer" {
            (press("approve", "yes", Some("a"), "Approve for this session"))
            (press("once", "", Some("o"), "Once"))
            (press("always", "", None, "Always for these definitions"))
            span.gap {}
            @if question.what.len() > 1 { (press("deny-some", "", None, "Deny the ticked")) }
            (press("deny", "no", Some("d"), "Deny")) }
    }
}
