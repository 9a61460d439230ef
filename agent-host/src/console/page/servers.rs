//! How each server is, and what to do about it. Nothing of a server can be set here.
//!
//! Clause: UP-10.

use super::{Frame, words};
use crate::admin::Served;
use crate::upstream::Health;
use agent_core::id::Alias;
use agent_core::safety::visible;
use maud::{Markup, html};
use std::collections::BTreeMap;

/// The table, those that need somebody first.
#[must_use]
pub fn list(frame: &Frame<'_>, health: &BTreeMap<Alias, Health>, served: &BTreeMap<Alias, Served>) -> Markup {
    let mut rows: Vec<_> = health.iter().collect();
    rows.sort_by_key(|(_, health)| !matches!(health, Health::Failed { .. } | Health::NeedsLogin { .. }));
    html! {
        @if rows.is_empty() { p.empty { "This host runs no servers." } } @else {
            div.scroll { table.rows {
                thead { tr {
                    th scope="col" { "server" } th scope="col" { "state" } th.num scope="col" { "tools" } th.num scope="col" { "refused" }
                    th.num scope="col" { "processes" } th.num scope="col" { "calls" } th scope="col" { "what to do" }
                } }
                tbody { @for (alias, health) in rows { (row(frame, alias, health, served.get(alias))) } }
            } }
        }
        p.dim { "Servers are set in the configuration file alone: no command, URL or secret can be given here. " code { "agent-host reload" } " takes the file in." }
        (words::reload(frame, "/servers"))
    }
}

fn row(frame: &Frame<'_>, alias: &Alias, health: &Health, served: Option<&Served>) -> Markup {
    let (word, processes, calls) = match health {
        Health::Unstarted => ("not started", 0, 0),
        Health::Running { processes, calls } => ("running", *processes, *calls),
        Health::Failed { .. } => ("failed", 0, 0),
        Health::NeedsLogin { .. } => ("needs login", 0, 0),
    };
    html! {
        tr {
            th scope="row" {
                a href=(words::link(frame, "/catalog", &[("server", alias.as_str())])) { (alias) }
                @if let Some(served) = served.filter(|served| !served.description.is_empty()) { span.dim.line { (visible(&served.description)) } }
            }
            td { (words::mark(word)) }
            td.num { @if let Some(served) = served { (served.tools) } }
            td.num { @if let Some(served) = served.filter(|served| served.refused > 0) { (served.refused) } }
            td.num { @if processes > 0 { (processes) } }
            td.num { @if calls > 0 { (calls) } }
            td { (advice(health)) }
        }
    }
}

fn advice(health: &Health) -> Markup {
    match health {
        Health::Unstarted => html! { span.dim { "nothing: it is started when it is needed" } },
        Health::Running { .. } => html! { span.dim { "nothing" } },
        Health::Failed { why, retry_in } => html! {
            span.why { (visible(why)) }
            span.dim.line { @if retry_in.is_zero() { "it is tried again at the next need" } @else { "it is tried again in " (retry_in.as_secs() + 1) " s" } }
        },
        Health::NeedsLogin { why, command } => html! {
            @if let Some(command) = command { "run " code { (visible(command)) } }
            span.dim.line { (visible(why)) }
        },
    }
}
