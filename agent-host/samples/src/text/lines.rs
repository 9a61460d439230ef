//! Texts line by line.

use crate::server::{Answer, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use similar::TextDiff;
use std::collections::HashMap;
use std::time::Duration;

/// How long two texts are compared exactly; after that roughly.
const COMPARE: Duration = Duration::from_secs(2);

/// Arguments of `diff_texts`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Diff {
    /// The text before.
    #[schemars(length(max = 100_000))]
    before: String,
    /// The text after.
    #[schemars(length(max = 100_000))]
    after: String,
    /// How many lines that are the same to show around each difference.
    #[serde(default = "three")]
    #[schemars(range(min = 0, max = 20))]
    context: usize,
}

fn three() -> usize {
    3
}

pub(super) fn diff(_: &(), Diff { before, after, context }: Diff) -> Result<String, Wrong> {
    if before == after {
        return Ok("the texts are the same".to_owned());
    }
    let diff = TextDiff::configure().timeout(COMPARE).diff_lines(before.as_str(), after.as_str());
    Ok(diff.unified_diff().context_radius(context).header("before", "after").to_string())
}

/// Arguments of `sort_lines`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Sort {
    /// The text whose lines to sort.
    #[schemars(length(max = 100_000))]
    text: String,
    /// Begin with the last.
    #[serde(default)]
    descending: bool,
    /// Sort by the number that a line begins with; lines without one come last.
    #[serde(default)]
    numeric: bool,
    /// Take upper and lower case for the same.
    #[serde(default)]
    ignore_case: bool,
}

pub(super) fn sort(_: &(), Sort { text, descending, numeric, ignore_case }: Sort) -> Result<String, Wrong> {
    let key = |line: &str| if ignore_case { line.to_lowercase() } else { line.to_owned() };
    let mut lines: Vec<(Option<f64>, String, &str)> =
        text.lines().map(|line| (numeric.then(|| number(line)).flatten(), key(line), line)).collect();
    let order = |ordering: std::cmp::Ordering| if descending { ordering.reverse() } else { ordering };
    lines.sort_by(|(a, left, _), (b, right, _)| match (a, b) {
        (Some(a), Some(b)) => order(a.total_cmp(b).then_with(|| left.cmp(right))),
        (Some(_), None) => std::cmp::Ordering::Less,
        (None, Some(_)) => std::cmp::Ordering::Greater,
        (None, None) => order(left.cmp(right)),
    });
    Ok(lines.into_iter().map(|(_, _, line)| line).collect::<Vec<_>>().join("\n"))
}

/// The number that a line begins with.
fn number(line: &str) -> Option<f64> {
    let line = line.trim_start();
    let end = line.char_indices().find(|(at, c)| !(c.is_ascii_digit() || *c == '.' || (*at == 0 && matches!(c, '-' | '+'))));
    let text = line.get(..end.map_or(line.len(), |(at, _)| at))?;
    text.trim_end_matches('.').parse().ok()
}

/// Arguments of `unique_lines`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Unique {
    /// The text whose lines to look at.
    #[schemars(length(max = 100_000))]
    text: String,
    /// Take upper and lower case for the same.
    #[serde(default)]
    ignore_case: bool,
}

/// A line, and how often it occurs.
#[derive(Serialize, JsonSchema)]
pub(super) struct Line {
    /// The line as it first stood.
    text: String,
    /// How often it occurs.
    count: usize,
}

/// The lines that differ.
#[derive(Serialize, JsonSchema)]
pub(super) struct Lines {
    /// Each line once, in the order of their first.
    lines: Vec<Line>,
    /// How many lines were removed.
    removed: usize,
}

pub(super) fn unique(_: &(), Unique { text, ignore_case }: Unique) -> Answer<Lines> {
    let (mut lines, mut known): (Vec<Line>, HashMap<String, usize>) = (Vec::new(), HashMap::new());
    for line in text.lines() {
        let key = if ignore_case { line.to_lowercase() } else { line.to_owned() };
        let at = *known.entry(key).or_insert(lines.len());
        match lines.get_mut(at) {
            Some(line) => line.count += 1,
            None => lines.push(Line { text: line.to_owned(), count: 1 }),
        }
    }
    let removed = text.lines().count() - lines.len();
    let out: Vec<&str> = lines.iter().map(|line| line.text.as_str()).collect();
    Ok((out.join("\n"), Lines { lines, removed }))
}
