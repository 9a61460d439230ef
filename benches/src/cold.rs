//! From the start of a process to its first answered search, with every tool out of the lock file.
//!
//! Is: the release binary, driven from outside over its standard input and output, in turns with the same binary asked for
//! its version: what starting a process at all costs on this machine. Is not: a run with cold disk caches. The programs
//! that the configuration names can't be run, so an answer shows that none was needed.

pub(crate) mod lock;

use crate::measure::{Bound, Figure, Samples, millis};
use crate::talk::Talk;
use anyhow::{Context as _, bail};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;
use tempfile::TempDir;

/// What to measure.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// The release binary of the host.
    #[arg(long, value_name = "FILE", default_value = "target/release/agent-host")]
    host: PathBuf,
    /// A lock file that was synced, in place of 60 tools made up.
    #[arg(long, value_name = "FILE")]
    lock: Option<PathBuf>,
    /// How often each is started.
    #[arg(long, value_name = "N", default_value_t = 21)]
    runs: usize,
}

/// Takes both sizes and prints one table.
pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let host = options.host.canonicalize().with_context(|| format!("`{}`: build it first", options.host.display()))?;
    let small = match &options.lock {
        Some(file) => std::fs::read_to_string(file).with_context(|| format!("`{}`", file.display()))?,
        None => lock::of(60)?,
    };
    println!("{}", Figure::HEAD);
    for (text, bound) in [(small, 50.0), (lock::of(10_000)?, 1000.0)] {
        figures(&host, &text, bound, options.runs)?.iter().for_each(|figure| println!("{}", figure.row()));
    }
    Ok(())
}

fn figures(host: &Path, lock: &str, bound: f64, runs: usize) -> anyhow::Result<Vec<Figure>> {
    let folder = TempDir::new()?;
    let config = folder.path().join("agent-host.toml");
    let tools = lock::count(lock)?;
    std::fs::write(&config, lock::config(lock)?)?;
    std::fs::write(folder.path().join("agent-host.lock"), lock)?;
    // The first start makes the store, and is counted by itself.
    let (mut first, mut searched, mut bare) = (Samples::default(), Samples::default(), Samples::default());
    first.add(search(host, &config, &folder.path().join("state"))?);
    for _ in 0..runs {
        searched.add(search(host, &config, &folder.path().join("state"))?);
        bare.add(version(host)?);
    }
    Ok(vec![
        Figure::new(format!("start to first search, {tools} tools"), "ms", &searched, Some(Bound::Under(bound))),
        Figure::new(format!("the same with a store to be made, {tools} tools"), "ms", &first, None),
        Figure::new("the same binary's `--version`", "ms", &bare, None),
        Figure::ratio(format!("start to first search to `--version`, {tools} tools"), &searched, &bare, None),
    ])
}

/// Milliseconds from the start of a host to the answer of its first search.
fn search(host: &Path, config: &Path, state: &Path) -> anyhow::Result<f64> {
    let start = Instant::now();
    let mut talk = Talk::start(Command::new(host).args(["serve", "--standalone", "--config"]).arg(config).arg("--state").arg(state))?;
    talk.greet()?;
    talk.search("create or read a file")?;
    let took = millis(start);
    talk.end()?;
    Ok(took)
}

/// Milliseconds from a start to the end of a process that only says its version.
fn version(host: &Path) -> anyhow::Result<f64> {
    let start = Instant::now();
    let status = Command::new(host).arg("--version").stdout(Stdio::null()).status()?;
    let took = millis(start);
    if !status.success() {
        bail!("`{} --version` ended with {status}", host.display());
    }
    Ok(took)
}
