//! What a model has to read, in o200k tokens.

use super::rig::Rig;
use crate::measure::{Bound, Figure, Samples};
use crate::retrieval::data;
use agent_core::limits::{HITS_DEFAULT, QUERY_BYTES};
use agent_engine::ledger::MemoryLedger;
use agent_engine::projection::Terms;
use agent_engine::projection::text::instructions;
use agent_engine::shape::mcp;
use agent_engine::testing::StaticHost;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use tiktoken_rs::{CoreBPE, o200k_base};

/// Searches at each size.
const SEARCHES: usize = 300;

pub(crate) async fn figures() -> anyhow::Result<Vec<Figure>> {
    let tokens = o200k_base()?;
    let mut said = Samples::default();
    said.add(count(&tokens, instructions(&Terms::default())));
    let mut figures = vec![Figure::new("instructions", "tokens", &said, Some(Bound::Under(120.0)))];
    let mut first: Option<String> = None;
    for size in [10, 1_000, 10_000] {
        let rig = Rig::new(Arc::new(MemoryLedger::default()), Arc::new(StaticHost::default()), size).await?;
        let list = serde_json::to_string(&mcp::tools(&rig.front.surface(&rig.session)))?;
        anyhow::ensure!(first.get_or_insert_with(|| list.clone()) == &list, "the first list depends on the catalog's size");
        let mut listed = Samples::default();
        listed.add(count(&tokens, &list));
        figures.push(Figure::new(format!("first list, {size} tools"), "tokens", &listed, Some(Bound::Under(700.0))));
        let queries: Vec<_> = (0..SEARCHES).map(|place| query(&rig, place * 37)).collect();
        figures.extend(answers(&tokens, &rig, &queries, &format!("search answer, {size} tools")).await?);
    }
    Ok(figures)
}

/// The answers to every query of a folder of labelled tools and queries.
pub(crate) async fn folder(folder: &Path) -> anyhow::Result<Vec<Figure>> {
    let (sources, _) = data::sources(&data::tools(folder)?);
    let rig = Rig::of(Arc::new(MemoryLedger::default()), Arc::new(StaticHost::default()), &sources).await?;
    let queries: Vec<_> = data::queries(folder)?.into_iter().map(|query| query.query).filter(|query| fits(query)).collect();
    let name = folder.file_name().unwrap_or_default().display();
    answers(&o200k_base()?, &rig, &queries, &format!("search answer, {name}")).await
}

/// Whether the search takes the query (SRCH-1).
fn fits(query: &str) -> bool {
    (1..=QUERY_BYTES).contains(&query.trim().len())
}

/// The tokens of the answers, of all and of those with the default's eight hits.
async fn answers(tokens: &CoreBPE, rig: &Rig, queries: &[String], what: &str) -> anyhow::Result<Vec<Figure>> {
    let (mut eight, mut all) = (Samples::default(), Samples::default());
    for query in queries {
        let answer = rig.done("search_tools", json!({"query": query})).await?;
        let hits = serde_json::from_str::<Value>(&answer)?["tools"].as_array().map_or(0, Vec::len);
        let count = count(tokens, &answer);
        all.add(count);
        if hits == HITS_DEFAULT {
            eight.add(count);
        }
    }
    let figure = |what: String, of: &Samples| Figure::new(what, "tokens", of, Some(Bound::AtMost(600.0))).at_95();
    Ok(vec![figure(what.to_owned(), &all), figure(format!("{what}, 8 hits"), &eight)])
}

/// A tool's name in words, and two words of its description.
fn query(rig: &Rig, place: usize) -> String {
    let tools = rig.catalog.tools();
    let Some(tool) = tools.get(place % tools.len().max(1)) else { return String::new() };
    let name = tool.descriptor.id.name().replace('_', " ");
    let words: Vec<_> = tool.descriptor.summary.split(' ').skip(place % 7).take(2).collect();
    format!("{name} {}", words.join(" "))
}

fn count(tokens: &CoreBPE, text: &str) -> f64 {
    tokens.encode_ordinary(text).len() as f64
}
