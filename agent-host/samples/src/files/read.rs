//! Looking at folders and files.

use super::walk::walk;
use crate::folder::{Folder, kind};
use crate::server::{Answer, Wrong, wrong};
use cap_std::fs::Metadata;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt::Write;
use std::ops::ControlFlow::{Break, Continue};

/// Entries of one list, lines of one tree.
const ENTRIES: usize = 1_000;
/// Characters of a text that is given at once.
const TEXT: usize = 100_000;

pub(super) fn here() -> String {
    ".".to_owned()
}

/// Arguments of `list_folder`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct List {
    /// The folder's path; `.` is the top.
    #[serde(default = "here")]
    #[schemars(length(max = 1024))]
    path: String,
}

/// One thing in a folder.
#[derive(Serialize, JsonSchema)]
pub(super) struct Item {
    /// Its path.
    path: String,
    /// Whether it is a file, a folder, a link, or something else.
    kind: String,
    /// Its size in bytes.
    bytes: u64,
}

/// What a folder holds.
#[derive(Serialize, JsonSchema)]
pub(super) struct Items {
    /// What is in it, by name.
    items: Vec<Item>,
    /// Whether that is everything.
    complete: bool,
}

impl Item {
    fn of(path: String, info: &Metadata) -> Self {
        Self { path, kind: kind(info).trim_start_matches("a ").to_owned(), bytes: info.len() }
    }
}

pub(super) fn list(folder: &Folder, List { path }: List) -> Answer<Items> {
    let mut items = Vec::new();
    let complete = walk(folder, &path, 1, &mut |met| {
        if items.len() == ENTRIES {
            return Break(());
        }
        items.push(Item::of(met.path.clone(), &met.info));
        Continue(())
    })?;
    let mut text = items.iter().fold(String::new(), |mut text, item| {
        let _ = match item.kind.as_str() {
            "file" => writeln!(text, "{} ({} bytes)", item.path, item.bytes),
            "folder" => writeln!(text, "{}/", item.path),
            kind => writeln!(text, "{} ({kind})", item.path),
        };
        text
    });
    match (items.is_empty(), complete) {
        (true, _) => text.push_str("the folder is empty"),
        (_, false) => text.push_str("(and more)"),
        _ => {}
    }
    Ok((text, Items { items, complete }))
}

/// Arguments of `folder_tree`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Tree {
    /// The folder to start from; `.` is the top.
    #[serde(default = "here")]
    #[schemars(length(max = 1024))]
    path: String,
    /// How many levels to show.
    #[serde(default = "three")]
    #[schemars(range(min = 1, max = 16))]
    depth: usize,
}

fn three() -> usize {
    3
}

pub(super) fn tree(folder: &Folder, Tree { path, depth }: Tree) -> Result<String, Wrong> {
    let (mut text, mut lines) = (format!("{path}\n"), 0);
    let complete = walk(folder, &path, depth, &mut |met| {
        if lines == ENTRIES {
            return Break(());
        }
        lines += 1;
        let end = if met.info.is_dir() { "/" } else { "" };
        let _ = writeln!(text, "{}{}{end}", "  ".repeat(met.depth + 1), met.name);
        Continue(())
    })?;
    if !complete {
        text.push_str("(and more)\n");
    }
    Ok(text)
}

/// Arguments of `read_file`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Read {
    /// The file's path.
    #[schemars(length(min = 1, max = 1024))]
    path: String,
    /// The first line to read, counted from 1.
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = 10_000_000))]
    first_line: usize,
    /// How many lines to read.
    #[serde(default = "two_thousand")]
    #[schemars(range(min = 1, max = 10_000))]
    lines: usize,
    /// Put its number before each line.
    #[serde(default)]
    numbered: bool,
}

fn one() -> usize {
    1
}

fn two_thousand() -> usize {
    2_000
}

pub(super) fn read(folder: &Folder, Read { path, first_line, lines, numbered }: Read) -> Result<String, Wrong> {
    let text = folder.text(&path)?;
    let total = text.lines().count();
    if first_line > total.max(1) {
        return wrong(format!("`{path}` has {total} lines; `first_line` is past its end"));
    }
    let mut out = String::new();
    let mut last = first_line - 1;
    for (at, line) in text.split_inclusive('\n').enumerate().skip(first_line - 1).take(lines) {
        if out.len() + line.len() > TEXT && !out.is_empty() {
            break;
        }
        if numbered {
            let _ = write!(out, "{:>5}  ", at + 1);
        }
        out.extend(line.chars().take(TEXT));
        last = at + 1;
    }
    if first_line > 1 || last < total {
        let end = if out.ends_with('\n') || out.is_empty() { "" } else { "\n" };
        let _ = write!(out, "{end}(lines {first_line} to {last} of {total})");
    }
    Ok(out)
}

/// Arguments of `file_info`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Info {
    /// The path of the file or folder.
    #[schemars(length(min = 1, max = 1024))]
    path: String,
}

/// What is known of a file or folder.
#[derive(Serialize, JsonSchema)]
pub(super) struct Known {
    #[serde(flatten)]
    item: Item,
    /// When it was last changed, in UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    changed: Option<String>,
    /// Whether the file can only be read.
    read_only: bool,
}

pub(super) fn info(folder: &Folder, Info { path }: Info) -> Answer<Known> {
    let info = folder.info(&path)?;
    let changed = info.modified().ok().and_then(|time| jiff::Timestamp::try_from(time.into_std()).ok());
    let changed = changed.map(|time| time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string());
    let known = Known { item: Item::of(path, &info), read_only: info.permissions().readonly(), changed };
    let changed = known.changed.as_ref().map(|time| format!(", last changed {time}")).unwrap_or_default();
    Ok((format!("`{}` is a {} of {} bytes{changed}", known.item.path, known.item.kind, known.item.bytes), known))
}
