//! What a search costs in catalogs from a hundred tools to a million, beside other ways to search the same tools.
//!
//! Is: every engine on every set in a process of its own, so that its memory is its own; CPU time of all its threads. Ours is
//! the whole `search_tools` with the rendered answer; FastMCP's is its whole tool too, and its index alone beside it. The
//! `bm25` crate and the exhaustive index rank and render nothing. Is not: a judgement of what is found (`retrieval`).
//! Clauses: SRCH-3, SRCH-4.

mod bm25;
mod exhaustive;
mod fastmcp;
mod made;
mod ours;
mod taken;

use crate::measure::{Bound, Figure, Samples};
use anyhow::Context as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use taken::{Set, Taken};

/// Tools in the catalogs that are made up.
const SIZES: [usize; 5] = [100, 1_000, 10_000, 100_000, MILLION];
const MILLION: usize = 1_000_000;
/// The largest catalogs that the others get; above it they need many minutes.
const BM25: usize = 100_000;
const FASTMCP: usize = 10_000;

/// What to search.
#[derive(clap::Args)]
#[group(id = "searches")]
pub(crate) struct Options {
    /// A folder with `tools.jsonl` and `queries.jsonl` to search in as well.
    #[arg(long, value_name = "FOLDER")]
    tools: Option<PathBuf>,
    /// The largest catalog that is made up to be searched. A million tools take many minutes and about 7 GB.
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    up_to: usize,
    /// The smallest one: the same as --up-to measures one size alone.
    #[arg(long, value_name = "N", default_value_t = 0)]
    from: usize,
    /// The Python that has FastMCP; `tests/tools/install` makes this one.
    #[arg(long, value_name = "FILE", default_value = "target/tools/python/bin/python")]
    python: PathBuf,
}

/// One engine on one set.
#[derive(clap::Args)]
pub(crate) struct Searching {
    engine: Engine,
    folder: PathBuf,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Engine {
    Ours,
    Exhaustive,
    Bm25,
}

impl Engine {
    const fn name(self) -> &'static str {
        match self {
            Self::Ours => "agent-host",
            Self::Exhaustive => "exhaustive index",
            Self::Bm25 => "`bm25` crate",
        }
    }

    /// Runs it in a process of its own.
    fn run(self, folder: &Path) -> anyhow::Result<Taken> {
        let engine = clap::ValueEnum::to_possible_value(&self).context("an engine without a name")?;
        taken::of(Command::new(std::env::current_exe()?).arg("searching").arg(engine.get_name()).arg(folder))
    }
}

/// Runs one engine on one set and prints what it took.
pub(crate) fn searching(one: &Searching) -> anyhow::Result<()> {
    let taken = match one.engine {
        Engine::Ours => ours::run(&one.folder),
        Engine::Exhaustive => exhaustive::run(&Set::read(&one.folder, |tool| tool.texts())?),
        Engine::Bm25 => bm25::run(&Set::read(&one.folder, |tool| tool.texts().join(" "))?),
    }?;
    println!("{}", serde_json::to_string(&taken)?);
    Ok(())
}

/// Shows the figures of the sets, the smallest first, and then those of the folder.
pub(super) fn figures(options: &Options, show: &mut impl FnMut(Vec<Figure>)) -> anyhow::Result<()> {
    for size in SIZES.into_iter().filter(|size| (options.from..=options.up_to).contains(size)) {
        let folder = tempfile::tempdir()?;
        made::write(folder.path(), size)?;
        of_set(folder.path(), size, "made up", &options.python, show)?;
    }
    let Some(folder) = &options.tools else { return Ok(()) };
    let file = folder.join("tools.jsonl");
    let size = std::fs::read_to_string(&file).with_context(|| format!("`{}`", file.display()))?.lines().count();
    of_set(folder, size, &folder.file_name().unwrap_or_default().to_string_lossy(), &options.python, show)
}

fn of_set(folder: &Path, size: usize, set: &str, python: &Path, show: &mut impl FnMut(Vec<Figure>)) -> anyhow::Result<()> {
    let place = format!("{size} tools, {set}");
    let ours = Engine::Ours.run(folder)?;
    show(judged(&ours, size, &place));
    let exhaustive = Engine::Exhaustive.run(folder)?;
    show(told(Engine::Exhaustive.name(), &exhaustive, &place));
    show(vec![Figure::ratio(format!("search, {place}: agent-host to exhaustive index"), &ours.samples(), &exhaustive.samples(), None)]);
    let left_out = |who: &str, above: usize| Figure::missing(format!("{who}, {place}: left out above {above} tools"));
    if size <= BM25 {
        show(told(Engine::Bm25.name(), &Engine::Bm25.run(folder)?, &place));
    } else {
        show(vec![left_out(Engine::Bm25.name(), BM25)]);
    }
    if size > FASTMCP {
        show(vec![left_out("FastMCP", FASTMCP)]);
        return Ok(());
    }
    match fastmcp::run(python, folder) {
        Ok(fastmcp) => {
            let who = format!("FastMCP {}", fastmcp.version);
            show(told(&who, &fastmcp.whole, &place));
            let ratio = format!("search, {place}: {who} to agent-host");
            let index = format!("search, {place}: {who}, its index alone");
            show(vec![
                Figure::ratio(ratio, &fastmcp.whole.samples(), &ours.samples(), None),
                Figure::new(index, "us CPU", &fastmcp.index_micros.into(), None),
            ]);
        }
        Err(error) => show(vec![Figure::missing(format!("FastMCP, {place}: {error:#}"))]),
    }
    Ok(())
}

/// Ours, beside the targets for a catalog of so many tools.
fn judged(ours: &Taken, size: usize, place: &str) -> Vec<Figure> {
    let target = |bound| (size <= 8_001).then_some(Bound::Under(bound));
    let who = Engine::Ours.name();
    if ours.tools < size {
        return vec![Figure::missing(format!("{who}, {place}: a catalog takes {} tools at the most", ours.tools))];
    }
    let median = if size == MILLION { Some(Bound::Under(25_000.0)) } else { target(300.0) };
    let search = |what: &str, bound| Figure::new(format!("search, {place}: {who}{what}"), "us CPU", &ours.samples(), bound);
    let figure = |what: &str, unit, value, bound| Figure::new(format!("{what}, {place}: {who}"), unit, &Samples::one(value), bound);
    let mut figures = vec![
        figure("build", "s", ours.build_ms / 1000.0, target(1.0)),
        figure("build", "s CPU", ours.build_cpu_ms / 1000.0, None),
        figure("resident, added", "MiB", ours.resident, target(60.0)),
        figure("resident at the most, with catalog and definitions", "MiB", ours.whole, None),
        search("", median),
    ];
    if ours.bytes > 0.0 {
        figures.push(figure("index with its definitions", "MiB", ours.bytes / 1_048_576.0, None));
    }
    figures.extend(target(1000.0).map(|bound| search(", 99th percentile", Some(bound)).at_99()));
    figures
}

/// Another's figures, to compare.
fn told(who: &str, taken: &Taken, place: &str) -> Vec<Figure> {
    let few = if taken.micros.len() < 100 { format!(" ({} searches)", taken.micros.len()) } else { String::new() };
    vec![
        Figure::new(format!("build, {place}: {who}"), "s CPU", &Samples::one(taken.build_cpu_ms / 1000.0), None),
        Figure::new(format!("resident, added, {place}: {who}"), "MiB", &Samples::one(taken.resident), None),
        Figure::new(format!("search, {place}: {who}{few}"), "us CPU", &taken.samples(), None),
    ]
}
