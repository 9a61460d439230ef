//! Changing notes.

use super::book::{Book, Note};
use super::look::shown;
use crate::server::{Answer, Wrong, wrong};
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeSet;

/// Characters of a note's text.
const TEXT: usize = 20_000;

/// Tags as they are kept: without `#` and space around them.
fn cleaned(tags: Vec<String>) -> impl Iterator<Item = String> {
    tags.into_iter().map(|tag| tag.trim().trim_start_matches('#').to_owned()).filter(|tag| !tag.is_empty())
}

fn told(note: Note) -> Answer<Note> {
    Ok((shown(&note), note))
}

/// Arguments of `add_note`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Add {
    /// What the note is about, in a line.
    #[schemars(length(min = 1, max = 200))]
    title: String,
    /// The note itself.
    #[serde(default)]
    #[schemars(length(max = 20_000))]
    text: String,
    /// Words to find it by.
    #[serde(default)]
    #[schemars(length(max = 20), inner(length(min = 1, max = 50)))]
    tags: Vec<String>,
}

pub(super) fn add(book: &Book, Add { title, text, tags }: Add) -> Answer<Note> {
    told(book.change(|pages| pages.add(title, text, cleaned(tags).collect()))?)
}

/// Arguments of `append_to_note`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Append {
    /// The note's number.
    #[schemars(range(min = 1, max = 4_294_967_295_u32))]
    number: u32,
    /// What to add to its end.
    #[schemars(length(min = 1, max = 20_000))]
    text: String,
}

pub(super) fn append(book: &Book, Append { number, text }: Append) -> Answer<Note> {
    told(book.change(|pages| {
        let note = pages.note_mut(number)?;
        let between = if note.text.is_empty() { "" } else { "\n\n" };
        note.text.extend([between, &text]);
        if note.text.chars().count() > TEXT {
            return wrong(format!("note {number} would have more than {TEXT} characters; add another note"));
        }
        Ok(note.clone())
    })?)
}

/// Arguments of `edit_note`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Edit {
    /// The note's number.
    #[schemars(range(min = 1, max = 4_294_967_295_u32))]
    number: u32,
    /// Its new title; left out, the title stays.
    #[schemars(length(min = 1, max = 200))]
    title: Option<String>,
    /// Its new text, in place of all that was there; left out, the text stays.
    #[schemars(length(max = 20_000))]
    text: Option<String>,
}

pub(super) fn edit(book: &Book, Edit { number, title, text }: Edit) -> Answer<Note> {
    if title.is_none() && text.is_none() {
        return wrong("give a new `title`, a new `text`, or both");
    }
    told(book.change(|pages| {
        let note = pages.note_mut(number)?;
        title.into_iter().for_each(|title| note.title = title);
        text.into_iter().for_each(|text| note.text = text);
        Ok(note.clone())
    })?)
}

/// Arguments of `tag_note`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Tag {
    /// The note's number.
    #[schemars(range(min = 1, max = 4_294_967_295_u32))]
    number: u32,
    /// Tags to put on it.
    #[serde(default)]
    #[schemars(length(max = 20), inner(length(min = 1, max = 50)))]
    add: Vec<String>,
    /// Tags to take off it.
    #[serde(default)]
    #[schemars(length(max = 20), inner(length(min = 1, max = 50)))]
    remove: Vec<String>,
}

/// Tags of one note.
const TAGS: usize = 50;

pub(super) fn tag(book: &Book, Tag { number, add, remove }: Tag) -> Answer<Note> {
    let removed: BTreeSet<String> = cleaned(remove).collect();
    told(book.change(|pages| {
        let note = pages.note_mut(number)?;
        note.tags.extend(cleaned(add));
        note.tags.retain(|tag| !removed.contains(tag));
        if note.tags.len() > TAGS {
            return wrong(format!("note {number} would have more than {TAGS} tags; take some off"));
        }
        Ok(note.clone())
    })?)
}

/// Arguments of `delete_note`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Delete {
    /// The note's number.
    #[schemars(range(min = 1, max = 4_294_967_295_u32))]
    number: u32,
}

pub(super) fn delete(book: &Book, Delete { number }: Delete) -> Result<String, Wrong> {
    let title = book.change(|pages| {
        let title = pages.note(number)?.title.clone();
        pages.notes.retain(|note| note.number != number);
        Ok(title)
    })?;
    Ok(format!("deleted note {number}, `{title}`"))
}
