//! The rules in force, in order, and how many tools each decides. They are read here and set in the operator's file alone.
//!
//! Clauses: POL-1, POL-3.

use super::{Frame, records, words};
use crate::admin::{Explained, PolicyPage};
use agent_core::safety::visible;
use agent_engine::policy::{Condition, Profile, Rule};
use maud::{Markup, html};
use serde_json::Value;
use std::collections::BTreeMap;

/// The page.
#[must_use]
pub fn rules(frame: &Frame<'_>, page: &PolicyPage, asked: &Asked<'_>) -> Markup {
    let word = |verdict| super::records::word(&verdict);
    html! {
        p.lead {
            "Where no rule matches: " (words::mark(&word(page.activation))) ". The first rule that matches decides."
            span.dim { " Policy " code title=(page.digest) { (page.digest.short()) } }
        }
        div.scroll { table.rows {
            thead { tr {
                th.num scope="col" { "rule" } th scope="col" { "decides" } th scope="col" { "where all of this holds" } th scope="col" { "with" } th.num scope="col" { "tools" }
            } }
            tbody {
                @for (place, row) in page.rules.iter().enumerate() { tr {
                    th.num scope="row" { (place + 1) }
                    @match &row.rule {
                        Some(rule) => {
                            @let (conditions, terms) = parts(rule);
                            td { (words::mark(&word(rule.decision))) }
                            td { (pairs(&conditions, "everything")) }
                            td { (pairs(&terms, "")) }
                        },
                        None => td colspan="3" { span.dim { "about a principal that is not yours" } },
                    }
                    td.num { (words::number(row.decides as u64)) }
                } }
                tr {
                    th.num scope="row" { "else" }
                    td { (words::mark(&word(page.activation))) }
                    td { span.dim { "no rule matches" } }
                    td {}
                    td.num { (words::number(page.otherwise as u64)) }
                }
            }
        } }
        p.dim { "Tools: of " (words::number(page.tools as u64)) " in the catalog, those that a rule decides for whom it names; a rule that names nobody, for an asker whom no rule names." }
        (words::reload(frame, "/policy"))
        (explain(frame, page, asked))
        @if !page.profiles.is_empty() { (profiles(&page.profiles)) }
    }
}

/// One case, and how it was judged.
#[derive(Default)]
pub struct Asked<'a> {
    /// Who would ask.
    pub principal: &'a str,
    /// Under which profile.
    pub profile: &'a str,
    /// For what.
    pub tool: &'a str,
    /// What the policy says of it; none where nothing was asked.
    pub answer: Option<Result<Box<Explained>, String>>,
}

fn explain(frame: &Frame<'_>, page: &PolicyPage, asked: &Asked<'_>) -> Markup {
    html! {
        section aria-labelledby="explain" {
            h2 id="explain" { "Why one case is decided so" }
            form.filter method="get" action={ (frame.prefix) "/policy" } {
                label { "principal" input type="text" name="principal" value=(asked.principal) required; }
                label { "profile" select name="profile" {
                    option value="" { "none" }
                    @for name in page.profiles.keys() { option value=(name) selected[name == asked.profile] { (name) } }
                } }
                label { "tool" input type="text" name="tool" value=(asked.tool) size="34" placeholder="mcp:server/name" required; }
                button type="submit" { "Explain" }
            }
            @match &asked.answer {
                None => {},
                Some(Err(why)) => p.note { (visible(why)) },
                Some(Ok(explained)) => (answer(explained)),
            }
        }
    }
}

fn answer(explained: &Explained) -> Markup {
    let judged = &explained.judged;
    html! {
        p.lead { b { (records::word(&judged.outcome)) } span.dim {
            @if !judged.explanation.within { ", beyond the profile" }
            @if judged.drifted { ", another definition was accepted" }
            @if judged.denied.is_some() { ", a person said no and it is remembered" }
        } }
        ol.why { @for looked in &judged.explanation.looked {
            li { "rule " (looked.rule + 1) ": " @match looked.failed {
                Some(condition) => { "does not match, by its " b { (records::word(&condition)) } },
                None => { b { "matches and decides" } },
            } }
        } }
    }
}

/// Keys and what they are, in words.
type Pairs = Vec<(String, String)>;

/// What a rule asks of a case, and what it says of a yes. By its own keys, so that a key added to rules is shown as well.
fn parts(rule: &Rule) -> (Pairs, Pairs) {
    let written = serde_json::to_value(rule).unwrap_or_default();
    let members = written.as_object().into_iter().flatten().filter(|(key, _)| *key != "decision");
    let said = members.filter_map(|(key, value)| Some((key.clone(), text(value)?)));
    said.partition(|(key, _)| Condition::is_key(key))
}

/// None where nothing is said.
fn text(value: &Value) -> Option<String> {
    match value {
        Value::Null | Value::Bool(false) => None,
        Value::Bool(true) => Some("yes".to_owned()),
        Value::String(text) => Some(visible(text)),
        Value::Array(items) if items.is_empty() => None,
        Value::Array(items) => Some(items.iter().filter_map(text).collect::<Vec<_>>().join(", ")),
        other => Some(visible(&other.to_string())),
    }
}

fn pairs(pairs: &[(String, String)], nothing: &str) -> Markup {
    html! {
        @if pairs.is_empty() { span.dim { (nothing) } }
        @for (key, value) in pairs { span.pair { span.dim { (key.replace('_', " ")) } " " code { (value) } } " " }
    }
}

fn profiles(profiles: &BTreeMap<String, Profile>) -> Markup {
    html! {
        section aria-labelledby="profiles" {
            h2 id="profiles" { "Profiles" }
            div.scroll { table.rows {
                thead { tr { th scope="col" { "profile" } th scope="col" { "nothing beyond" } th scope="col" { "active from the start" } } }
                tbody { @for (name, profile) in profiles { tr {
                    th scope="row" { (name) }
                    td { @match &profile.tools {
                        None => span.dim { "no ceiling" },
                        Some(patterns) => @for pattern in patterns { code { (text(&serde_json::to_value(pattern).unwrap_or_default()).unwrap_or_default()) } " " },
                    } }
                    td { @for id in &profile.presets { code { (visible(id.as_str())) } " " } }
                } } }
            } }
        }
    }
}
