//! Notes: short texts with titles and tags, in one file of a folder.
//!
//! Is: the list of its tools. Is not: a store; that is `book`. Clauses: NAT-3 (through `folder`).
//! Neighbours: `book` keeps the notes, `look` and `change` are the tools.

mod book;
mod change;
mod look;

#[cfg(test)]
mod tests;

use crate::folder::Folder;
use crate::server::{About, Effect, Entry, Server};
use book::Book;
use std::path::Path;

const INSTRUCTIONS: &str = "Notes that are kept between conversations. Each has a number, a title, a text and tags.";

pub(crate) fn server(folder: &Path) -> Result<Server<Book>, String> {
    let entries = looking().into_iter().chain(changing());
    Ok(Server::new("notes", INSTRUCTIONS, Book::new(Folder::open(folder)?), entries))
}

fn looking() -> [Entry<Book>; 4] {
    let about = |name, title, description| About { name, title, description, effect: Effect::Reads, idempotent: true };
    [
        Entry::new(&about("get_note", "Get a note", "Get one note by its number, with its whole text and its tags."), look::get),
        Entry::new(
            &about(
                "list_notes",
                "List notes",
                "List notes by number, title and tags, the latest changed first; all of them or those with a tag.",
            ),
            look::list,
        ),
        Entry::new(
            &about(
                "search_notes",
                "Search notes",
                "Search the titles, texts and tags of all notes for words, and list those that hold them all.",
            ),
            look::search,
        ),
        Entry::new(&about("list_tags", "List tags", "List every tag that is in use, and how many notes have it."), look::tags),
    ]
}

fn changing() -> [Entry<Book>; 5] {
    let about = |name, title, description, effect, idempotent| About { name, title, description, effect, idempotent };
    [
        Entry::new(
            &about(
                "add_note",
                "Add a note",
                "Save a new note with a title, a text and tags, to remember something for later.",
                Effect::Adds,
                false,
            ),
            change::add,
        ),
        Entry::new(
            &about(
                "append_to_note",
                "Append to a note",
                "Add a paragraph to the end of a note, and keep what is in it.",
                Effect::Adds,
                false,
            ),
            change::append,
        ),
        Entry::new(
            &about("edit_note", "Edit a note", "Replace the title or the whole text of a note with another.", Effect::Changes, true),
            change::edit,
        ),
        Entry::new(
            &about("tag_note", "Tag a note", "Put tags (labels) on a note, or take tags off it.", Effect::Changes, true),
            change::tag,
        ),
        Entry::told(
            &about(
                "delete_note",
                "Delete a note",
                "Delete a note by its number, with its text and tags. It can't be brought back.",
                Effect::Changes,
                true,
            ),
            change::delete,
        ),
    ]
}
