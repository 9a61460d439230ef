//! A set to search, and what one engine took for it.
//!
//! Is: what the process of an engine tells the one that started it. Every query is asked once unmeasured, then all in turns
//! until there are a thousand samples or the time is up.

use crate::measure::{Samples, megabytes, millis, process_cpu};
use crate::retrieval::data::{self, Given};
use agent_core::limits::QUERY_BYTES;
use anyhow::{Context as _, bail};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Searches that are measured at the most.
const SEARCHES: usize = 1000;
/// How long queries are asked, measured or not.
const PATIENCE: Duration = Duration::from_secs(20);

/// What an engine takes of each tool, and queries as long as may be.
pub(super) struct Set<T> {
    pub(super) tools: Vec<T>,
    queries: Vec<String>,
}

/// What an engine took.
#[derive(Serialize, Deserialize)]
pub(super) struct Taken {
    /// Tools that it searches.
    pub(super) tools: usize,
    pub(super) build_ms: f64,
    pub(super) build_cpu_ms: f64,
    /// By its own account; 0 where it has none.
    #[serde(default)]
    pub(super) bytes: f64,
    /// Megabytes (2^20) more than before the build that are resident after the last search.
    pub(super) resident: f64,
    /// Megabytes that the whole process had at its most; 0 where nobody asked.
    #[serde(default)]
    pub(super) whole: f64,
    /// CPU time of each search.
    pub(super) micros: Vec<f64>,
}

impl Taken {
    pub(super) fn samples(&self) -> Samples {
        self.micros.clone().into()
    }
}

impl<T> Set<T> {
    /// What is made of each tool is all that stays of it: a million tools as JSON alone would take 6 GB.
    pub(super) fn read(folder: &Path, make: impl FnMut(Given) -> T) -> anyhow::Result<Self> {
        let cut = |query: data::Query| query.query.get(..query.query.floor_char_boundary(QUERY_BYTES)).unwrap_or_default().to_owned();
        let queries: Vec<_> = data::queries(folder)?.into_iter().map(cut).filter(|query| !query.trim().is_empty()).collect();
        Ok(Self { tools: data::each_tool(folder, make)?, queries })
    }

    /// Builds an engine and asks it the queries. What was allocated before is to outlive this, so that an index takes no
    /// memory that something else just gave back.
    pub(super) fn take<E>(
        &self,
        build: impl FnOnce() -> anyhow::Result<E>,
        mut search: impl FnMut(&mut E, &str) -> anyhow::Result<()>,
    ) -> anyhow::Result<Taken> {
        let resident = || megabytes(std::process::id(), "status", "VmRSS");
        let (before, start, cpu) = (resident()?, Instant::now(), process_cpu());
        let mut engine = build()?;
        let (build_ms, build_cpu_ms) = (millis(start), (process_cpu() - cpu) / 1e6);
        let warming = Instant::now();
        for query in self.queries.iter().take_while(|_| warming.elapsed() < PATIENCE / 4) {
            search(&mut engine, query)?;
        }
        let mut micros = Vec::with_capacity(SEARCHES);
        let asking = Instant::now();
        for query in self.queries.iter().cycle().take(SEARCHES).take_while(|_| asking.elapsed() < PATIENCE) {
            let start = process_cpu();
            search(&mut engine, query)?;
            micros.push((process_cpu() - start) / 1000.0);
        }
        Ok(Taken { tools: self.tools.len(), build_ms, build_cpu_ms, bytes: 0.0, whole: 0.0, resident: resident()? - before, micros })
    }
}

/// What a process printed of itself.
pub(super) fn of<T: DeserializeOwned>(command: &mut Command) -> anyhow::Result<T> {
    let program = command.get_program().display().to_string();
    let done = command.stdin(Stdio::null()).output().with_context(|| format!("`{program}` can't be run"))?;
    if !done.status.success() {
        let said = String::from_utf8_lossy(&done.stderr);
        bail!("`{program}` ended with {}: {}", done.status, said.trim().lines().last().unwrap_or_default());
    }
    serde_json::from_slice(&done.stdout).with_context(|| format!("`{program}` answered something else"))
}
