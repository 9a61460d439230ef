//! What decisions, activations and starts cost, and how much a model has to read.
//!
//! Is: CPU time of one thread, ratios of times taken in the same run, and tokens, each beside its target. Is not: a
//! comparison of machines; a time by the wall clock is judged against another of the same run alone, but for an index's
//! build. The 50th percentile is judged, but of token counts and searches the one that the target names.

mod activation;
mod durable;
mod gate;
mod rig;
mod search;
mod tokens;

pub(crate) use search::{Searching, searching};

use crate::measure::{self, Figure};
use std::future::Future;
use std::path::PathBuf;

/// What to measure.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Where the durable measures make their stores; the system's folder for temporary files if left out. Should lie on a disk.
    #[arg(long, value_name = "FOLDER")]
    state: Option<PathBuf>,
    /// Measure the search alone.
    #[arg(long)]
    only_search: bool,
    /// Count the tokens of the answers to a folder's queries (`tools.jsonl`, `queries.jsonl`), and measure nothing else.
    #[arg(long, value_name = "FOLDER")]
    answers: Vec<PathBuf>,
    #[command(flatten)]
    search: search::Options,
    /// Write the figures to FILE as well.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// Takes every measure, prints one table and writes the file where one is named.
pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let state = options.state.clone().unwrap_or_else(std::env::temp_dir);
    std::fs::create_dir_all(&state)?;
    println!("{}", Figure::HEAD);
    let mut all = Vec::new();
    let mut show = |figures: Vec<Figure>| {
        figures.iter().for_each(|figure| println!("{}", figure.row()));
        all.extend(figures);
    };
    if !options.answers.is_empty() {
        for folder in &options.answers {
            show(alone(tokens::folder(folder))?);
        }
        return measure::write(options.json.as_deref(), &all);
    }
    if !options.only_search {
        show(alone(gate::figures())?);
        show(alone(activation::figures())?);
        show(alone(tokens::figures())?);
        show(alone(durable::activations(&state))?);
        show(durable::starts(&state)?);
    }
    search::figures(&options.search, &mut show)?;
    measure::write(options.json.as_deref(), &all)
}

/// Runs on one thread, so that its CPU time is that of everything the engine does.
fn alone(run: impl Future<Output = anyhow::Result<Vec<Figure>>>) -> anyhow::Result<Vec<Figure>> {
    tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(run)
}
