//! How well a search finds what it should, over labelled queries.
//!
//! Is: one table over folders of `tools.jsonl` and `queries.jsonl`, and how sure a difference between two runs is. Is not: a tuning
//! bench; it changes no weight. A query without relevant tools is one that nothing should answer. `figures` is one row, `names`,
//! `honest` and `measure` are what is in it, `pairs` compares.

pub(crate) mod bench;
mod curve;
pub(crate) mod data;
mod figures;
mod honest;
mod measure;
pub(crate) mod names;
mod pairs;

use agent_engine::search::Parts;
use anyhow::Context as _;
use bench::{PARTS, without};
use figures::Figures;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What to measure.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Folders with `tools.jsonl` and `queries.jsonl`.
    #[arg(required = true)]
    folders: Vec<PathBuf>,
    /// Take only the first N queries of each folder.
    #[arg(long, value_name = "N")]
    first: Option<usize>,
    /// Take only one half of each folder's queries, by their ids: 0 is what may be looked at while tuning, 1 what is kept back.
    #[arg(long, value_name = "0|1", value_parser = clap::value_parser!(u64).range(0..2))]
    half: Option<u64>,
    /// Measure without a part of the ranking as well, and compare; `all` stands for each in turn.
    #[arg(long, value_name = "PART", value_parser = PARTS.into_iter().chain(["all"]).collect::<Vec<_>>())]
    ablate: Vec<String>,
    /// List the queries of which no right tool is among the first five, with what is.
    #[arg(long)]
    misses: bool,
    /// A folder whose queries no tool of the others answers.
    #[arg(long, value_name = "FOLDER")]
    unrelated: Option<PathBuf>,
    /// Draw how many queries are answered against how many that have no answer are not, to FILE.
    #[arg(long, value_name = "FILE")]
    curve: Option<PathBuf>,
    /// Write the figures to FILE as well.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Compare with the figures that an earlier run wrote to FILE.
    #[arg(long, value_name = "FILE")]
    against: Option<PathBuf>,
}

/// Measures every folder, prints one table, then the differences, and writes the file where one is named.
pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let before = options.against.as_deref().map(earlier).transpose()?.unwrap_or_default();
    let unrelated = options.unrelated.as_deref().map_or_else(|| Ok(Vec::new()), data::queries)?;
    let parts = PARTS.into_iter().filter(|part| options.ablate.iter().any(|name| name == part || name == "all"));
    let runs: Vec<_> =
        std::iter::once((String::new(), Parts::default())).chain(parts.map(|part| (part.to_owned(), without(part)))).collect();
    let runtime = tokio::runtime::Runtime::new()?;
    println!("{}", Figures::HEAD);
    let mut curve = curve::Curve::default();
    let (mut all, mut kinds, mut misses, mut differences) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for folder in &options.folders {
        let set = figures::Set::read(folder, options.first, options.half).with_context(|| format!("`{}`", folder.display()))?;
        let mut whole: Option<Figures> = None;
        if options.curve.is_some() {
            curve.add(&set.name, runtime.block_on(set.sureness(&unrelated))?);
        }
        for (ablated, parts) in &runs {
            let one = runtime.block_on(Figures::of(&set, &unrelated, ablated, *parts))?;
            println!("{}", one.row());
            match (&whole, before.get(&set.name)) {
                (Some(whole), _) => differences.push(row(&one.what(), "with it", one.each(), whole.each())),
                (None, Some(before)) => differences.push(row(&one.what(), "before", one.each(), before)),
                (None, None) => {}
            }
            if ablated.is_empty() {
                kinds.extend(one.by_kind());
                misses.extend(one.misses().iter().filter(|_| options.misses).cloned());
            }
            all.push(one.json());
            whole.get_or_insert(one);
        }
    }
    if !kinds.is_empty() {
        println!("\n{}\n{}", Figures::KINDS, kinds.join("\n"));
    }
    if !misses.is_empty() {
        println!("\n| run | query | missed | came out |\n|---|---|---|---|\n{}", misses.join("\n"));
    }
    if !differences.is_empty() {
        println!("\n| run | against | queries | nDCG@10 by | 95 % lie within |\n|---|---|--:|--:|---|\n{}", differences.join("\n"));
    }
    if let Some(file) = &options.curve {
        println!("\n{}", curve.table());
        std::fs::write(file, curve.svg()).with_context(|| format!("`{}`", file.display()))?;
    }
    if let Some(file) = &options.json {
        std::fs::write(file, serde_json::to_string_pretty(&all)? + "\n").with_context(|| format!("`{}`", file.display()))?;
    }
    Ok(())
}

fn row(what: &str, against: &str, run: &BTreeMap<String, f64>, other: &BTreeMap<String, f64>) -> String {
    match pairs::difference(run, other) {
        Some(pairs::Difference { queries, mean, low, high }) => {
            format!("| {what} | {against} | {queries} | {mean:+.4} | {low:+.4} to {high:+.4} |")
        }
        None => format!("| {what} | {against} | 0 | | |"),
    }
}

/// What each query of each folder got in an earlier run, with all parts.
fn earlier(file: &Path) -> anyhow::Result<BTreeMap<String, BTreeMap<String, f64>>> {
    let text = std::fs::read_to_string(file).with_context(|| format!("`{}`", file.display()))?;
    let runs: Vec<figures::Earlier> = serde_json::from_str(&text).with_context(|| format!("`{}`", file.display()))?;
    Ok(runs.into_iter().filter(|run| run.ablated.is_empty()).map(|run| (run.folder, run.each)).collect())
}

#[cfg(test)]
mod tests;
