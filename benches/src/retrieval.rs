//! How well a search finds what it should, over labelled queries.
//!
//! Is: the shipped road, from raw definitions through `catalog::assemble` to `Search::find`, measured. Is not: a tuning
//! bench; it changes no weight. Reads folders of `tools.jsonl` and `queries.jsonl`.

pub(crate) mod bench;
pub(crate) mod data;
mod measure;

use agent_core::limits::QUERY_BYTES;
use anyhow::Context as _;
use bench::Bench;
use measure::Mean;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// What to measure.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Folders with `tools.jsonl` and `queries.jsonl`.
    #[arg(required = true)]
    folders: Vec<PathBuf>,
    /// Take only the first N queries of each folder.
    #[arg(long, value_name = "N")]
    first: Option<usize>,
    /// Write the figures to FILE as well.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// Measures every folder, prints one table and writes the file where one is named.
pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    println!("| folder | tools | quarantined | queries | hit@1 | R@1 | R@5 | R@10 | nDCG@10 | MRR | own id | own name | p50 us | p99 us |");
    println!("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|");
    let runtime = tokio::runtime::Runtime::new()?;
    let mut all = Vec::new();
    for folder in &options.folders {
        let one = runtime.block_on(Figures::of(folder, options.first)).with_context(|| format!("`{}`", folder.display()))?;
        println!("{}", one.row());
        all.push(one.json());
    }
    if let Some(file) = &options.json {
        std::fs::write(file, serde_json::to_string_pretty(&all)? + "\n").with_context(|| format!("`{}`", file.display()))?;
    }
    Ok(())
}

/// The figures of one folder.
struct Figures {
    name: String,
    tools: usize,
    quarantined: usize,
    queries: usize,
    cut: usize,
    mean: Mean,
    own_id: f64,
    own_name: f64,
    times: Vec<Duration>,
}

impl Figures {
    async fn of(folder: &Path, first: Option<usize>) -> anyhow::Result<Self> {
        let given = data::tools(folder)?;
        let bench = Bench::of(&given);
        bench.hits("warm").await?;
        let mut queries = data::queries(folder)?;
        queries.truncate(first.unwrap_or(usize::MAX));
        let mut mean = Mean::default();
        let mut times = Vec::new();
        for query in &queries {
            let began = Instant::now();
            let hits = bench.hits(&query.query).await?;
            times.push(began.elapsed());
            let hits: Vec<&str> = hits.iter().map(|tool| tool.descriptor.id.as_str()).collect();
            let groups: Vec<Vec<&str>> = query.groups().iter().map(|group| group.iter().map(|id| bench.id(id)).collect()).collect();
            mean.add(&hits, &groups);
        }
        times.sort_unstable();
        let (own_id, own_name) = own(&bench).await?;
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let quarantined = bench.snapshot().quarantined();
        for one in quarantined {
            eprintln!("{name}: quarantined `{}` of {}: {}", one.name, one.server, one.reason);
        }
        let cut = queries.iter().filter(|query| query.query.trim().len() > QUERY_BYTES).count();
        if cut > 0 {
            eprintln!("{name}: {cut} queries are longer than {QUERY_BYTES} bytes and were cut");
        }
        let (queries, quarantined) = (queries.len(), quarantined.len());
        Ok(Self { name, tools: given.len(), quarantined, queries, cut, mean, own_id, own_name, times })
    }

    fn percentile(&self, percent: usize) -> u128 {
        let place = (self.times.len() * percent / 100).min(self.times.len().saturating_sub(1));
        self.times.get(place).map_or(0, Duration::as_micros)
    }

    fn row(&self) -> String {
        let figures = self.mean.figures().map(|(_, value)| format!("{value:.3}")).join(" | ");
        format!(
            "| {} | {} | {} | {} | {figures} | {:.3} | {:.3} | {} | {} |",
            self.name,
            self.tools,
            self.quarantined,
            self.queries,
            self.own_id,
            self.own_name,
            self.percentile(50),
            self.percentile(99)
        )
    }

    fn json(&self) -> Value {
        let mut out = json!({
            "folder": self.name, "tools": self.tools, "quarantined": self.quarantined, "queries": self.queries, "queries_cut": self.cut,
            "own_id_first": self.own_id, "own_name_first": self.own_name,
        });
        for (name, value) in self.mean.figures() {
            out[name] = value.into();
        }
        out
    }
}

/// The share of tools that their own id, and their own name, finds first, over a thousand of them at the most. A name that
/// several tools have counts for each.
async fn own(bench: &Bench) -> anyhow::Result<(f64, f64)> {
    let (mut by_id, mut by_name) = (0u32, 0u32);
    let tools = bench.snapshot().tools();
    let sample: Vec<_> = tools.iter().step_by(tools.len().div_ceil(1000).max(1)).collect();
    for tool in &sample {
        let id = &tool.descriptor.id;
        by_id += u32::from(bench.hits(id.as_str()).await?.first().is_some_and(|hit| hit.descriptor.id == *id));
        by_name += u32::from(bench.hits(id.name()).await?.first().is_some_and(|hit| hit.descriptor.id.name() == id.name()));
    }
    let all = sample.len().max(1) as f64;
    Ok((f64::from(by_id) / all, f64::from(by_name) / all))
}
