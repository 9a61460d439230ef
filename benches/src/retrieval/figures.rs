//! The figures of one folder, searched with some parts of the ranking: a row, and the same as JSON.

use super::bench::{Bench, without};
use super::data::{self, Given, Query};
use super::honest::Honesty;
use super::measure::Mean;
use super::names::{Names, scattered};
use crate::measure::{Samples, cpu};
use agent_core::id::ToolId;
use agent_core::limits::QUERY_BYTES;
use agent_engine::search::Parts;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;

/// A folder, read.
pub(crate) struct Set {
    pub(crate) name: String,
    tools: Vec<Given>,
    queries: Vec<Query>,
}

impl Set {
    /// The first queries of a folder, or one half of these.
    pub(crate) fn read(folder: &Path, first: Option<usize>, half: Option<u64>) -> anyhow::Result<Self> {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut queries = data::queries(folder)?;
        queries.truncate(first.unwrap_or(usize::MAX));
        queries.retain(|query| half.is_none_or(|half| scattered(&query.qid).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 63 == half));
        let long = queries.iter().filter(|query| query.query.trim().len() > QUERY_BYTES).count();
        if long > 0 {
            eprintln!("{name}: {long} queries are longer than {QUERY_BYTES} bytes and are cut");
        }
        Ok(Self { name, tools: data::tools(folder)?, queries })
    }

    /// How its queries are answered as shipped, and where nothing is left out for being unsure.
    pub(crate) async fn sureness(&self, unrelated: &[Query]) -> anyhow::Result<[Honesty; 2]> {
        let (shipped, open) = (Bench::of(&self.tools), Bench::with(&self.tools, without("floor")));
        Ok([Honesty::of(&shipped, &self.queries, unrelated).await?, Honesty::of(&open, &self.queries, unrelated).await?])
    }
}

/// The figures of one folder.
pub(crate) struct Figures {
    folder: String,
    /// The part that was off; empty where none was.
    ablated: String,
    tools: usize,
    quarantined: usize,
    mean: Mean,
    /// The same by the kind of query, where the set tells kinds apart.
    kinds: BTreeMap<String, Mean>,
    /// nDCG@10 of each query.
    each: BTreeMap<String, f64>,
    /// A row for each query of which no right tool is among the first five.
    misses: Vec<String>,
    names: Names,
    pub(crate) honesty: Honesty,
    /// CPU microseconds of each search.
    times: Samples,
}

/// What a later run reads of them.
#[derive(Deserialize)]
pub(crate) struct Earlier {
    pub(crate) folder: String,
    pub(crate) ablated: String,
    pub(crate) each: BTreeMap<String, f64>,
}

impl Figures {
    pub(crate) const HEAD: &'static str = "| run | tools | queries | hit@1 | R@1 | R@5 | R@10 | nDCG@10 | MRR | typo | id | name | wire \
        | answered | wrongly silent | silent: taken out | silent: unrelated | p50 us | p99 us |\n\
        |---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|";

    pub(crate) const KINDS: &'static str =
        "| run | kind | queries | hit@1 | R@1 | R@5 | R@10 | nDCG@10 | MRR |\n|---|---|--:|--:|--:|--:|--:|--:|--:|";

    pub(crate) async fn of(set: &Set, unrelated: &[Query], ablated: &str, parts: Parts) -> anyhow::Result<Self> {
        let bench = Bench::with(&set.tools, parts);
        bench.hits("warm").await?;
        let (mut mean, mut kinds, mut times) = (Mean::default(), BTreeMap::new(), Samples::default());
        let (mut each, mut misses) = (BTreeMap::new(), Vec::new());
        for query in set.queries.iter().filter(|query| query.answers().next().is_some()) {
            let page = bench.page(&query.query, None).await?;
            let measured = bench.measure(query, &page);
            mean.add(measured);
            let first: Vec<_> = page.hits.iter().take(5).map(|tool| tool.descriptor.id.as_str()).collect();
            let right = bench.answers(query);
            if !right.iter().any(|right| first.contains(&right.as_str())) {
                let right: Vec<_> = right.iter().map(ToolId::as_str).collect();
                misses.push(format!("| {} | {} | {} | {} |", set.name, query.query, right.join(", "), first.join(", ")));
            }
            if !query.kind.is_empty() {
                kinds.entry(query.kind.clone()).or_insert_with(Mean::default).add(measured);
            }
            each.insert(query.qid.clone(), measured.ndcg());
        }
        // Once more, now that everything has been touched.
        for query in &set.queries {
            let began = cpu();
            bench.page(&query.query, None).await?;
            times.add((cpu() - began) / 1000.0);
        }
        for one in bench.snapshot().quarantined() {
            eprintln!("{}: quarantined `{}` of {}: {}", set.name, one.name, one.server, one.reason);
        }
        Ok(Self {
            folder: set.name.clone(),
            ablated: ablated.to_owned(),
            tools: set.tools.len(),
            quarantined: bench.snapshot().quarantined().len(),
            mean,
            kinds,
            each,
            misses,
            names: Names::of(&bench).await?,
            honesty: Honesty::of(&bench, &set.queries, unrelated).await?,
            times,
        })
    }

    /// Which run it was.
    pub(crate) fn what(&self) -> String {
        if self.ablated.is_empty() { self.folder.clone() } else { format!("{} without {}", self.folder, self.ablated) }
    }

    /// nDCG@10 of each query, by its id.
    pub(crate) const fn each(&self) -> &BTreeMap<String, f64> {
        &self.each
    }

    pub(crate) fn row(&self) -> String {
        let Self { tools, each, names, honesty, times, .. } = self;
        let share = |value: f64| if value.is_nan() { String::new() } else { format!("{value:.3}") };
        let rates = [names.typo, names.id, names.name, names.wire];
        let quiet = [&honesty.answerable, &honesty.taken_out, &honesty.unrelated].map(super::honest::Kind::quiet);
        let values =
            self.mean.figures().map(|(_, value)| value).into_iter().chain(rates).chain([honesty.answerable.answered()]).chain(quiet);
        let values: Vec<_> = values.map(share).collect();
        let [p50, p99] = [50, 99].map(|percent| times.percentile(percent));
        format!("| {} | {tools} | {} | {} | {p50:.0} | {p99:.0} |", self.what(), each.len(), values.join(" | "))
    }

    pub(crate) fn misses(&self) -> &[String] {
        &self.misses
    }

    /// A row for each kind of query.
    pub(crate) fn by_kind(&self) -> impl Iterator<Item = String> {
        self.kinds.iter().map(|(kind, mean)| {
            let values = mean.figures().map(|(_, value)| format!("{value:.3}")).join(" | ");
            format!("| {} | {kind} | {} | {values} |", self.what(), mean.queries())
        })
    }

    pub(crate) fn json(&self) -> Value {
        let Self { folder, ablated, tools, quarantined, each, names, honesty, times, .. } = self;
        let kinds = self.kinds.iter().map(|(kind, mean)| (kind.clone(), mean.figures().into_iter().collect::<BTreeMap<_, _>>()));
        let mut out = json!({
            "folder": folder, "ablated": ablated, "tools": tools, "quarantined": quarantined, "queries": each.len(),
            "own_id_first": names.id, "own_name_first": names.name, "own_wire_name_first": names.wire, "typo_first": names.typo,
            "honesty": honesty.json(), "cpu_us": {"p50": times.percentile(50), "p99": times.percentile(99)}, "each": each,
            "kinds": kinds.collect::<BTreeMap<_, _>>(),
        });
        for (name, value) in self.mean.figures() {
            out[name] = value.into();
        }
        out
    }
}
