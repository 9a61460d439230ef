//! FastMCP's `BM25SearchTransform`, in a process of its Python: its whole `search_tools`, and its index alone.

use super::taken::{self, Taken};
use anyhow::ensure;
use serde::Deserialize;
use std::path::Path;
use std::process::Command;

const SCRIPT: &str = include_str!("whole_search.py");

/// What the script prints.
#[derive(Deserialize)]
pub(super) struct FastMcp {
    pub(super) version: String,
    #[serde(flatten)]
    pub(super) whole: Taken,
    /// CPU time of each search of the index alone.
    pub(super) index_micros: Vec<f64>,
}

pub(super) fn run(python: &Path, folder: &Path) -> anyhow::Result<FastMcp> {
    ensure!(python.exists(), "no `{}`, which tests/tools/install makes", python.display());
    taken::of(Command::new(python).args(["-I", "-c", SCRIPT]).arg(folder))
}
