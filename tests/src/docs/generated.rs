//! What is made from the code and checked in: compared, or with `UPDATE_REFERENCE=1` written anew.
//!
//! Is: the command line's page, man pages and completions, and the configuration's page. Is not: what makes them
//! (`commands`, `settings`). The program holds the completions as they are checked in.

use super::pages::root;
use super::{commands, settings};
use std::collections::BTreeMap;

/// Files by their path from the root.
pub(super) type Files = BTreeMap<String, String>;

/// Folders in which nothing else lies.
const WHOLE: [&str; 2] = ["agent-host/man", "agent-host/completions"];

/// Those of the folders that nothing makes any more.
fn stale(made: &Files) -> Vec<String> {
    let listed = |folder: &str| {
        std::fs::read_dir(root().join(folder)).into_iter().flatten().map(|entry| entry.unwrap().file_name()).collect::<Vec<_>>()
    };
    let paths = WHOLE.iter().flat_map(|folder| listed(folder).into_iter().map(move |name| format!("{folder}/{}", name.to_str().unwrap())));
    paths.filter(|path| !made.contains_key(path)).collect()
}

#[test]
fn what_is_made_from_the_code_is_what_is_checked_in() {
    let mut made = commands::files();
    made.insert("docs/src/reference/configuration.md".to_owned(), settings::page());
    assert!(made.len() > 30, "{} files", made.len());
    if std::env::var_os("UPDATE_REFERENCE").is_some() {
        stale(&made).iter().for_each(|path| std::fs::remove_file(root().join(path)).unwrap());
        for (path, text) in &made {
            let path = root().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        return;
    }
    let other = made.iter().filter(|(path, text)| std::fs::read_to_string(root().join(path)).ok().as_ref() != Some(*text));
    let findings: Vec<_> = other.map(|(path, _)| path.clone()).chain(stale(&made)).collect();
    let hint = "the code has changed: run this test with UPDATE_REFERENCE=1, read the difference, and build again";
    assert!(findings.is_empty(), "{hint}\n{}", findings.join("\n"));
}

#[test]
fn the_program_prints_the_completions_that_are_checked_in() {
    let program = crate::scenario::built().1.join("agent-host");
    assert!(program.exists(), "{} is missing: run `cargo build -p agent-host`", program.display());
    for (shell, file) in commands::SHELLS {
        let output = std::process::Command::new(&program).args(["completions", &shell.to_string()]).output().unwrap();
        let wanted = std::fs::read(root().join("agent-host/completions").join(file)).unwrap();
        assert!(output.status.success() && output.stdout == wanted, "{file} is another than the program has: build it again");
    }
}
