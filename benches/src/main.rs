//! Benchmarks of agent-host, one a subcommand.
//!
//! Is: what measures the shipped code from outside. Is not: a test; nothing here fails for being slow or wrong.

mod cold;
mod measure;
mod retrieval;
mod speed;

use clap::{Parser, Subcommand};

/// Benchmarks of agent-host.
#[derive(Parser)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// How long a start takes until its first search is answered, with every tool out of the lock file.
    Cold(cold::Options),
    /// How well a search finds the tools that people say it should.
    Retrieval(retrieval::Options),
    /// What decisions, activations and starts cost, and how much a model has to read.
    Speed(speed::Options),
}

fn main() -> anyhow::Result<()> {
    match Cli::parse().command {
        Command::Cold(options) => cold::run(&options),
        Command::Retrieval(options) => retrieval::run(&options),
        Command::Speed(options) => speed::run(&options),
    }
}
