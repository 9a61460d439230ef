//! Through a folder and everything below it, in order of names, with an end.
//!
//! Links are named and not followed, so nothing is met twice. Clauses: NAT-3 (through `folder`).

use crate::folder::{Folder, refused};
use crate::server::Wrong;
use cap_std::fs::{Dir, Metadata};
use std::ops::ControlFlow::{self, Break, Continue};

/// Entries that one walk meets at most.
const ENTRIES: usize = 20_000;
/// How deep it goes at most.
pub(super) const DEPTH: usize = 32;

/// What is met on the way.
pub(super) struct Met {
    /// Its path from the open folder.
    pub(super) path: String,
    /// Its own name.
    pub(super) name: String,
    /// How many folders lie between it and where the walk began.
    pub(super) depth: usize,
    /// A link as itself.
    pub(super) info: Metadata,
}

struct Walk<'a> {
    left: usize,
    depth: usize,
    visit: &'a mut dyn FnMut(&Met) -> ControlFlow<()>,
}

/// Visits what lies below a folder, down to a depth, until the visitor breaks off. Gives whether everything was met.
pub(super) fn walk(folder: &Folder, path: &str, depth: usize, visit: &mut dyn FnMut(&Met) -> ControlFlow<()>) -> Result<bool, Wrong> {
    let dir = folder.folder(path)?;
    // What is asked for is always readable; what lies below need not be.
    dir.entries().map_err(|error| refused(path, &error))?;
    let start = path.trim_start_matches("./").trim_matches('/');
    let start = if start == "." { "" } else { start };
    let mut walk = Walk { left: ENTRIES, depth: depth.min(DEPTH), visit };
    Ok(walk.below(&dir, start, 0).is_continue())
}

impl Walk<'_> {
    fn below(&mut self, dir: &Dir, path: &str, depth: usize) -> ControlFlow<()> {
        let Ok(entries) = dir.entries() else { return Continue(()) };
        let mut found = Vec::new();
        for entry in entries.flatten() {
            self.left = self.left.saturating_sub(1);
            if self.left == 0 {
                return Break(());
            }
            // A name that is not UTF-8 can't be asked for either.
            if let (Ok(name), Ok(info)) = (entry.file_name().into_string(), entry.metadata()) {
                found.push((name, info));
            }
        }
        found.sort_by(|a, b| a.0.cmp(&b.0));
        for (name, info) in found {
            let path = if path.is_empty() { name.clone() } else { format!("{path}/{name}") };
            let met = Met { path, name, depth, info };
            (self.visit)(&met)?;
            if met.info.is_dir()
                && depth + 1 < self.depth
                && let Ok(inner) = dir.open_dir(&met.name)
            {
                self.below(&inner, &met.path, depth + 1)?;
            }
        }
        Continue(())
    }
}
