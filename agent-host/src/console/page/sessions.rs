//! Every session, and what stops them all.
//!
//! Clauses: HOST-3 (see), REV-4, AUTH-9.

use super::{Frame, words};
use crate::admin::{Listed, Over, Role, Session, SessionPage};
use maud::{Markup, html};

/// The table.
#[must_use]
pub fn all(frame: &Frame<'_>, page: &SessionPage, filter: &Listed, now: u64) -> Markup {
    let kept = [("q", filter.text.as_str()), ("ended", if filter.ended { "1" } else { "" })];
    html! {
        form.filter method="get" action={ (frame.prefix) "/sessions" } role="search" {
            label { "find" input type="search" name="q" value=(filter.text) size="34" placeholder="principal, profile, client, tool or id"; }
            label.check { input type="checkbox" name="ended" value="1" checked[filter.ended]; "ended as well" }
            button type="submit" { "Filter" }
            span.dim { (page.fit) " of " (words::count(page.all, "session")) }
        }
        @if page.sessions.is_empty() { p.empty { "No session fits." } } @else {
            div.scroll { table.rows {
                thead { tr {
                    th scope="col" { "session" } th scope="col" { "principal" } th scope="col" { "profile" } th scope="col" { "client" }
                    th.num scope="col" { "active" } th scope="col" { "waiting" } th.num scope="col" { "running" } th scope="col" { "last use" }
                } }
                tbody { @for session in &page.sessions { (row(frame, session, now)) } }
            } }
            (words::pager(frame, "/sessions", &kept, "from", filter.from, page.fit))
        }
        (stop(frame))
    }
}

fn row(frame: &Frame<'_>, session: &Session, now: u64) -> Markup {
    let asker = &session.asker;
    html! {
        tr {
            th scope="row" { (words::session(frame, asker.session)) @if session.ended { " " span.dim { "ended" } } }
            td { (asker.principal) }
            td { @if let Some(profile) = &asker.profile { (profile) } }
            td { (words::client(session.client.as_deref())) }
            td.num { (session.active.len()) }
            td { @if let Some(question) = &session.waiting { a href=(words::request(frame, question.id)) { (words::mark("waiting")) } } }
            td.num { @if !session.running.is_empty() { (session.running.len()) } }
            td { @if let Some(last) = session.last { (words::moment(last, now)) } }
        }
    }
}

fn stop(frame: &Frame<'_>) -> Markup {
    let may = frame.operator.role >= Role::Approver && frame.operator.over == Over::All && frame.stopped.is_none();
    html! {
        @if may {
            details.danger {
                summary { "Stop everything" }
                p { "No tool is activated and no call starts in any session, at once, until an admin lifts it. Calls that run go on." }
                form method="post" action={ (frame.prefix) "/do/stop" } {
                    (words::hidden(frame, "/sessions", &[]))
                    label.check { input type="checkbox" name="confirm" value="yes" required; "I mean every session of this host" }
                    button.no type="submit" { "Stop everything" }
                }
            }
        }
    }
}
