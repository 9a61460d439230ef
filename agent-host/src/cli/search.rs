//! `search`: what a model would find, and why.
//!
//! Is: the shipped search over everything that the lock file serves, tools withheld from models included, each with where it
//! stands. Is not: what one session can find, which its policy narrows. Clauses: HOST-3 (see), SRCH-3, SRCH-5, CAT-5.

use super::print::{json, print};
use super::table::{table, width};
use super::tools::Known;
use super::{Exit, Failure};
use crate::admin::{Found, Hit};
use crate::config::Config;
use agent_core::id::Alias;
use agent_core::limits::{HITS_DEFAULT, HITS_MAX, QUERY_BYTES};
use agent_core::safety::{cut, visible};
use agent_core::session::Visibility;
use agent_engine::engine::INDEX_BYTES;
use agent_engine::index::Indexes;
use agent_engine::search::Search;
use clap::Args;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

/// Bytes of a summary in a row.
const SUMMARY_BYTES: usize = 80;

/// What is looked for.
#[derive(Debug, Args)]
pub(crate) struct Query {
    /// Words, or a tool's name.
    #[arg(required = true, value_name = "WORDS")]
    words: Vec<String>,
    /// Only tools of one server.
    #[arg(long, value_name = "NAME", value_parser = Alias::parse)]
    server: Option<Alias>,
    /// How many at the most, 1 to 16.
    #[arg(long, value_name = "N", default_value_t = HITS_DEFAULT as u64, value_parser = clap::value_parser!(u64).range(1..=HITS_MAX as u64))]
    limit: u64,
    /// Say why each is found: which word stands where, and what it adds.
    #[arg(long)]
    explain: bool,
    /// One JSON document, reasons included.
    #[arg(long)]
    json: bool,
}

pub(super) async fn search(config: &Config, state: &Path, query: &Query) -> Result<(), Failure> {
    let known = Known::read(config, state, query.server.as_ref())?;
    let lack = known.lack(config, query.server.as_ref());
    let search = Search::new(Indexes::new(INDEX_BYTES));
    search.use_synonyms(config.synonyms.clone());
    let report = report(&search, &known, &query.words.join(" "), query.limit, query.server.as_ref()).await?;
    print(&match lack {
        _ if query.json => json(&report)?,
        Some(lack) => lack.lines(),
        None => lines(&report, query.explain, width()),
    });
    Ok(())
}

async fn report(search: &Search, known: &Known, words: &str, limit: u64, server: Option<&Alias>) -> Result<Found, Failure> {
    let words = words.trim();
    if words.is_empty() || words.len() > QUERY_BYTES {
        return Err(Failure::new(Exit::Usage, format!("a query has 1 to {QUERY_BYTES} bytes")));
    }
    let snapshot = Arc::new(known.catalog.clone());
    let hidden = BTreeSet::new();
    let everything = Visibility { digest: snapshot.visible(&hidden), hidden: Arc::new(hidden) };
    let limit = usize::try_from(limit).unwrap_or(HITS_MAX);
    let found = search.explain(&snapshot, &everything, words, limit, server).await;
    let found = found.map_err(|error| Failure::new(Exit::Failed, error.to_string()))?;
    Ok(Found::of(found, &known.pins))
}

fn lines(report: &Found, explain: bool, width: Option<u16>) -> Vec<String> {
    let mut lines = if explain { report.hits.iter().flat_map(reasons).collect() } else { hits(&report.hits, width) };
    if report.hits.is_empty() {
        lines.push("nothing is found".to_owned());
    }
    if report.low_confidence {
        lines.push("these are weak matches; other words may find better ones".to_owned());
    }
    if report.truncated {
        lines.push("more tools answer; `--limit` shows up to 16".to_owned());
    }
    if !report.unmatched.is_empty() {
        lines.push(format!("words that nothing answers: {}", visible(&report.unmatched.join(", "))));
    }
    lines
}

fn hits(hits: &[Hit], width: Option<u16>) -> Vec<String> {
    let row = |hit: &Hit| vec![hit.id.clone(), hit.effect.clone(), hit.state.as_str().to_owned(), cut(&hit.summary, SUMMARY_BYTES)];
    table(&["ID", "EFFECT", "STATE", "SUMMARY"], &hits.iter().map(row).collect::<Vec<_>>(), width)
}

/// One hit and what makes it up, the most first.
fn reasons(hit: &Hit) -> Vec<String> {
    let mut lines = vec![visible(&format!("{}  by {}, {} points, {}", hit.id, hit.tier, hit.score, hit.state.as_str()))];
    lines.extend(hit.terms.iter().map(|reason| {
        let fields: Vec<_> = reason.fields.iter().map(|(field, points)| format!("{field} {points}")).collect();
        let words = reason.words.join(", ");
        let term = if reason.role == "word" { words } else { format!("{} for {words} ({})", reason.term, reason.role) };
        visible(&format!("  {:>7}  {term}: {}", reason.points, fields.join(", ")))
    }));
    let parts = [
        (hit.coverage, "for a name that the words cover"),
        (hit.server, "for a server that the words name"),
        (hit.meaning, "by what the words mean"),
        (hit.clause, "by one clause alone"),
    ];
    lines.extend(parts.iter().filter(|(points, _)| *points > 0).map(|(points, what)| format!("  {points:>7}  {what}")));
    lines.extend(hit.moved.then(|| "           others of fewer points stand before it: its server has had its share".to_owned()));
    lines
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing)]
    use super::super::tools::tests::known;
    use super::*;

    #[tokio::test]
    async fn srch_3_a_person_sees_why_each_tool_is_found() {
        let known = known();
        let search = Search::new(Indexes::new(INDEX_BYTES));
        let found = report(&search, &known, "time of the earth zebra", 8, None).await.unwrap();
        let said = lines(&found, true, None);
        assert!(said[0].starts_with("mcp:clock/now  by words, ") && said[0].ends_with(" points, accepted"), "{said:?}");
        assert!(said.iter().any(|line| line.contains("earth: parameter texts ")), "{said:?}");
        assert_eq!(said.last().unwrap(), "words that nothing answers: zebra");
        let exact = report(&search, &known, "mcp:clock/set", 1, None).await.unwrap();
        assert!(lines(&exact, true, None)[0].starts_with("mcp:clock/set  by exact id, "));
        assert_eq!(lines(&exact, false, None)[1].split_whitespace().collect::<Vec<_>>(), ["mcp:clock/set", "destructive", "changed"]);
        let nothing = report(&search, &known, "zebra", 1, None).await.unwrap();
        assert_eq!(lines(&nothing, false, None), ["nothing is found", "words that nothing answers: zebra"]);
        assert_eq!(report(&search, &known, " ", 1, None).await.err().unwrap().exit, Exit::Usage);
        let text = json(&found).unwrap().concat();
        let read: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!((&read["hits"][0]["tier"], &read["unmatched"][0]), (&"words".into(), &"zebra".into()));
    }
}
