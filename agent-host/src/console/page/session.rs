//! One session: what it holds, what it waits for, what runs, and what happened, with a way to take each thing back.
//!
//! Clauses: HOST-3 (see), REV-1, REV-2, AUD-1.

use super::{Frame, records, words};
use crate::admin::{RecordPage, Request, Role, Whole};
use agent_core::session::Bound;
use agent_core::state::Held;
use maud::{Markup, html};

/// The page; none where this host has no such session.
#[must_use]
pub fn one(frame: &Frame<'_>, whole: Option<&Whole>, records: Option<&RecordPage>, now: u64) -> Markup {
    let Some(whole) = whole else {
        return html! { p.empty { "No such session, or it is not yours to see." } };
    };
    let (session, asker) = (&whole.session, &whole.session.asker);
    let (id, may) = (asker.session.to_string(), frame.operator.role >= Role::Approver);
    html! {
        dl.facts {
            div { dt { "session" } dd { code { (id) } @if whole.ended { " " (words::mark("ended")) } } }
            div { dt { "principal" } dd { b { (asker.principal) } } }
            @if let Some(profile) = &asker.profile { div { dt { "profile" } dd { (profile) } } }
            @if let Some(client) = &session.client { div { dt { "client" } dd { (words::client(Some(client))) } } }
            div { dt { "set" } dd { "version " (whole.set) } }
            @if let Some(last) = session.last { div { dt { "last use" } dd { (words::moment(last, now)) } } }
        }
        @if let Some(question) = &session.waiting {
            p.note { "It waits for a person: " a href=(words::request(frame, question.id)) { "request for " (words::count(question.what.len(), "tool")) } "." }
        }
        section aria-labelledby="holds" {
            h2 id="holds" { "Holds " (words::count(session.active.len(), "tool")) }
            @if !session.active.is_empty() { div.scroll { table.rows {
                thead { tr {
                    th scope="col" { "tool" } th scope="col" { "definition" } th scope="col" { "allowed by" } th.num scope="col" { "calls" }
                    th scope="col" { "ends" } @if may { th scope="col" { "take back" } }
                } }
                tbody { @for held in &session.active { (holds(frame, &id, held, may, now)) } }
            } } }
        }
        @if !whole.calls.is_empty() {
            section aria-labelledby="runs" {
                h2 id="runs" { "Running " (words::count(whole.calls.len(), "call")) }
                div.scroll { table.rows {
                    thead { tr { th scope="col" { "call" } th scope="col" { "tool" } } }
                    tbody { @for (call, bound) in &whole.calls { tr { th scope="row" { code title=(call) { (words::short(&call.to_string())) } } td { (words::tool(frame, &bound.id)) } } } }
                } }
            }
        }
        (past(frame, whole, &id))
        section aria-labelledby="happened" {
            h2 id="happened" { "What happened" }
            (records::timeline(frame, records))
            @if records.is_some_and(|page| page.next.is_some()) {
                p { a href=(words::link(frame, "/audit", &[("stream", &format!("session:{id}"))])) { "all of its records" } }
            }
        }
        @if may && !whole.ended {
            details.danger {
                summary { "End this session" }
                p { "It loses everything it holds, its request is withdrawn, and its client has to begin anew." }
                form method="post" action={ (frame.prefix) "/do/end" } {
                    (words::hidden(frame, "/sessions", &[("session", &id)]))
                    label.check { input type="checkbox" name="confirm" value="yes" required; "I mean this session" }
                    button.no type="submit" { "End it" }
                }
            }
        }
    }
}

fn holds(frame: &Frame<'_>, session: &str, held: &Held, may: bool, now: u64) -> Markup {
    let (grant, id) = (&held.grant, held.grant.bound.id.as_str());
    html! {
        tr {
            th scope="row" {
                (words::tool(frame, &grant.bound.id))
                @if grant.preset { " " (words::mark("preset")) }
                @if let Some(why) = held.suspended { " " (words::mark("suspended")) " " span.dim { (records::word(&why)) } }
            }
            td { code title=(grant.bound.digest) { (grant.bound.digest.short()) } }
            td { (records::decider(&grant.by)) }
            td.num { (held.used) @if let Some(most) = grant.max_calls { " of " (most) } }
            td { @match grant.end { Some(end) => (words::moment(end, now)), None => "with the session" } }
            @if may { td {
                form.inline method="post" action={ (frame.prefix) "/do/revoke" } {
                    (words::hidden(frame, &format!("/sessions/{session}"), &[("session", session), ("tool", id)]))
                    select name="running" aria-label={ "calls of " (id) " that run" } {
                        option value="leave" { "leave running calls" }
                        option value="cancel" { "cancel running calls" }
                    }
                    button type="submit" aria-label={ "revoke " (id) } { "Revoke" }
                }
            } }
        }
    }
}

fn past(frame: &Frame<'_>, whole: &Whole, id: &str) -> Markup {
    let (principal, back) = (&whole.session.asker.principal, format!("/sessions/{id}"));
    let may = frame.may(&Request::ClearDenials { principal: principal.clone(), tool: None });
    let bound = |bound: &Bound| html! { (words::tool(frame, &bound.id)) " " code.dim title=(bound.digest) { (bound.digest.short()) } };
    html! {
        @if !whole.denied.is_empty() {
            section aria-labelledby="denied" {
                h2 id="denied" { "Denied by a person" }
                @if may { p.dim { "Forgetting a no lets a person be asked again, in every session of " b { (principal) } "." } }
                ul { @for denied in &whole.denied { li {
                    (bound(denied))
                    @if may {
                        (words::row_button(frame, "clear-denials", &back, &[("principal", principal.as_str()), ("tool", denied.id.as_str())], "Forget", denied.id.as_str()))
                    }
                } } }
            }
        }
        @if !whole.former.is_empty() {
            details {
                summary { "Held once: " (words::count(whole.former.len(), "tool")) }
                ul { @for (id, gone) in &whole.former { li { (words::tool(frame, id)) " " span.dim { (records::word(gone)) } } } }
            }
        }
    }
}
