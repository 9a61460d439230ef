//! The bearer tokens that stand, with a way to take each back. None is made or shown here: a secret is shown once, at a terminal.
//!
//! Clause: SES-4 (tokens).

use super::{Frame, words};
use crate::admin::Request;
use agent_core::token::TokenRecord;
use maud::{Markup, html};

/// The path of the page.
pub const PATH: &str = "/tokens";

/// The table, oldest first.
#[must_use]
pub fn list(frame: &Frame<'_>, tokens: &[TokenRecord], from: usize, now: u64) -> Markup {
    html! {
        p.lead { (words::count(tokens.len(), "token")) ". " span.dim { "Whoever has one is taken for its principal. " code { "agent-host token create" } " makes one, in a terminal." } }
        @if tokens.is_empty() { p.empty { "No token stands." } } @else {
            div.scroll { table.rows {
                thead { tr {
                    th scope="col" { "token" } th scope="col" { "principal" } th scope="col" { "profile" } th scope="col" { "made" } th scope="col" { "ends" }
                    th scope="col" { "sent in" } th scope="col" { "note" } th scope="col" { "take back" }
                } }
                tbody { @for token in words::rows(tokens, from) { (row(frame, token, now)) } }
            } }
            (words::pager(frame, PATH, &[], "from", from, tokens.len()))
        }
    }
}

fn row(frame: &Frame<'_>, token: &TokenRecord, now: u64) -> Markup {
    let id = token.id.to_string();
    html! {
        tr {
            th scope="row" { code title=(id) { (words::short(&id)) } }
            td { (token.principal) }
            td { @if let Some(profile) = &token.profile { (profile) } }
            td { (words::moment(token.made, now)) }
            td { @match token.until { Some(until) => (words::moment(until, now)), None => "never" } }
            td { @if token.url { "header or URL" } @else { "header" } }
            td { @if let Some(note) = &token.note { (note) } }
            td { @if frame.may(&Request::RevokeToken { id: token.id }) {
                (words::row_button(frame, "revoke-token", PATH, &[("token", &id)], "Revoke", &format!("{} of {}", words::short(&id), token.principal)))
            } }
        }
    }
}
