//! Small pieces that every page is made of: ids, times, marks, a stranger's words, a form's button.
//!
//! Is: where foreign text becomes visible and labelled, once for all pages. Clauses: AUTH-2, CAT-5.

pub(super) use crate::question::counted as count;

use super::Frame;
use crate::admin::{Request, SESSIONS as ROWS};
use agent_core::effect::{Capability, Effect};
use agent_core::id::ToolId;
use agent_core::safety::{prose, visible};
use agent_core::session::{RequestId, SessionId};
use agent_core::time::Instant;
use maud::{Markup, html};
use std::collections::BTreeSet;
use url::form_urlencoded::Serializer;

/// Bytes of a server's words about one tool.
pub(super) const SAYS_BYTES: usize = 400;

/// A path behind the prefix, its query written as a form would.
pub(super) fn link(frame: &Frame<'_>, path: &str, query: &[(&str, &str)]) -> String {
    format!("{}{}", frame.prefix, with(path, query))
}

/// The same without the prefix, as a form leads back to it.
pub(super) fn with(path: &str, query: &[(&str, &str)]) -> String {
    let kept = query.iter().filter(|(_, value)| !value.is_empty());
    let written = Serializer::new(String::new()).extend_pairs(kept).finish();
    if written.is_empty() { path.to_owned() } else { format!("{path}?{written}") }
}

/// A tool's exact id, and the way to what it is.
pub(super) fn tool(frame: &Frame<'_>, id: &ToolId) -> Markup {
    html! { a.id href=(link(frame, "/catalog/tool", &[("id", id.as_str())])) { (visible(id.as_str())) } }
}

/// A session's id, short, and the way to its page.
pub(super) fn session(frame: &Frame<'_>, id: SessionId) -> Markup {
    let whole = id.to_string();
    html! { a.id href=(format!("{}/sessions/{whole}", frame.prefix)) title=(whole) { (short(&whole)) } }
}

/// Where a request is shown by itself.
pub(super) fn request(frame: &Frame<'_>, id: RequestId) -> String {
    format!("{}/approvals/{id}", frame.prefix)
}

/// The first 8 digits of an id.
pub(super) fn short(id: &str) -> &str {
    id.get(..10).unwrap_or(id)
}

/// A moment, in full where a pointer rests on it.
pub(super) fn moment(at: Instant, now: u64) -> Markup {
    let whole = at.utc();
    html! { time datetime=(whole) title=(whole) { (ago(at.wall, now)) } }
}

/// The time of day, for lines that stand in order.
pub(super) fn clock(at: Instant) -> Markup {
    let whole = at.utc();
    let (day, time) = (whole.get(..10).unwrap_or_default(), whole.get(11..19).unwrap_or_default());
    html! { time datetime=(whole) title=(whole) { span.day { (day) } " " (time) } }
}

/// `just now`, `5 min ago`, `in 12 min`.
pub(super) fn ago(at: u64, now: u64) -> String {
    let length = length(at.abs_diff(now));
    match (at > now, length.is_empty()) {
        (_, true) => "just now".to_owned(),
        (true, false) => format!("in {length}"),
        (false, false) => format!("{length} ago"),
    }
}

/// The largest unit of a time; empty under five seconds.
fn length(ms: u64) -> String {
    match ms / 1000 {
        0..5 => String::new(),
        seconds @ 5..60 => format!("{seconds} s"),
        seconds @ 60..3600 => format!("{} min", seconds / 60),
        seconds @ 3600..172_800 => format!("{} h", seconds / 3600),
        seconds => format!("{} days", seconds / 86_400),
    }
}

/// What a call can change, as a mark that doesn't need its colour.
pub(super) fn effect(effect: Effect) -> Markup {
    mark(effect.as_str())
}

/// A word with the colour that its kind has everywhere.
pub(super) fn mark(word: &str) -> Markup {
    let kind = match word {
        "destructive" | "deny" | "denied" | "failed" | "changed" | "revoked" | "stopped" | "broken" => "bad",
        "mutating" | "new" | "waiting" | "needs login" | "suspended" | "strong" | "look twice" | "prompt" => "warn",
        "read-only" | "accepted" | "granted" | "running" | "auto" | "whole" => "good",
        _ => "plain",
    };
    html! { span class={ "mark " (kind) } { (word) } }
}

/// The legs of the trifecta.
pub(super) fn capabilities(legs: &BTreeSet<Capability>) -> Markup {
    let legs: Vec<_> = legs.iter().copied().map(Capability::as_str).collect();
    html! { @if legs.is_empty() { span.dim { "no capabilities" } } @else { (legs.join(", ")) } }
}

/// A stranger's words, cut, made visible and labelled. Nothing where there are none.
pub(super) fn says(text: &str) -> Markup {
    html! {
        @if !text.trim().is_empty() {
            p.says { span.label { "the server says (not checked):" } " " q { (prose(text, SAYS_BYTES)) } }
        }
    }
}

/// What a client calls itself, marked as its own word.
pub(super) fn client(name: Option<&str>) -> Markup {
    html! { @if let Some(name) = name { span.dim { "says it is " } q { (visible(name)) } } }
}

/// A form of one button, which leads back to a path. `fields` are sent as they are.
pub(in crate::console) fn button(frame: &Frame<'_>, action: &str, back: &str, fields: &[(&str, &str)], label: &str, class: &str) -> Markup {
    html! {
        form method="post" action={ (frame.prefix) "/do/" (action) } {
            (hidden(frame, back, fields))
            button type="submit" class=(class) { (label) }
        }
    }
}

/// The same in a row of many like it: `about` says which, to who can't see where it stands.
pub(super) fn row_button(frame: &Frame<'_>, action: &str, back: &str, fields: &[(&str, &str)], label: &str, about: &str) -> Markup {
    html! {
        form.inline method="post" action={ (frame.prefix) "/do/" (action) } {
            (hidden(frame, back, fields))
            button type="submit" aria-label={ (label) " " (visible(about)) } { (label) }
        }
    }
}

/// The way to have the configuration read again, for whoever may.
pub(super) fn reload(frame: &Frame<'_>, back: &str) -> Markup {
    html! { @if frame.may(&Request::Reload {}) { (button(frame, "reload", back, &[], "Read the configuration again", "")) } }
}

/// Those of a list that a page shows.
pub(super) fn rows<T>(all: &[T], from: usize) -> impl Iterator<Item = &T> {
    all.iter().skip(from).take(ROWS)
}

/// The ways to the rows before and after those of a page. `query` is what the links keep, `key` what they set.
pub(super) fn pager(frame: &Frame<'_>, path: &str, query: &[(&str, &str)], key: &str, from: usize, count: usize) -> Markup {
    let to = |from: usize| link(frame, path, &[query, &[(key, &from.to_string())]].concat());
    html! {
        @if count > ROWS || from > 0 {
            nav.pages aria-label={ "more rows of " (count) } {
                @if from > 0 { a href=(to(from.saturating_sub(ROWS))) rel="prev" { "earlier rows" } }
                @if from.saturating_add(ROWS) < count { a href=(to(from + ROWS)) rel="next" { "more rows" } }
            }
        }
    }
}

/// A form's hidden fields: its token, the path that it leads back to, and its own.
pub(in crate::console) fn hidden(frame: &Frame<'_>, back: &str, fields: &[(&str, &str)]) -> Markup {
    html! {
        input type="hidden" name="csrf" value=(frame.csrf);
        input type="hidden" name="back" value=(back);
        @for (name, value) in fields { input type="hidden" name=(name) value=(value); }
    }
}

/// A number with its thousands apart.
pub(super) fn number(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_told_by_their_largest_unit() {
        let said = |at, now| ago(at, now);
        assert_eq!(said(0, 4_999), "just now");
        assert_eq!((said(0, 61_000), said(59_000, 0)), ("1 min ago".to_owned(), "in 59 s".to_owned()));
        assert_eq!((said(0, 7_200_000), said(0, 200_000_000)), ("2 h ago".to_owned(), "2 days ago".to_owned()));
        assert_eq!(number(1_234_567), "1,234,567");
    }
}
