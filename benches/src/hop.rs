//! What a call costs over HTTP, by one caller and by many, and what sessions and calls leave in memory.
//!
//! Is: the release binary, driven over keep-alive connections by a client that says no more than it must, beside straight calls
//! to the same server program in the same run. A modern client's calls: each names its session by a handle. Is not: a
//! comparison of machines. The callers share the processors with what they measure.

mod caller;
mod idle;
mod latency;

use crate::measure::{self, Figure};
use anyhow::Context as _;
use std::path::PathBuf;

/// What to measure.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// The release binary of the host.
    #[arg(long, value_name = "FILE", default_value = "target/release/agent-host")]
    host: PathBuf,
    /// Where the hosts keep their state; the system's folder for temporary files if left out. Should lie on a disk.
    #[arg(long, value_name = "FOLDER")]
    state: Option<PathBuf>,
    /// How many turns each way to the server gets, of 25 calls.
    #[arg(long, value_name = "N", default_value_t = 40)]
    turns: usize,
    /// How many calls each number of callers makes together.
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    calls: usize,
    /// How many calls are made before and after which latency and memory are compared.
    #[arg(long, value_name = "N", default_value_t = 200_000)]
    long: usize,
    /// How many idle sessions a host keeps whose memory is looked at.
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    idle: usize,
    /// Write the figures to FILE as well.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// Takes every measure, prints one table and writes the file where one is named.
pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let host = options.host.canonicalize().with_context(|| format!("`{}`: build it first", options.host.display()))?;
    let state = options.state.clone().unwrap_or_else(std::env::temp_dir);
    std::fs::create_dir_all(&state)?;
    let state = state.canonicalize()?;
    println!("{}", Figure::HEAD);
    let mut all = Vec::new();
    let mut show = |figures: Vec<Figure>| {
        figures.iter().for_each(|figure| println!("{}", figure.row()));
        all.extend(figures);
    };
    show(latency::one(&host, &state, options.turns)?);
    show(latency::many(&host, &state, options.calls)?);
    show(idle::flat(&host, &state, options.long)?);
    show(idle::sessions(&host, &state, options.idle)?);
    measure::write(options.json.as_deref(), &all)
}
