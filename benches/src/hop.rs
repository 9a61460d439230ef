//! What a call costs over HTTP, by one caller and by many, and what sessions and calls leave in memory.
//!
//! Is: the release binary, driven over keep-alive connections by a client that says no more than it must, beside straight calls
//! to the same server program in the same run. A modern client's calls: each names its session by a handle. Is not: a
//! comparison of machines. The callers share the processors with what they measure.

mod caller;
mod gateway;
mod idle;
mod latency;
mod others;

pub(crate) use caller::{Caller, Host, PROFILE};

use crate::measure::Place;
use std::path::PathBuf;

/// What to measure.
#[derive(clap::Args)]
pub(crate) struct Options {
    #[command(flatten)]
    place: Place,
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
    /// How many live sessions a host has whose calls are looked at.
    #[arg(long, value_name = "N", default_value_t = 1_000)]
    live: usize,
    /// The Python that FastMCP is installed for.
    #[arg(long, value_name = "FILE", default_value = "target/tools/python/bin/python")]
    python: PathBuf,
    /// Where the Node tools of the tests are, and `mcp-proxy` among them.
    #[arg(long, value_name = "FOLDER", default_value = "target/tools/node")]
    node: PathBuf,
}

/// Takes every measure.
pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    options.place.take(&[
        &|host, state| latency::one(host, state, options.turns),
        &|host, state| others::figures(host, state, options.turns, &options.python),
        &|_, _| gateway::figures(options.turns, options.calls / 10, &options.node),
        &|host, state| latency::many(host, state, options.calls),
        &|host, state| idle::flat(host, state, options.long),
        &|host, state| idle::live(host, state, options.live),
        &|host, state| idle::sessions(host, state, options.idle),
    ])
}
