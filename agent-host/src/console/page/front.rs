//! The first page: what needs somebody, how it is now, and what happened lately.
//!
//! Clauses: AUD-1 (records are what is counted).

use super::{Frame, words};
use crate::admin::{Counts, Numbers, Span};
use crate::console::chart::{Series, Times, bars, compact};
use maud::{Markup, html};

/// Bytes of a definition that are taken for one token. An estimate; tokenizers differ.
const BYTES_PER_TOKEN: u64 = 4;

/// The page.
#[must_use]
pub fn overview(frame: &Frame<'_>, numbers: &Numbers, span: Span) -> Markup {
    html! {
        (needs(frame, numbers))
        ul.tiles aria-label="now" {
            (tile(frame, "/sessions", numbers.sessions, "sessions"))
            (tile(frame, "/approvals", numbers.waiting, "waiting"))
            (tile(frame, "/sessions", numbers.active, "tools active"))
            (tile(frame, "/sessions", numbers.running, "calls running"))
            (tile(frame, "/servers", numbers.down.len(), "servers down"))
            (tile(frame, "/catalog", numbers.tools, "tools to find"))
        }
        nav.spans aria-label="how far back" {
            @for (one, key, name) in [(Span::Hour, "hour", "last hour"), (Span::Day, "day", "last day"), (Span::Week, "week", "last week")] {
                a href=(words::link(frame, "/", &[("span", key)])) aria-current=[(one == span).then_some("true")] { (name) }
            }
        }
        div.charts { (charts(numbers)) }
        p.dim {
            "Tokens saved are an estimate: for each session that was opened, the bytes of all definitions in today's catalog ("
            (words::number(numbers.bytes)) "), less an average definition for each tool it activated, divided by " (BYTES_PER_TOKEN)
            ". It is counted once a session, though a client that lists every tool sends them to its model at each turn."
        }
    }
}

fn needs(frame: &Frame<'_>, numbers: &Numbers) -> Markup {
    let calm = numbers.waiting == 0 && numbers.down.is_empty() && numbers.changed == 0;
    html! {
        @if calm { p.lead { "Nothing needs you." } } @else {
            ul.needs aria-label="what needs you" {
                @if numbers.waiting > 0 { li.warn { a href={ (frame.prefix) "/approvals" } { (words::count(numbers.waiting, "request")) " waiting for a yes or no" } } }
                @if !numbers.down.is_empty() {
                    li.bad { a href={ (frame.prefix) "/servers" } { (words::count(numbers.down.len(), "server")) " down" } ": "
                        @for (place, alias) in numbers.down.iter().take(8).enumerate() { @if place > 0 { ", " } (alias) }
                    }
                }
                @if numbers.changed > 0 { li.bad { a href={ (frame.prefix) "/catalog" } { (words::count(numbers.changed, "tool")) " not as accepted" } } }
            }
        }
    }
}

fn tile(frame: &Frame<'_>, path: &str, number: usize, name: &str) -> Markup {
    html! { li { a href={ (frame.prefix) (path) } { b { (words::number(number as u64)) } " " span { (name) } } } }
}

fn charts(numbers: &Numbers) -> Markup {
    let times = Times { from: numbers.from, width: numbers.width };
    let series = |name: &'static str, tone: &'static str, of: &dyn Fn(&Counts) -> u64| Series {
        name,
        tone,
        values: numbers.buckets.iter().map(of).collect(),
    };
    let ran = |counts: &Counts| counts.calls.saturating_sub(counts.errors);
    html! {
        (bars("Activations", &[series("tools", "accent", &|counts| counts.activated)], times))
        (bars("Answers", &[series("approved", "good", &|counts| counts.approved), series("denied", "bad", &|counts| counts.denied)], times))
        (bars("Calls", &[series("went well", "accent", &ran), series("failed", "bad", &|counts| counts.errors)], times))
        (bars("Refused by the host", &[series("refusals", "warn", &|counts| counts.refused)], times))
        (bars("Searches", &[series("searches", "plain", &|counts| counts.searches)], times))
        (bars("Tokens saved", &[series("tokens (estimate)", "good", &|counts| saved(counts, numbers))], times))
        p.sr { (compact(numbers.buckets.iter().map(|counts| saved(counts, numbers)).sum())) " tokens saved in all, as an estimate" }
    }
}

/// Tokens that were not sent to a model, as an estimate.
fn saved(counts: &Counts, numbers: &Numbers) -> u64 {
    let average = numbers.bytes.checked_div(numbers.tools as u64).unwrap_or_default();
    (counts.opened * numbers.bytes).saturating_sub(counts.activated * average) / BYTES_PER_TOKEN
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_saved_are_what_was_not_listed() {
        let numbers = Numbers { bytes: 4_000, tools: 10, ..Numbers::default() };
        let counts = |opened, activated| Counts { opened, activated, ..Counts::default() };
        assert_eq!(saved(&counts(2, 5), &numbers), (8_000 - 2_000) / 4);
        assert_eq!(saved(&counts(0, 5), &numbers), 0, "never below nothing");
        assert_eq!(saved(&counts(1, 0), &Numbers::default()), 0);
    }
}
