//! Finding files by their names, and by what is in them.

use super::read::here;
use super::walk::{DEPTH, walk};
use crate::folder::Folder;
use crate::pattern::{Patience, expression};
use crate::server::{Answer, Wrong, wrong};
use regex::Regex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt::Write;
use std::ops::ControlFlow::{Break, Continue};

/// Bytes of a file that is searched; larger ones are passed over.
const FILE: u64 = 1024 * 1024;
/// Bytes that one search reads.
const READ: u64 = 64 * 1024 * 1024;
/// Characters of a line that is shown.
const LINE: usize = 300;

/// Arguments of `find_files`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Names {
    /// The name, where `*` stands for anything and `?` for one character; upper and lower case are the same.
    #[schemars(length(min = 1, max = 255))]
    name: String,
    /// The folder to look in, with everything below it.
    #[serde(default = "here")]
    #[schemars(length(max = 1024))]
    path: String,
    /// How many to give at most.
    #[serde(default = "hundred")]
    #[schemars(range(min = 1, max = 1000))]
    limit: usize,
}

fn hundred() -> usize {
    100
}

/// What was found.
#[derive(Serialize, JsonSchema)]
pub(super) struct Paths {
    /// The paths, in order.
    paths: Vec<String>,
    /// Whether those are all.
    complete: bool,
}

/// A name with wildcards as an expression.
fn wildcards(name: &str) -> Result<Regex, Wrong> {
    let inner = regex::escape(name).replace(r"\*", ".*").replace(r"\?", ".");
    expression(&format!("^{inner}$"), true)
}

pub(super) fn names(folder: &Folder, Names { name, path, limit }: Names) -> Answer<Paths> {
    let (pattern, mut paths) = (wildcards(&name)?, Vec::new());
    let complete = walk(folder, &path, DEPTH, &mut |met| {
        if !pattern.is_match(&met.name) {
            return Continue(());
        }
        if paths.len() == limit {
            return Break(());
        }
        paths.push(met.path.clone());
        Continue(())
    })?;
    let mut text = if paths.is_empty() { format!("nothing has a name like `{name}`") } else { paths.join("\n") };
    text.push_str(if complete { "" } else { "\n(there may be more)" });
    Ok((text, Paths { paths, complete }))
}

/// Arguments of `search_in_files`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Text {
    /// What to search for.
    #[schemars(length(min = 1, max = 1000))]
    text: String,
    /// Read `text` as a regular expression.
    #[serde(default)]
    regex: bool,
    /// Tell upper and lower case apart.
    #[serde(default)]
    match_case: bool,
    /// The folder to search in, with everything below it.
    #[serde(default = "here")]
    #[schemars(length(max = 1024))]
    path: String,
    /// Only files with such a name, such as `*.md`.
    #[schemars(length(min = 1, max = 255))]
    name: Option<String>,
    /// How many lines to give at most.
    #[serde(default = "hundred")]
    #[schemars(range(min = 1, max = 500))]
    limit: usize,
}

/// A line that matches.
#[derive(Serialize, JsonSchema)]
pub(super) struct Line {
    /// The file it is in.
    path: String,
    /// Its number, from 1.
    line: usize,
    /// The line, cut where it is long.
    text: String,
}

/// Lines that match.
#[derive(Serialize, JsonSchema)]
pub(super) struct Lines {
    /// The lines, by file.
    matches: Vec<Line>,
    /// Whether those are all, of the files that are text and not too large.
    complete: bool,
}

pub(super) fn text(folder: &Folder, asked: Text) -> Answer<Lines> {
    if asked.text.contains('\n') {
        return wrong("files are searched line by line; leave out the line break");
    }
    let pattern = if asked.regex { asked.text.clone() } else { regex::escape(&asked.text) };
    let pattern = expression(&pattern, !asked.match_case)?;
    let name = asked.name.as_deref().map(wildcards).transpose()?;
    let (mut matches, mut left, patience) = (Vec::new(), READ, Patience::new());
    let complete = walk(folder, &asked.path, DEPTH, &mut |met| {
        let wanted = met.info.is_file() && met.info.len() <= FILE && name.as_ref().is_none_or(|name| name.is_match(&met.name));
        let Some(text) = wanted.then(|| folder.text(&met.path).ok()).flatten() else { return Continue(()) };
        for (at, line) in text.lines().enumerate() {
            if patience.is_over() {
                return Break(());
            }
            if !pattern.is_match(line) {
                continue;
            }
            if matches.len() == asked.limit {
                return Break(());
            }
            matches.push(Line { path: met.path.clone(), line: at + 1, text: line.chars().take(LINE).collect() });
        }
        left = left.saturating_sub(text.len() as u64);
        if left == 0 { Break(()) } else { Continue(()) }
    })?;
    let mut text = matches.iter().fold(String::new(), |mut text, found| {
        let _ = writeln!(text, "{}:{}: {}", found.path, found.line, found.text);
        text
    });
    match (matches.is_empty(), complete) {
        (true, _) => text.push_str("no line matches"),
        (_, false) => text.push_str("(there may be more)"),
        _ => {}
    }
    Ok((text, Lines { matches, complete }))
}
