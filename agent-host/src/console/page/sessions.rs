//! Every session, and what stops them all.
//!
//! Clauses: HOST-3 (see), REV-4, AUTH-9.

use super::{Frame, words};
use crate::admin::{Over, Role, Session};
use maud::{Markup, html};

/// Which sessions are shown.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Those that hold this text in an id, a principal, a profile or a tool.
    pub text: String,
    /// Those that ended as well.
    pub ended: bool,
    /// How many are skipped.
    pub from: usize,
}

impl Filter {
    fn fits(&self, session: &Session) -> bool {
        let asker = &session.asker;
        let holds = |text: &str| text.contains(&self.text);
        (self.ended || !session.ended)
            && (self.text.is_empty()
                || holds(asker.principal.as_str())
                || asker.profile.as_ref().is_some_and(|profile| holds(profile.as_str()))
                || session.active.iter().any(|held| holds(held.grant.bound.id.as_str()))
                || holds(&asker.session.to_string()))
    }
}

/// The table.
#[must_use]
pub fn all(frame: &Frame<'_>, sessions: &[Session], filter: &Filter, now: u64) -> Markup {
    let mut fit: Vec<_> = sessions.iter().filter(|session| filter.fits(session)).collect();
    fit.sort_by_key(|session| std::cmp::Reverse((session.waiting.is_some(), session.last.map_or(0, |last| last.wall))));
    let kept = [("q", filter.text.as_str()), ("ended", if filter.ended { "1" } else { "" })];
    html! {
        form.filter method="get" action={ (frame.prefix) "/sessions" } role="search" {
            label { "find" input type="search" name="q" value=(filter.text) size="34" placeholder="principal, profile, tool or id"; }
            label.check { input type="checkbox" name="ended" value="1" checked[filter.ended]; "ended as well" }
            button type="submit" { "Filter" }
            span.dim { (fit.len()) " of " (words::count(sessions.len(), "session")) }
        }
        @if fit.is_empty() { p.empty { "No session fits." } } @else {
            div.scroll { table.rows {
                thead { tr {
                    th scope="col" { "session" } th scope="col" { "principal" } th scope="col" { "profile" }
                    th.num scope="col" { "active" } th scope="col" { "waiting" } th.num scope="col" { "running" } th scope="col" { "last use" }
                } }
                tbody { @for session in words::rows(&fit, filter.from) { (row(frame, session, now)) } }
            } }
            (words::pager(frame, "/sessions", &kept, "from", filter.from, fit.len()))
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
