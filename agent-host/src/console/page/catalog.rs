//! What there is: the search that models have, with its reasons, and every tool of every server.
//!
//! Clauses: SRCH-3 (explain), CAT-5, CAT-8. Invariant: I-6.

use super::{Frame, words};
use crate::admin::{CatalogPage, Found, Hit, Reason, RefusedTool, ToolRow};
use agent_core::id::{Alias, ToolId};
use agent_core::safety::{prose, visible};
use maud::{Markup, html};

/// Bytes of a summary in a row.
const SUMMARY_BYTES: usize = 160;

/// The page: what was searched for and found, else the tools by id.
#[must_use]
pub fn list(frame: &Frame<'_>, page: &CatalogPage, query: &str, server: Option<&Alias>, found: Option<&Result<Found, String>>) -> Markup {
    html! {
        form.filter method="get" action={ (frame.prefix) "/catalog" } role="search" {
            label { "search as a model does" input type="search" name="q" value=(query) maxlength="256" size="40" placeholder="what a tool should do, or its name"; }
            label { "server" select name="server" {
                option value="" { "all" }
                @for alias in page.servers.keys() { option value=(alias) selected[Some(alias) == server] { (alias) } }
            } }
            button type="submit" { "Search" }
            span.dim { (words::number(page.tools as u64)) " tools, generation " (page.generation) " " code title=(page.digest) { (page.digest.short()) } }
        }
        @match found {
            Some(Ok(found)) => (hits(frame, found)),
            Some(Err(why)) => p.note { (visible(why)) },
            None => (browse(frame, page, server)),
        }
    }
}

fn hits(frame: &Frame<'_>, found: &Found) -> Markup {
    html! {
        @if found.hits.is_empty() { p.empty { "Nothing is found." } }
        @if !found.unmatched.is_empty() { p.note { "Words that nothing answers: " (visible(&found.unmatched.join(", "))) } }
        @if found.low_confidence && !found.hits.is_empty() { p.note { "These are weak matches; other words may find better ones." } }
        ol.hits { @for hit in &found.hits { (one(frame, hit)) } }
        p.dim {
            @if found.truncated { "More tools answer than are shown. " }
            @if !found.hits.is_empty() { "How likely the first does what was asked for: " (found.confidence / 10) " in 100." }
        }
    }
}

fn one(frame: &Frame<'_>, hit: &Hit) -> Markup {
    let rest = [
        (hit.coverage, "a name that the words cover"),
        (hit.server, "a server that the words name"),
        (hit.meaning, "what the words mean"),
        (hit.clause, "one clause alone"),
    ];
    html! {
        li {
            p {
                @match ToolId::parse(&hit.id) { Ok(id) => (words::tool(frame, &id)), Err(_) => code { (visible(&hit.id)) } }
                " " (words::mark(&hit.effect)) " " (words::mark(hit.state.as_str()))
                " " span.dim { "by " (hit.tier) ", " (words::number(hit.score)) " points" }
            }
            (words::says(&hit.summary))
            details {
                summary { "why it is here" }
                ul.why {
                    @for reason in &hit.terms { (because(reason)) }
                    @for (points, what) in rest.into_iter().filter(|(points, _)| *points > 0) { li { span.points { (words::number(points)) } " for " (what) } }
                }
            }
        }
    }
}

fn because(reason: &Reason) -> Markup {
    let (asked, term) = (visible(&reason.words.join(", ")), visible(&reason.term));
    html! {
        li {
            span.points { (words::number(reason.points)) } " for " b { (asked) }
            @if reason.role != "word" { " by " b { (term) } " (" (reason.role) ")" }
            " in " @for (place, (field, points)) in reason.fields.iter().enumerate() { @if place > 0 { ", " } (field) " " (words::number(*points)) }
        }
    }
}

fn browse(frame: &Frame<'_>, page: &CatalogPage, server: Option<&Alias>) -> Markup {
    html! {
        @if !page.changed.is_empty() {
            section aria-labelledby="changed" {
                h2 id="changed" { "Not as they were accepted: " (page.changed.len()) }
                p.dim { "Withheld from models until an admin accepts what they are now." }
                ul { @for id in &page.changed { li { (words::tool(frame, id)) " " (words::mark("changed")) } } }
            }
        }
        @if !page.refused.is_empty() { (refused(&page.refused)) }
        section aria-labelledby="tools" {
            h2 id="tools" { "Tools" @if let Some(alias) = server { " of " (alias) } }
            @if page.rows.is_empty() { p.empty { "No tools." } } @else { div.scroll { table.rows {
                thead { tr { th scope="col" { "id" } th scope="col" { "effect" } th scope="col" { "state" } th scope="col" { "the server says (not checked)" } } }
                tbody { @for row in &page.rows { (tool(frame, row)) } }
            } } }
            @if let Some(next) = &page.next {
                nav.pages aria-label="more tools" {
                    a rel="next" href=(words::link(frame, "/catalog", &[("server", server.map_or("", Alias::as_str)), ("after", next.as_str())])) { "more tools" }
                }
            }
        }
    }
}

fn tool(frame: &Frame<'_>, row: &ToolRow) -> Markup {
    html! {
        tr {
            th scope="row" { (words::tool(frame, &row.id)) }
            td { (words::mark(&row.effect)) }
            td { (words::mark(row.state.as_str())) }
            td.foreign { (prose(&row.summary, SUMMARY_BYTES)) }
        }
    }
}

fn refused(refused: &[RefusedTool]) -> Markup {
    html! {
        details {
            summary { "Not served: " (words::count(refused.len(), "tool")) }
            div.scroll { table.rows {
                thead { tr { th scope="col" { "server" } th scope="col" { "its name for it" } th scope="col" { "why" } } }
                tbody { @for one in refused { tr {
                    th scope="row" { (one.server) }
                    td.foreign { code { (visible(&one.name)) } }
                    td { (visible(&one.why)) }
                } } }
            } }
        }
    }
}
