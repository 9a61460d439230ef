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

/// How one query was answered.
#[derive(Clone, Copy)]
pub(crate) struct Told {
    /// No tool came out.
    pub(crate) nothing: bool,
    /// Tools came out, marked as unlikely to be what is meant.
    pub(crate) low: bool,
    /// A right tool is among them.
    pub(crate) right: bool,
    /// How sure the search was, in thousandths; 0 of nothing.
    pub(crate) confidence: u16,
}

/// How queries of one kind were answered.
#[derive(Default)]
pub(crate) struct Kind(pub(crate) Vec<Told>);

impl Kind {
    fn add(&mut self, page: &Page, right: &BTreeSet<ToolId>) {
        let nothing = page.hits.is_empty();
        let right = page.hits.iter().any(|tool| right.contains(&tool.descriptor.id));
        self.0.push(Told { nothing, low: !nothing && page.low_confidence, right, confidence: if nothing { 0 } else { page.confidence } });
    }

    fn count(&self, is: impl Fn(&Told) -> bool) -> usize {
        self.0.iter().filter(|told| is(told)).count()
    }

    /// The share of queries of which something holds; not a number of none.
    pub(crate) fn share(&self, is: impl Fn(&Told) -> bool) -> f64 {
        self.count(is) as f64 / self.0.len() as f64
    }

    /// The share that says nothing, or marks what it says.
    pub(crate) fn quiet(&self) -> f64 {
        self.share(|told| told.nothing || told.low)
    }

    /// The share with a right tool on a page that isn't marked.
    pub(crate) fn answered(&self) -> f64 {
        self.share(|told| told.right && !told.low)
    }

    fn json(&self) -> Value {
        let right = |low| self.count(|told| told.right && told.low == low);
        json!({
            "queries": self.0.len(), "nothing": self.count(|told| told.nothing), "low_confidence": self.count(|told| told.low),
            "right": right(false), "right_and_low_confidence": right(true),
        })
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::retrieval::data::Given;
    use agent_engine::search::Parts;

    #[test]
    fn what_is_taken_out_is_not_found_and_what_is_there_is() {
        let tool = |name: &str| serde_json::from_value::<Given>(json!({"id": name, "server": "s", "name": name})).unwrap();
        let query =
            |text: &str, right: &[&str]| serde_json::from_value::<Query>(json!({"qid": text, "query": text, "relevant": right})).unwrap();
        let bench = Bench::with(&[tool("zebra"), tool("giraffe"), tool("okapi")], Parts { table: false, ..Parts::default() });
        let queries = [query("zebra", &["zebra"]), query("giraffe", &["giraffe"]), query("rhinoceros", &[])];
        let found = tokio::runtime::Runtime::new().unwrap().block_on(Honesty::of(&bench, &queries, &[query("walrus", &["x"])])).unwrap();
        assert!((found.answerable.answered() - 1.0).abs() < 1e-9 && found.answerable.0.len() == 2);
        assert!((found.taken_out.quiet() - 1.0).abs() < 1e-9 && found.taken_out.0.len() == 2);
        assert_eq!(
            (found.unrelated.0.len(), found.unrelated.count(|told| told.nothing)),
            (2 + CHORES.lines().count(), 2 + CHORES.lines().count())
        );
    }
}
