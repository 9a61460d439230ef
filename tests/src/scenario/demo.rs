//! `agent-host demo`, at a terminal and without one, and the copy of it that README shows.
//!
//! Is: `tests/clients/demo.py`, a test for each case. What is another in each run (ids, the time, a folder's name) and where lines
//! are broken does not count in the comparison. `UPDATE_README=1` puts the run of now into README.

use super::{built, plays};
use crate::tidy::source::document;
use std::path::Path;
use std::process::Command;

#[test]
fn auth_3_rev_1_the_demo_asks_the_person_at_the_terminal() {
    plays("demo.py", &["--case", "yes"]);
}

#[test]
fn auth_3_a_no_in_the_demo_is_a_no() {
    plays("demo.py", &["--case", "no"]);
}

#[test]
fn the_demo_leaves_nothing_where_it_is_broken_off() {
    plays("demo.py", &["--case", "stopped"]);
}

#[test]
fn the_demo_is_no_other_for_what_is_set_for_another_host() {
    plays("demo.py", &["--case", "elsewhere"]);
}

#[test]
fn the_demo_without_a_person_says_how() {
    plays("demo.py", &["--case", "nobody"]);
}

const BEGIN: &str = "<!-- demo -->\n\n```text\n";
const END: &str = "```\n";

/// A run's words, with a mark in place of what no two runs share.
fn marked(text: &str) -> Vec<String> {
    let hex = |word: &str, least: usize| word.len() >= least && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let mark = |word: &str| {
        let bare = word.trim_matches(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != ':');
        let id = bare.split_once('_').is_some_and(|(kind, id)| kind.len() == 1 && hex(id, 32));
        match bare {
            _ if id || hex(bare, 64) => "ID".to_owned(),
            _ if bare.ends_with('Z') && bare.starts_with("20") => "TIME".to_owned(),
            _ if bare.starts_with("local:") => "USER".to_owned(),
            _ if word.contains("agent-host-demo-") => "FOLDER".to_owned(),
            _ => word.to_owned(),
        }
    };
    let words: Vec<_> = text.split_whitespace().map(mark).collect();
    // The head of a chain comes after its name.
    let head = |at: usize| at > 0 && words.get(at - 1).is_some_and(|word| word == "head");
    words.iter().enumerate().map(|(at, word)| if head(at) { "HEAD".to_owned() } else { word.clone() }).collect()
}

#[test]
fn the_demo_in_readme_is_what_it_prints() {
    let run = Command::new(built().1.join("agent-host")).args(["demo", "--yes"]).output().unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let shown = String::from_utf8(run.stdout).unwrap();
    let readme = document("README.md").unwrap();
    let (before, rest) = readme.split_once(BEGIN).unwrap();
    let (copy, after) = rest.split_once(END).unwrap();
    if std::env::var_os("UPDATE_README").is_some() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md");
        std::fs::write(path, format!("{before}{BEGIN}{shown}{END}{after}")).unwrap();
    } else {
        assert_eq!(marked(copy), marked(&shown), "UPDATE_README=1 writes it anew");
    }
}
