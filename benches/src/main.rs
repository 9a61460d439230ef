//! Benchmarks of agent-host, one a subcommand.
//!
//! Is: what measures the shipped code from outside. Is not: a test; nothing here fails for being slow or wrong.

mod bare;
mod cold;
mod fair;
mod field;
mod hijack;
mod hop;
mod measure;
mod pages;
mod relay;
mod retrieval;
mod speed;
mod talk;

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
    /// Whether what one session does is felt by another.
    Fair(fair::Options),
    /// Whether searches from the field find what they should among many other tools.
    Field(field::Options),
    /// How often tools made to be chosen reach the places of those that should be.
    Hijack(hijack::Options),
    /// What a call costs over HTTP, and what sessions and calls leave in memory.
    Hop(hop::Options),
    /// How long the console's pages take, at a host of many sessions and tools.
    Pages(pages::Options),
    /// What relay and host add to a call, and how much memory they take.
    Relay(relay::Options),
    /// How well a search finds the tools that people say it should.
    Retrieval(retrieval::Options),
    /// What decisions, activations and starts cost, and how much a model has to read.
    Speed(speed::Options),
    /// A server that answers every call with its arguments: what `relay` puts behind a host.
    #[command(hide = true)]
    Echo {
        place: usize,
        /// It answers no call.
        #[arg(long)]
        hung: bool,
    },
    /// One engine on one set: what `speed` runs for each, so that the memory of each is its own.
    #[command(hide = true)]
    Searching(speed::Searching),
}

fn main() -> anyhow::Result<()> {
    match Cli::parse().command {
        Command::Cold(options) => cold::run(&options),
        Command::Fair(options) => fair::run(&options),
        Command::Field(options) => field::run(&options),
        Command::Hijack(options) => hijack::run(&options),
        Command::Hop(options) => hop::run(&options),
        Command::Pages(options) => pages::run(&options),
        Command::Relay(options) => relay::run(&options),
        Command::Retrieval(options) => retrieval::run(&options),
        Command::Speed(options) => speed::run(&options),
        Command::Echo { place, hung } => relay::echo(place, hung),
        Command::Searching(one) => speed::searching(&one),
    }
}
