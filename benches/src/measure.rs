//! Clocks, percentiles and rows.

use anyhow::Context as _;
use rustix::time::{ClockId, clock_gettime};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The CPU time of this thread, in nanoseconds.
pub(crate) fn cpu() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
}

/// The CPU time of all threads of this process, in nanoseconds.
pub(crate) fn process_cpu() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
}

/// Milliseconds by the wall clock.
pub(crate) fn millis(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1000.0
}

/// A field of one of a process's files in `/proc`, in megabytes (2^20).
pub(crate) fn megabytes(pid: u32, file: &str, field: &str) -> anyhow::Result<f64> {
    let path = format!("/proc/{pid}/{file}");
    let text = std::fs::read_to_string(&path).with_context(|| format!("`{path}`"))?;
    let line = text.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix(':'));
    let kilobytes: f64 =
        line.and_then(|line| line.trim().strip_suffix(" kB")).with_context(|| format!("`{path}` without {field}"))?.parse()?;
    Ok(kilobytes / 1024.0)
}

/// Writes figures to a file, where one is named.
pub(crate) fn write(file: Option<&Path>, figures: &[Figure]) -> anyhow::Result<()> {
    let Some(file) = file else { return Ok(()) };
    let figures: Vec<_> = figures.iter().map(Figure::json).collect();
    std::fs::write(file, serde_json::to_string_pretty(&figures)? + "\n").with_context(|| format!("`{}`", file.display()))
}

/// Where a host is measured, and where the figures go.
#[derive(clap::Args)]
pub(crate) struct Place {
    /// The release binary of the host.
    #[arg(long, value_name = "FILE", default_value = "target/release/agent-host")]
    host: PathBuf,
    /// Where the hosts keep their state; the system's folder for temporary files if left out. Should lie on a disk.
    #[arg(long, value_name = "FOLDER")]
    state: Option<PathBuf>,
    /// Write the figures to FILE as well.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// One measure of a host that keeps its state in a folder.
pub(crate) type Measure<'a> = &'a dyn Fn(&Path, &Path) -> anyhow::Result<Vec<Figure>>;

impl Place {
    /// Takes every measure, prints one table as it grows, and writes the file where one is named.
    pub(crate) fn take(&self, measures: &[Measure<'_>]) -> anyhow::Result<()> {
        let host = self.host.canonicalize().with_context(|| format!("`{}`: build it first", self.host.display()))?;
        let state = self.state.clone().unwrap_or_else(std::env::temp_dir);
        std::fs::create_dir_all(&state)?;
        let state = state.canonicalize()?;
        println!("{}", Figure::HEAD);
        let mut all = Vec::new();
        for measure in measures {
            let figures = measure(&host, &state)?;
            figures.iter().for_each(|figure| println!("{}", figure.row()));
            all.extend(figures);
        }
        write(self.json.as_deref(), &all)
    }
}

/// Samples of one measure.
#[derive(Default)]
pub(crate) struct Samples(Vec<f64>);

impl From<Vec<f64>> for Samples {
    fn from(samples: Vec<f64>) -> Self {
        Self(samples)
    }
}

impl Samples {
    /// One sample alone.
    pub(crate) fn one(sample: f64) -> Self {
        Self(vec![sample])
    }

    pub(crate) fn add(&mut self, sample: f64) {
        self.0.push(sample);
    }

    /// The smallest sample that so many of a hundred don't exceed.
    pub(crate) fn percentile(&self, percent: usize) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        let place = (sorted.len() * percent).div_ceil(100).saturating_sub(1);
        sorted.get(place).copied().unwrap_or(f64::NAN)
    }
}

/// One row.
pub(crate) struct Figure {
    what: String,
    unit: &'static str,
    /// The 50th, the 95th where that is judged, and the 99th percentile.
    p50: f64,
    p95: f64,
    p99: f64,
    /// What is judged, and what it must stay under, or may reach at the most.
    judged: Option<(f64, Bound)>,
}

/// A target.
#[derive(Clone, Copy)]
pub(crate) enum Bound {
    Under(f64),
    AtMost(f64),
}

impl Figure {
    pub(crate) const HEAD: &'static str = "| measure | unit | p50 | p95 | p99 | target | |\n|---|---|--:|--:|--:|---|---|";

    /// A figure whose median is judged, where there is a target.
    pub(crate) fn new(what: impl Into<String>, unit: &'static str, samples: &Samples, bound: Option<Bound>) -> Self {
        let [p50, p95, p99] = [50, 95, 99].map(|percent| samples.percentile(percent));
        Self { what: what.into(), unit, p50, p95, p99, judged: bound.map(|bound| (p50, bound)) }
    }

    /// The ratio of two measures, percentile by percentile.
    pub(crate) fn ratio(what: impl Into<String>, samples: &Samples, to: &Samples, bound: Option<Bound>) -> Self {
        let [p50, p95, p99] = [50, 95, 99].map(|percent| samples.percentile(percent) / to.percentile(percent));
        Self { what: what.into(), unit: "ratio", p50, p95, p99, judged: bound.map(|bound| (p50, bound)) }
    }

    /// By how much one measure is more than others together, percentile by percentile.
    pub(crate) fn added(what: impl Into<String>, unit: &'static str, samples: &Samples, to: &[&Samples], bound: Option<Bound>) -> Self {
        let more = |percent| samples.percentile(percent) - to.iter().map(|to| to.percentile(percent)).sum::<f64>();
        let [p50, p95, p99] = [50, 95, 99].map(more);
        Self { what: what.into(), unit, p50, p95, p99, judged: bound.map(|bound| (p50, bound)) }
    }

    /// The same figure with its 95th percentile judged.
    pub(crate) fn at_95(self) -> Self {
        Self { judged: self.judged.map(|(_, bound)| (self.p95, bound)), ..self }
    }

    /// The same figure with its 99th percentile judged.
    pub(crate) fn at_99(self) -> Self {
        Self { judged: self.judged.map(|(_, bound)| (self.p99, bound)), ..self }
    }

    /// A row that says why there is no figure.
    pub(crate) fn missing(what: impl Into<String>) -> Self {
        Self { what: what.into(), unit: "not measured", p50: f64::NAN, p95: f64::NAN, p99: f64::NAN, judged: None }
    }

    fn verdict(&self) -> &'static str {
        match self.judged {
            None => "",
            Some((value, Bound::Under(bound))) if value < bound => "pass",
            Some((value, Bound::AtMost(bound))) if value <= bound => "pass",
            Some(_) => "FAIL",
        }
    }

    fn target(&self) -> String {
        match self.judged {
            None => String::new(),
            Some((_, Bound::Under(bound))) => format!("under {bound}"),
            Some((_, Bound::AtMost(bound))) => format!("at most {bound}"),
        }
    }

    pub(crate) fn row(&self) -> String {
        let Self { what, unit, .. } = self;
        let [p50, p95, p99] =
            [self.p50, self.p95, self.p99].map(|value| if value.is_nan() { String::new() } else { format!("{value:.2}") });
        format!("| {what} | {unit} | {p50} | {p95} | {p99} | {} | {} |", self.target(), self.verdict())
    }

    fn json(&self) -> Value {
        let Self { what, unit, p50, p95, p99, .. } = self;
        json!({"measure": what, "unit": unit, "p50": p50, "p95": p95, "p99": p99, "target": self.target(), "verdict": self.verdict()})
    }
}
