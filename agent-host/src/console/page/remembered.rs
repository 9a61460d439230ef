//! What persons said once and is remembered: always to a definition, and no to one, with a way to end each.
//!
//! Is not: what sessions hold by it, which stays until it is revoked there. Clauses: POL-4, AUTH-6.

use super::{Frame, records, words};
use crate::admin::{Remembered, Request, Stands};
use agent_core::id::ToolId;
use agent_core::session::PrincipalId;
use maud::{Markup, html};

/// The path of the page.
pub const PATH: &str = "/remembered";

/// Both lists, each from where it is shown.
pub struct Lists<'a> {
    /// What a person said always to.
    pub always: &'a [Stands],
    /// What a person said no to.
    pub noes: &'a [Remembered],
    /// How many of the first are skipped.
    pub always_from: usize,
    /// How many of the second are.
    pub noes_from: usize,
}

/// The page.
#[must_use]
pub fn lists(frame: &Frame<'_>, lists: &Lists<'_>, now: u64) -> Markup {
    html! {
        section aria-labelledby="always" {
            h2 id="always" { "Always: " (words::count(lists.always.len(), "standing approval")) }
            p.dim { "A person said always to this very definition, so its principal is granted it unasked. Ending one lets a person be asked again; sessions keep what they hold." }
            (always(frame, lists, now))
        }
        section aria-labelledby="noes" {
            h2 id="noes" { "No: " (words::count(lists.noes.len(), "denial")) }
            p.dim { "A person said no to this very definition, so it is refused to its principal without a question. Forgetting it lets a person be asked again." }
            (noes(frame, lists, now))
        }
    }
}

fn always(frame: &Frame<'_>, lists: &Lists<'_>, now: u64) -> Markup {
    let may = |principal: &PrincipalId| frame.may(&Request::WithdrawStanding { principal: principal.clone(), tool: None });
    html! {
        @if lists.always.is_empty() { p { "Nobody said always to anything." } } @else {
            div.scroll { table.rows {
                thead { tr {
                    th scope="col" { "tool" } th scope="col" { "definition" } th scope="col" { "for" } th scope="col" { "said by" } th scope="col" { "since" }
                    th scope="col" { "end" }
                } }
                tbody { @for Stands { principal, tool, given } in words::rows(lists.always, lists.always_from) { tr {
                    th scope="row" { (words::tool(frame, tool)) }
                    td { code title=(given.digest) { (given.digest.short()) } }
                    td { (principal) }
                    td { (records::decider(&given.by)) }
                    td { (words::moment(given.at, now)) }
                    td { @if may(principal) { (end(frame, "end-standing", principal, tool, "End")) } }
                } } }
            } }
            (words::pager(frame, PATH, &[("no", &lists.noes_from.to_string())], "always", lists.always_from, lists.always.len()))
        }
    }
}

fn noes(frame: &Frame<'_>, lists: &Lists<'_>, now: u64) -> Markup {
    let may = |principal: &PrincipalId| frame.may(&Request::ClearDenials { principal: principal.clone(), tool: None });
    html! {
        @if lists.noes.is_empty() { p { "No denial is remembered." } } @else {
            div.scroll { table.rows {
                thead { tr {
                    th scope="col" { "tool" } th scope="col" { "definition" } th scope="col" { "to" } th scope="col" { "ends" } th scope="col" { "forget" }
                } }
                tbody { @for Remembered { principal, bound, until } in words::rows(lists.noes, lists.noes_from) { tr {
                    th scope="row" { (words::tool(frame, &bound.id)) }
                    td { code title=(bound.digest) { (bound.digest.short()) } }
                    td { (principal) }
                    td { (words::moment(*until, now)) }
                    td { @if may(principal) { (end(frame, "clear-denials", principal, &bound.id, "Forget")) } }
                } } }
            } }
            (words::pager(frame, PATH, &[("always", &lists.always_from.to_string())], "no", lists.noes_from, lists.noes.len()))
        }
    }
}

fn end(frame: &Frame<'_>, action: &str, principal: &PrincipalId, tool: &ToolId, label: &str) -> Markup {
    let fields = [("principal", principal.as_str()), ("tool", tool.as_str())];
    words::row_button(frame, action, PATH, &fields, label, &format!("{tool} for {principal}"))
}
