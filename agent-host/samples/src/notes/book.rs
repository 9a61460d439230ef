//! The notes in their file: read whole, changed, and written whole in its place.
//!
//! A file that can't be read is left as it is. Servers on one folder take turns by a lock on a file beside it.
//! Clauses: NAT-3 (through `folder`).

use crate::folder::{FILE_BYTES, Folder, refused};
use crate::server::{Wrong, wrong};
use cap_std::fs::OpenOptions;
use jiff::Timestamp;
use parking_lot::Mutex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The file, and the one that says whose turn it is.
const FILE: &str = "notes.json";
const LOCK: &str = "notes.lock";
/// How many notes there may be.
const NOTES: usize = 1_000;

/// One note.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub(super) struct Note {
    /// Its number, which no other note gets.
    pub(super) number: u32,
    /// Its title.
    pub(super) title: String,
    /// Its text.
    pub(super) text: String,
    /// Its tags, in order.
    pub(super) tags: BTreeSet<String>,
    /// When it was added, in UTC.
    pub(super) added: String,
    /// When it was last changed, in UTC.
    pub(super) changed: String,
}

/// What the file holds.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct Pages {
    /// The number of the last note that was added.
    last: u32,
    pub(super) notes: Vec<Note>,
}

/// The notes of a folder.
pub(crate) struct Book {
    folder: Folder,
    /// One change at a time.
    turn: Mutex<()>,
}

impl Book {
    pub(super) fn new(folder: Folder) -> Self {
        Self { folder, turn: Mutex::new(()) }
    }

    /// The notes now.
    pub(super) fn read(&self) -> Result<Pages, Wrong> {
        if self.folder.look(FILE)?.is_none() {
            return Ok(Pages::default());
        }
        let unreadable = |error| Wrong(format!("`{FILE}` can't be read as notes and was left as it is: {error}"));
        serde_json::from_str(&self.folder.text(FILE)?).map_err(unreadable)
    }

    /// Changes the notes, all or nothing.
    pub(super) fn change<T>(&self, change: impl FnOnce(&mut Pages) -> Result<T, Wrong>) -> Result<T, Wrong> {
        let _turn = self.turn.lock();
        let options = &mut OpenOptions::new();
        let lock = self.folder.regular(LOCK, options.append(true).create(true))?.into_std();
        // Falls with the file.
        lock.lock().map_err(|error| refused(LOCK, &error))?;
        let mut pages = self.read()?;
        let out = change(&mut pages)?;
        let bytes = serde_json::to_vec_pretty(&pages).map_err(|error| Wrong(error.to_string()))?;
        if bytes.len() as u64 > FILE_BYTES {
            return wrong("there is no room for more notes; delete some first");
        }
        self.folder.replace(FILE, &bytes)?;
        Ok(out)
    }
}

impl Pages {
    pub(super) fn note(&self, number: u32) -> Result<&Note, Wrong> {
        self.notes.iter().find(|note| note.number == number).ok_or_else(|| missing(number))
    }

    pub(super) fn note_mut(&mut self, number: u32) -> Result<&mut Note, Wrong> {
        let note = self.notes.iter_mut().find(|note| note.number == number).ok_or_else(|| missing(number))?;
        note.changed = now();
        Ok(note)
    }

    pub(super) fn add(&mut self, title: String, text: String, tags: BTreeSet<String>) -> Result<Note, Wrong> {
        let next = self.last.checked_add(1).filter(|_| self.notes.len() < NOTES);
        let Some(next) = next else { return wrong(format!("there are {NOTES} notes already; delete some first")) };
        self.last = next;
        let note = Note { number: next, title, text, tags, added: now(), changed: now() };
        self.notes.push(note.clone());
        Ok(note)
    }
}

fn missing(number: u32) -> Wrong {
    Wrong(format!("there is no note {number}; `list_notes` shows which there are"))
}

fn now() -> String {
    Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}
