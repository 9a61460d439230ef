//! What a model has to read, in o200k tokens.

use super::rig::Rig;
use crate::measure::{Bound, Figure, Samples};
use agent_core::session::Listing;
use agent_engine::ledger::MemoryLedger;
use agent_engine::projection::text::instructions;
use agent_engine::shape::mcp;
use agent_engine::testing::StaticHost;
use serde_json::{Value, json};
use std::sync::Arc;
use tiktoken_rs::{CoreBPE, o200k_base};

/// Searches at each size.
const SEARCHES: usize = 300;

pub(crate) async fn figures() -> anyhow::Result<Vec<Figure>> {
    let tokens = o200k_base()?;
    let mut said = Samples::default();
    said.add(count(&tokens, instructions(Listing::Held)));
    let mut figures = vec![Figure::new("instructions", "tokens", &said, Some(Bound::Under(120.0)))];
    let mut first: Option<String> = None;
    for size in [10, 1_000, 10_000] {
        let rig = Rig::new(Arc::new(MemoryLedger::default()), Arc::new(StaticHost::default()), size).await?;
        let list = serde_json::to_string(&mcp::tools(&rig.front.surface(&rig.session)))?;
        anyhow::ensure!(first.get_or_insert_with(|| list.clone()) == &list, "the first list depends on the catalog's size");
        let mut listed = Samples::default();
        listed.add(count(&tokens, &list));
        figures.push(Figure::new(format!("first list, {size} tools"), "tokens", &listed, Some(Bound::Under(700.0))));
        let (mut eight, mut all) = (Samples::default(), Samples::default());
        for place in 0..SEARCHES {
            let answer = rig.done("search_tools", json!({"query": query(&rig, place * 37)})).await?;
            let hits = serde_json::from_str::<Value>(&answer)?["tools"].as_array().map_or(0, Vec::len);
            let count = count(&tokens, &answer);
            all.add(count);
            if hits == 8 {
                eight.add(count);
            }
        }
        let what = format!("search answer, {size} tools");
        figures.push(Figure::new(what.clone(), "tokens", &all, Some(Bound::AtMost(600.0))).at_95());
        figures.push(Figure::new(format!("{what}, 8 hits"), "tokens", &eight, Some(Bound::AtMost(600.0))).at_95());
    }
    Ok(figures)
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
