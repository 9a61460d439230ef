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
pub(crate) use rig::{HUNG, Rig, Running, Tool};

use crate::measure::Place;

/// What to measure.
#[derive(clap::Args)]
pub(crate) struct Options {
    #[command(flatten)]
    place: Place,
    /// How many turns each way to the server gets, of 25 calls.
    #[arg(long, value_name = "N", default_value_t = 40)]
    turns: usize,
    /// How many clients a host has whose memory is looked at.
    #[arg(long, value_name = "N", default_value_t = 50)]
    clients: usize,
}

/// Takes every measure.
pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    options
        .place
        .take(&[&|host, state| latency::figures(host, state, options.turns), &|host, state| memory::figures(host, state, options.clients)])
}
