//! `completions`: what a shell needs to complete our command line.
//!
//! Is: the files of `agent-host/completions`, as they are checked in. Is not: their generator; a test of agent-tests makes
//! them from the command line and compares, so that nothing of it is in the program.

use clap::{Args, ValueEnum};
use std::io::Write;

#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// The shell that they are for.
    shell: Shell,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Shell {
    Bash,
    Zsh,
    Fish,
}

/// Prints a shell's file, byte for byte. A reader who goes away wants no more of it.
pub(crate) fn complete(options: &Completions) {
    let text = match options.shell {
        Shell::Bash => include_str!("../../completions/agent-host.bash"),
        Shell::Zsh => include_str!("../../completions/_agent-host"),
        Shell::Fish => include_str!("../../completions/agent-host.fish"),
    };
    let _ = std::io::stdout().write_all(text.as_bytes());
}
