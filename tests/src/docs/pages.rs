//! The pages, and their blocks: what stands between two fences, and what the fence says of it.

use std::path::{Path, PathBuf};

/// The repository.
pub(super) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// Every page of the book, its summary among them, by its path from the root.
pub(super) fn book() -> Vec<String> {
    let (mut found, mut folders) = (Vec::new(), vec![PathBuf::from("docs/src")]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(root().join(&folder)).unwrap() {
            let path = folder.join(entry.unwrap().file_name());
            if root().join(&path).is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "md") {
                found.push(path.to_str().unwrap().to_owned());
            }
        }
    }
    found.sort();
    found
}

/// The text of a file, by its path from the root.
pub(super) fn text(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// What stands between two fences.
pub(super) struct Block {
    /// The line of the opening fence, from 1.
    pub(super) line: usize,
    /// What it is, such as `sh,no-run`.
    pub(super) kind: String,
    /// Why it can't be run, from the comment over it.
    pub(super) reason: Option<String>,
    pub(super) text: String,
}

/// The blocks of a page. A fence is at the start of its line.
pub(super) fn blocks(page: &str) -> Vec<Block> {
    let (mut found, mut before, mut inside) = (Vec::new(), "", None::<Block>);
    for (at, line) in page.lines().enumerate() {
        match (&mut inside, line.strip_prefix("```")) {
            (Some(block), None) => block.text += &format!("{line}\n"),
            (Some(_), Some(_)) => found.extend(inside.take()),
            (None, Some(kind)) => {
                let reason = before.strip_prefix("<!-- no-run: ").and_then(|rest| rest.strip_suffix(" -->"));
                inside = Some(Block { line: at + 1, kind: kind.to_owned(), reason: reason.map(str::to_owned), text: String::new() });
            }
            (None, None) => {}
        }
        before = line;
    }
    assert!(inside.is_none(), "the last block has no end");
    found
}

/// A page without its blocks and its code words.
pub(super) fn prose(page: &str) -> String {
    let mut inside = false;
    let lines = page.lines().filter(|line| {
        let fence = line.starts_with("```");
        inside ^= fence;
        !inside && !fence
    });
    lines.flat_map(|line| line.split('`').step_by(2).chain(["\n"])).collect()
}
