//! What relay and host add to a call, and how much memory they take.
//!
//! Is: the release binary, driven from outside as clients do, beside a straight call to the same server program in turns of
//! the same run. Is not: a comparison of machines, nor of servers: the one here does next to nothing, so that what is added
//! is seen.

mod echo;
mod latency;
mod memory;
mod rig;

pub(crate) use echo::echo;
pub(crate) use latency::straight;
pub(crate) use rig::{Rig, Running, Tool};

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
    /// How many clients a host has whose memory is looked at.
    #[arg(long, value_name = "N", default_value_t = 50)]
    clients: usize,
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
    show(latency::figures(&host, &state, options.turns)?);
    show(memory::figures(&host, &state, options.clients)?);
    measure::write(options.json.as_deref(), &all)
}
