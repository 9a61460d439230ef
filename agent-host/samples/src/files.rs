//! The files of one folder: listed, read, searched and changed.
//!
//! Is: the list of its tools. Is not: a judge of paths; that is `folder`, through which everything goes.
//! Clauses: NAT-3 (through `folder`). Neighbours: `read` and `find` look, `change` writes, `walk` goes through folders.

mod change;
mod find;
mod read;
mod walk;

#[cfg(test)]
mod tests;

use crate::folder::Folder;
use crate::server::{About, Effect, Entry, Server};
use std::path::Path;

const INSTRUCTIONS: &str = "Files of one folder. Paths are written from that folder, such as `notes/today.md`; what lies outside of it \
    can't be reached. Texts are in UTF-8.";

pub(crate) fn server(folder: &Path) -> Result<Server<Folder>, String> {
    let entries = looking().into_iter().chain(changing());
    Ok(Server::new("files", INSTRUCTIONS, Folder::open(folder)?, entries))
}

fn looking() -> [Entry<Folder>; 6] {
    let about = |name, title, description| About { name, title, description, effect: Effect::Reads, idempotent: true };
    [
        Entry::new(
            &about("list_folder", "List a folder", "List the files and folders in a folder (directory), with their kinds and sizes."),
            read::list,
        ),
        Entry::told(
            &about("folder_tree", "Show the folder tree", "Show a folder and what is below it as an indented tree, down to a depth."),
            read::tree,
        ),
        Entry::told(
            &about("read_file", "Read a file", "Read a text file, whole or a range of its lines, with or without line numbers."),
            read::read,
        ),
        Entry::new(
            &about(
                "file_info",
                "About a file",
                "Tell about a file or folder without reading it: its kind, its size in bytes, and when it was last changed.",
            ),
            read::info,
        ),
        Entry::new(
            &about(
                "find_files",
                "Find files by name",
                "Find files and folders by name with wildcards, such as `*.md` or `report-202?.txt`.",
            ),
            find::names,
        ),
        Entry::new(
            &about(
                "search_in_files",
                "Search text in files",
                "Search the contents of text files for a word, a phrase or a regular expression (grep), and show the lines that match.",
            ),
            find::text,
        ),
    ]
}

fn changing() -> [Entry<Folder>; 6] {
    let about = |name, title, description, effect, idempotent| About { name, title, description, effect, idempotent };
    [
        Entry::told(
            &about(
                "write_file",
                "Write a file",
                "Write a text file: create a new one, or with `overwrite` replace everything that is in it.",
                Effect::Changes,
                true,
            ),
            change::write,
        ),
        Entry::told(
            &about(
                "append_to_file",
                "Append to a file",
                "Add text to the end of a file, such as a line to a log; the file is created if there is none.",
                Effect::Adds,
                false,
            ),
            change::append,
        ),
        Entry::told(
            &about(
                "create_folder",
                "Create a folder",
                "Create a folder (directory), and the folders above it that are missing. One that is there already is left as it is.",
                Effect::Adds,
                true,
            ),
            change::folder,
        ),
        Entry::told(
            &about("copy_file", "Copy a file", "Copy a file to another name. Nothing is overwritten.", Effect::Adds, false),
            change::copy,
        ),
        Entry::told(
            &about(
                "move_file",
                "Move or rename a file",
                "Move a file or folder to another place, or rename it. Nothing is overwritten.",
                Effect::Changes,
                false,
            ),
            change::rename,
        ),
        Entry::told(
            &about(
                "delete_file",
                "Delete a file",
                "Delete a file, or a folder that is empty. It can't be brought back.",
                Effect::Changes,
                true,
            ),
            change::delete,
        ),
    ]
}
