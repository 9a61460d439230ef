//! Records in words: a session's timeline, and the audit page's lines.
//!
//! Is: one line a record; what it has no words for is shown as it is kept. Clauses: AUD-1, AUTH-7 (who decided).

use super::{Frame, words};
use crate::admin::RecordPage;
use agent_core::id::ToolId;
use agent_core::inquiry::Reply;
use agent_core::outcome::End;
use agent_core::request::Decider;
use agent_core::safety::{cut, visible};
use agent_core::session::Bound;
use agent_core::transition::{Record, Stream, Transition};
use maud::{Markup, html};
use serde::Serialize;

/// Bytes of a record that is shown as it is kept.
const RAW_BYTES: usize = 600;

/// What happened in a session, the newest first.
pub(super) fn timeline(frame: &Frame<'_>, page: Option<&RecordPage>) -> Markup {
    html! {
        @match page {
            None => p.dim { "Its records can't be read." },
            Some(page) if page.records.is_empty() => p.dim { "Nothing is on record." },
            Some(page) => ol.timeline { @for record in &page.records {
                li class=(tone(&record.what)) { (words::clock(record.at)) " " span.what { (told(frame, &record.what)) } }
            } },
        }
    }
}

/// As a row of a table: place, time, stream, kind, words.
pub(super) fn row(frame: &Frame<'_>, record: &Record) -> Markup {
    html! {
        tr class=(tone(&record.what)) {
            th.num scope="row" { (record.seq) }
            td { (words::clock(record.at)) }
            td { (stream(frame, &record.stream)) }
            td { (kind(&record.what)) }
            td { (told(frame, &record.what)) }
            td { code.dim title=(record.hash) { (record.hash.short()) } }
        }
    }
}

fn stream(frame: &Frame<'_>, stream: &Stream) -> Markup {
    match stream {
        Stream::Host => html! { "host" },
        Stream::Principal(principal) => html! { "principal " (principal) },
        Stream::Session(session) => words::session(frame, *session),
    }
}

/// A unit value's word, as records write it.
pub(super) fn word(value: &impl Serialize) -> String {
    let value = serde_json::to_value(value).unwrap_or_default();
    visible(value.as_str().unwrap_or("?")).replace('-', " ")
}

/// A record's kind, as records write it.
pub(super) fn kind(what: &Transition) -> String {
    let value = serde_json::to_value(what).unwrap_or_default();
    value.get("kind").and_then(|kind| kind.as_str()).unwrap_or("?").to_owned()
}

/// Who decided, and by what evidence.
pub(super) fn decider(by: &Decider) -> Markup {
    match by {
        Decider::Policy { policy } => html! { "a rule " code.dim title=(policy) { (policy.short()) } },
        Decider::Person { name, channel, strength } => {
            html! { b { (visible(name)) } " " span.dim { "(" (word(channel)) ", " (word(strength)) ")" } }
        }
        Decider::Standing { name, channel, strength, since } => html! {
            b { (visible(name)) } " " span.dim { "(always, since " (words::clock(*since)) ", " (word(channel)) ", " (word(strength)) ")" }
        },
    }
}

/// Which colour stands beside it.
fn tone(what: &Transition) -> &'static str {
    match what {
        Transition::Granted { .. } | Transition::Resumed { .. } | Transition::Pinned { .. } | Transition::Opened { .. } => "good",
        Transition::Requested { .. } | Transition::Inquired { .. } => "warn",
        Transition::Ended { end: End::Ok, .. } | Transition::Starting { .. } | Transition::Searched { .. } => "plain",
        Transition::Ended { .. } | Transition::Refused { .. } => "bad",
        other if other.narrows() => "bad",
        _ => "plain",
    }
}

/// What a record says.
fn told(frame: &Frame<'_>, what: &Transition) -> Markup {
    match what {
        Transition::Searched { hits, count } if *count == 1 => html! { "searched, " (words::count(*hits, "hit")) },
        Transition::Searched { hits, count } => html! { "searched " (count) " times, " (words::count(*hits, "hit")) " together" },
        Transition::Requested { question } => html! {
            "asked for " (ids(frame, question.what.iter().map(|asked| &asked.bound.id))) @if question.strong { ", a strong answer demanded" }
        },
        Transition::Granted { grants, .. } => html! {
            "granted " (ids(frame, grants.iter().map(|grant| &grant.bound.id)))
            @if let Some(grant) = grants.first() { ", allowed by " (decider(&grant.by)) @if grant.preset { ", a preset" } }
        },
        Transition::Answered { denied, by, .. } => html! { "denied " (bounds(frame, denied)) " by " (decider(by)) },
        Transition::Denied { bounds: denied, until } => {
            html! { "denied " (bounds(frame, denied)) ", remembered until " (words::clock(*until)) }
        }
        Transition::Withdrawn { why, .. } => html! { "the request ended without an answer: " (word(why)) },
        Transition::Inquired { inquiry } => html! {
            "a server asked, question " (inquiry.index) ": " span.dim { (cut(&visible(&inquiry.wording.text), RAW_BYTES)) }
        },
        Transition::Replied { index, reply, by } => html! {
            @match reply {
                Reply::Said(said) => { "question " (index) " answered " q { (cut(&visible(said), RAW_BYTES)) } },
                Reply::Declined => { "question " (index) " left unanswered" },
            }
            " by " b { (visible(&by.name)) } " " span.dim { "(" (word(&by.channel)) ", " (word(&by.strength)) ")" }
        },
        Transition::InquiryWithdrawn { index, why } => html! { "question " (index) " ended without an answer: " (word(why)) },
        Transition::Starting { bound, call, .. } => {
            html! { "called " (words::tool(frame, &bound.id)) " " code.dim { (words::short(&call.to_string())) } }
        }
        Transition::Ended { call, end } => {
            html! { "the call " code.dim { (words::short(&call.to_string())) } " ended: " b { (word(end)) } }
        }
        Transition::Refused { code, about, count } => html! {
            "refused: " (code.replace('-', " ")) @if *count > 1 { " (" (count) " times)" } " " span.dim { (cut(&visible(about), RAW_BYTES)) }
        },
        Transition::Revoked { ids: gone, by } => html! { "revoked " (ids(frame, gone)) " by " b { (visible(by)) } },
        Transition::Deactivated { ids: gone } => html! { "gave up " (ids(frame, gone)) },
        Transition::Expired { ids: gone } => html! { "came to their end: " (ids(frame, gone)) },
        Transition::Replaced { ids: gone } => html! { "replaced, another definition was accepted: " (ids(frame, gone)) },
        Transition::Suspended { ids: gone } => html! {
            "suspended " @for (id, why) in gone { (words::tool(frame, id)) " (" (word(why)) ") " }
        },
        Transition::Unsuspended { ids: back } => html! { "usable again: " (ids(frame, back)) },
        Transition::Opened { asker, .. } => {
            html! { "opened for " b { (asker.principal) } @if let Some(profile) = &asker.profile { ", profile " (profile) } }
        }
        Transition::Closed { by } => html! { "ended by " b { (visible(by)) } },
        Transition::DenialsCleared { tool, by } => {
            html! { "denials cleared" @if let Some(tool) = tool { " of " code { (visible(tool.as_str())) } } " by " b { (visible(by)) } }
        }
        Transition::Stopped { by, .. } => html! { "everything stopped by " b { (visible(by)) } },
        Transition::TokenMade { token, by } => html! {
            "a token for " b { (token.principal) } " made by " b { (visible(by)) } " " code.dim { (words::short(&token.id.to_string())) }
        },
        Transition::TokenRevoked { id, by } => {
            html! { "the token " code { (words::short(&id.to_string())) } " taken back by " b { (visible(by)) } }
        }
        Transition::Resumed { by } => html! { "the stop was lifted by " b { (visible(by)) } },
        Transition::Pinned { bounds: accepted } => html! { "accepted " (bounds(frame, accepted)) },
        Transition::PolicySet { policy } => html! { "a policy came in force: " code title=(policy) { (policy.short()) } },
        Transition::StandingMade { bounds: stand, by } => html! { "always allowed " (bounds(frame, stand)) " by " (decider(by)) },
        Transition::StandingRevoked { tool, by } => html! {
            "standing approvals taken back" @if let Some(tool) = tool { " of " (words::tool(frame, tool)) } " by " b { (visible(by)) }
        },
        Transition::Relayed { server, method, about } => html! {
            "asked " b { (server) } ": " (visible(method)) " " span.dim { (cut(&visible(about), RAW_BYTES)) }
        },
    }
}

/// Names of one line at the most.
const NAMED: usize = 16;

fn bounds(frame: &Frame<'_>, bounds: &[Bound]) -> Markup {
    ids(frame, bounds.iter().map(|bound| &bound.id))
}

fn ids<'a>(frame: &Frame<'_>, ids: impl IntoIterator<Item = &'a ToolId>) -> Markup {
    let all: Vec<_> = ids.into_iter().collect();
    html! {
        @for (place, id) in all.iter().take(NAMED).enumerate() { @if place > 0 { ", " } (words::tool(frame, id)) }
        @if all.len() > NAMED { " and " (all.len() - NAMED) " more" }
    }
}
