//! Whether a search says so when nothing fits.
//!
//! Is: queries with an answer beside the same ones with every right tool taken out of the catalog, and beside queries for things that no tool
//! does. Taking out goes by visibility, which changes an answer as if the tools were not there (SRCH-4). Is not: proof
//! that silence is right: a large catalog often has another tool that does nearly what one that was taken out did.

use super::bench::Bench;
use super::data::Query;
use agent_core::id::ToolId;
use agent_engine::search::Page;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Queries that are tried, spread evenly.
const TRIED: usize = 200;
/// Of so many tools one may be missing besides those that answer a query: several queries share an index then.
const SHARED: usize = 200;

/// Things that people ask of people: no tool of any catalog does them, though many share a word or two.
const CHORES: &str = include_str!("chores.txt");

/// How queries of one kind were answered.
#[derive(Default)]
pub(crate) struct Kind {
    all: u32,
    /// No tool came out.
    nothing: u32,
    /// Tools came out, marked as unlikely to be what is meant.
    low: u32,
    /// A right tool came out and nothing was marked.
    right: u32,
    /// How sure the search was of each.
    pub(crate) confidence: Vec<u16>,
}

impl Kind {
    fn add(&mut self, page: &Page, right: &BTreeSet<ToolId>) {
        self.all += 1;
        match () {
            () if page.hits.is_empty() => self.nothing += 1,
            () if page.low_confidence => self.low += 1,
            () => self.right += u32::from(page.hits.iter().any(|tool| right.contains(&tool.descriptor.id))),
        }
        self.confidence.push(if page.hits.is_empty() { 0 } else { page.confidence });
    }

    /// The share that says nothing, or marks what it says.
    pub(crate) fn quiet(&self) -> f64 {
        f64::from(self.nothing + self.low) / f64::from(self.all)
    }

    /// The share with a right tool on a page that isn't marked.
    pub(crate) fn answered(&self) -> f64 {
        f64::from(self.right) / f64::from(self.all)
    }

    fn json(&self) -> Value {
        let Self { all, nothing, low, right, .. } = self;
        json!({ "queries": all, "nothing": nothing, "low_confidence": low, "right": right })
    }
}

/// All kinds.
#[derive(Default)]
pub(crate) struct Honesty {
    /// Queries with an answer.
    pub(crate) answerable: Kind,
    /// The same without what answers them.
    pub(crate) taken_out: Kind,
    /// Queries for what no tool does.
    pub(crate) unrelated: Kind,
}

impl Honesty {
    pub(crate) async fn of(bench: &Bench, queries: &[Query], unrelated: &[Query]) -> anyhow::Result<Self> {
        let mut out = Self::default();
        let answerable: Vec<_> = queries.iter().filter(|query| !bench.answers(query).is_empty()).collect();
        let sample: Vec<_> = answerable.iter().step_by(answerable.len().div_ceil(TRIED).max(1)).copied().collect();
        for (queries, hidden) in batches(bench, &sample) {
            for query in queries {
                out.answerable.add(&bench.page(&query.query, None).await?, &bench.answers(query));
                out.taken_out.add(&bench.page_hiding(&query.query, &hidden).await?, &BTreeSet::new());
            }
        }
        let own = queries.iter().filter(|query| query.answers().next().is_none());
        let own = own.chain(unrelated).map(|query| query.query.as_str());
        for query in own.chain(CHORES.lines()) {
            out.unrelated.add(&bench.page(query, None).await?, &BTreeSet::new());
        }
        Ok(out)
    }

    pub(crate) fn json(&self) -> Value {
        json!({ "answerable": self.answerable.json(), "taken_out": self.taken_out.json(), "unrelated": self.unrelated.json() })
    }
}

/// Queries that one index serves, with the tools that it does not have.
fn batches<'a>(bench: &Bench, queries: &[&'a Query]) -> Vec<(Vec<&'a Query>, BTreeSet<ToolId>)> {
    let room = bench.snapshot().tools().len() / SHARED;
    let mut out: Vec<(Vec<&Query>, BTreeSet<ToolId>)> = Vec::new();
    for query in queries {
        let answers = bench.answers(query);
        let fits = |hidden: &BTreeSet<ToolId>| hidden == &answers || hidden.union(&answers).count() <= room;
        match out.iter_mut().find(|(_, hidden)| fits(hidden)) {
            Some((queries, hidden)) => {
                queries.push(query);
                hidden.extend(answers);
            }
            None => out.push((vec![query], answers)),
        }
    }
    out
}
