//! `demo`: one conversation with everything in it, on servers of our own, over the real wire.
//!
//! Is: a folder of its own, a configuration as an operator writes it, the host and the relay that a client would start, a
//! person who is asked at this terminal. Is not: a shortcut anywhere; the model's words are written down beforehand, and
//! nothing else is. Clauses: AUTH-3, AUD-2, REV-1, BLT-4. Neighbours: `approve` asks the person, `sync` is what a first
//! start does otherwise.

mod client;
mod screen;
mod stage;
mod story;

use super::{Exit, Failure};
use crate::system::asked_to_end;
use clap::Args;

/// How it is played.
#[derive(Debug, Args)]
pub(crate) struct Demo {
    /// Say yes in the person's place, where nobody sits at a terminal.
    #[arg(long)]
    yes: bool,
}

/// Plays it to its end, and takes away what it made.
pub(crate) async fn demo(options: Demo) -> Result<(), Failure> {
    let stage = stage::Stage::new().await?;
    let played = tokio::select! {
        played = story::play(&stage, options.yes) => played,
        () = asked_to_end() => Err(Failure::new(Exit::Undecided, "the demo was broken off")),
    };
    stage.end().await;
    played
}
