//! Files are small and open with what they are.

use super::source::{self, File};

/// No file is longer.
const LINES: usize = 400;
/// Half the files are shorter.
const MEDIAN: usize = 150;
/// Files that may be longer, with the reason.
const LONG: [(&str, &str); 0] = [];

fn lengths(code: &[File], long: &[(&str, &str)]) -> (usize, Vec<String>) {
    let mut lengths: Vec<usize> = code.iter().map(|file| file.text.lines().count()).collect();
    let mut findings = Vec::new();
    for (file, length) in code.iter().zip(&lengths) {
        match (*length > LINES, long.iter().any(|(path, _)| *path == file.path)) {
            (true, false) => findings.push(format!("{}: {length} lines: make it two files", file.path)),
            (false, true) => findings.push(format!("{}: {length} lines: take it out of the list of long files", file.path)),
            _ => {}
        }
    }
    lengths.sort_unstable();
    let median = lengths.get(lengths.len() / 2).copied().unwrap_or_default();
    if median >= MEDIAN {
        findings.push(format!("the median file has {median} lines, not under {MEDIAN}"));
    }
    (median, findings)
}

fn headers(code: &[File]) -> Vec<String> {
    let bare = |file: &&File| file.wants_header() && !file.text.trim_start().starts_with("//!");
    code.iter().filter(bare).map(|file| format!("{}: open with `//!`: what it is, what it is not, what it holds", file.path)).collect()
}

#[test]
fn files_are_short() {
    let code = source::files(".rs");
    let (median, findings) = lengths(&code, &LONG);
    println!("{} files, median {median} lines, the longest {:?}", code.len(), code.iter().map(|file| file.text.lines().count()).max());
    super::none(&findings);
}

#[test]
fn modules_open_with_what_they_are() {
    super::none(&headers(&source::files(".rs")));
}

#[test]
fn what_is_long_or_bare_is_found() {
    let file = |path: &str, lines| File { path: path.to_owned(), text: "x\n".repeat(lines) };
    let code = [file("a/src/a.rs", 401), file("a/src/b.rs", 400), file("a/src/b/tests.rs", 1), file("tests/src/c.rs", 1)];
    let of = |long: &[(&str, &str)]| lengths(&code[..1], long).1.len();
    assert_eq!((of(&[]), of(&[("a/src/a.rs", "a table")])), (2, 1));
    assert_eq!(lengths(&code, &[("a/src/a.rs", ""), ("tests/src/c.rs", "")]).1.len(), 2);
    assert_eq!(headers(&code).len(), 3);
}
