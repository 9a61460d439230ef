//! Looking notes up.

use super::book::{Book, Note};
use crate::server::Answer;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// A note as text.
pub(super) fn shown(note: &Note) -> String {
    format!("{}\n\n{}", line(note.number, &note.title, &note.tags), note.text)
}

fn line(number: u32, title: &str, tags: &BTreeSet<String>) -> String {
    let tags: String = tags.iter().map(|tag| format!(" #{tag}")).collect();
    format!("{number}. {title}{tags}")
}

/// Arguments of `get_note`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Get {
    /// The note's number.
    #[schemars(range(min = 1, max = 4_294_967_295_u32))]
    number: u32,
}

pub(super) fn get(book: &Book, Get { number }: Get) -> Answer<Note> {
    let pages = book.read()?;
    let note = pages.note(number)?;
    Ok((shown(note), note.clone()))
}

/// A note without its text.
#[derive(Serialize, JsonSchema)]
pub(super) struct Brief {
    /// Its number.
    number: u32,
    /// Its title.
    title: String,
    /// Its tags.
    tags: BTreeSet<String>,
    /// When it was last changed, in UTC.
    changed: String,
}

/// Some of the notes.
#[derive(Serialize, JsonSchema)]
pub(super) struct Listed {
    /// The notes, the latest changed first.
    notes: Vec<Brief>,
    /// How many there are in all, also those past the limit.
    total: usize,
}

/// The notes that are wanted, the latest changed first.
fn some(book: &Book, limit: usize, wanted: impl Fn(&Note) -> bool) -> Answer<Listed> {
    let mut found: Vec<Note> = book.read()?.notes.into_iter().filter(wanted).collect();
    found.sort_by(|a, b| (&b.changed, b.number).cmp(&(&a.changed, a.number)));
    let total = found.len();
    let brief = |note: Note| Brief { number: note.number, title: note.title, tags: note.tags, changed: note.changed };
    let notes: Vec<Brief> = found.into_iter().take(limit).map(brief).collect();
    let mut text = notes.iter().map(|note| line(note.number, &note.title, &note.tags)).collect::<Vec<_>>().join("\n");
    if total == 0 {
        text.push_str("no notes");
    } else if total > notes.len() {
        let _ = write!(text, "\n({} more)", total - notes.len());
    }
    Ok((text, Listed { notes, total }))
}

/// Arguments of `list_notes`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct List {
    /// Only notes with this tag.
    #[schemars(length(min = 1, max = 50))]
    tag: Option<String>,
    /// How many to list at most.
    #[serde(default = "fifty")]
    #[schemars(range(min = 1, max = 200))]
    limit: usize,
}

fn fifty() -> usize {
    50
}

pub(super) fn list(book: &Book, List { tag, limit }: List) -> Answer<Listed> {
    some(book, limit, |note| tag.as_ref().is_none_or(|tag| note.tags.contains(tag)))
}

/// Arguments of `search_notes`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Search {
    /// Words that a note must hold, in any order; upper and lower case are the same.
    #[schemars(length(min = 1, max = 200))]
    words: String,
    /// How many to list at most.
    #[serde(default = "fifty")]
    #[schemars(range(min = 1, max = 200))]
    limit: usize,
}

pub(super) fn search(book: &Book, Search { words, limit }: Search) -> Answer<Listed> {
    let words: Vec<String> = words.split_whitespace().map(str::to_lowercase).collect();
    some(book, limit, |note| {
        let tags: String = note.tags.iter().map(|tag| format!("{tag}\n")).collect();
        let all = format!("{}\n{}\n{tags}", note.title, note.text).to_lowercase();
        words.iter().all(|word| all.contains(word.as_str()))
    })
}

/// Arguments of `list_tags`: none.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Nothing {}

/// The tags in use.
#[derive(Serialize, JsonSchema)]
pub(super) struct Tags {
    /// How many notes have each.
    tags: BTreeMap<String, u32>,
}

pub(super) fn tags(book: &Book, Nothing {}: Nothing) -> Answer<Tags> {
    let mut tags: BTreeMap<String, u32> = BTreeMap::new();
    for tag in book.read()?.notes.into_iter().flat_map(|note| note.tags) {
        *tags.entry(tag).or_default() += 1;
    }
    let lines: Vec<String> = tags.iter().map(|(tag, count)| format!("#{tag} ({count})")).collect();
    let text = if lines.is_empty() { "no note has a tag".to_owned() } else { lines.join("\n") };
    Ok((text, Tags { tags }))
}
