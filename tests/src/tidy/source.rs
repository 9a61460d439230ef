//! The repository as tidy sees it: its files, and a Rust file as the names it uses.
//!
//! Is not: a parser. Comments, strings and code under `cfg(test)` fall away; what remains is read as words.
//! Neighbours: every other part of `tidy` judges what this one reads.

#[cfg(test)]
mod tests;
mod words;

pub(super) use words::{paths, test_names};

use std::path::{Path, PathBuf};

/// One text file of the repository.
pub(super) struct File {
    /// Its path from the root, with `/`.
    pub(super) path: String,
    /// What it holds.
    pub(super) text: String,
}

impl File {
    /// Whether it holds tests alone: `tests.rs`, what lies in a folder of tests beside `src`, and cases meant not to compile.
    pub(super) fn is_test(&self) -> bool {
        self.path.ends_with("/tests.rs")
            || self.path.contains("/tests/")
            || self.path.contains("compile_fail")
            || self.path.starts_with("tests/src/")
    }

    /// Whether its first line of sense should be a module's header.
    pub(super) fn wants_header(&self) -> bool {
        !self.is_test() || (self.path.starts_with("tests/src/") && !self.path.ends_with("/tests.rs"))
    }
}

/// Where the repository lies.
pub(super) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// Every file of ours with this ending, sorted. Hidden folders and those that tools fill are left out.
pub(super) fn files(ending: &str) -> Vec<File> {
    let (root, mut found) = (root(), Vec::new());
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            if name.starts_with('.') || ["target", "node_modules"].contains(&name) {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else if name.ends_with(ending) {
                let text = std::fs::read_to_string(&path).unwrap();
                found.push(File { path: path.strip_prefix(&root).unwrap().to_str().unwrap().to_owned(), text });
            }
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

/// One document, where it is there.
pub(crate) fn document(path: &str) -> Option<String> {
    std::fs::read_to_string(root().join(path)).ok()
}
