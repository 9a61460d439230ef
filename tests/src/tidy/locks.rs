//! No lock is held across an await: every way to write one is denied, so what is left to check is that the denials stand.
//!
//! clippy sees guards of the standard library's and parking_lot's locks; a lock made to be awaited is named nowhere.
//! Invariants: I-4.

use super::source::{self, File};

/// Locks that are held over awaits by design.
const ASYNC: [&str; 3] = ["tokio::sync::Mutex", "tokio::sync::RwLock", "async_lock"];
const LINT: &str = "await_holding_lock";
const SHIPPED: [&str; 4] = ["agent-core", "agent-engine", "agent-host", "agent-host/samples"];

fn check(code: &[File]) -> Vec<String> {
    let shipped = code.iter().filter(|file| SHIPPED.iter().any(|name| file.path.starts_with(name)) && !file.is_test());
    let of = |file: &File| {
        let paths: Vec<String> = source::paths(&file.text).iter().map(|path| format!("{}::", path.join("::"))).collect();
        let awaited = ASYNC.iter().filter(|lock| paths.iter().any(|path| path.starts_with(&format!("{lock}::"))));
        let mut findings: Vec<String> =
            awaited.map(|lock| format!("{}: names `{lock}`, made to be held over an await (I-4)", file.path)).collect();
        if file.text.contains(LINT) {
            findings.push(format!("{}: the lint `{LINT}` is not for a file to change (I-4)", file.path));
        }
        findings
    };
    shipped.flat_map(of).collect()
}

#[test]
fn i_4_no_lock_can_be_held_over_an_await() {
    let workspace = source::document("Cargo.toml").unwrap();
    assert!(workspace.lines().any(|line| line == format!("{LINT} = \"deny\"")), "Cargo.toml denies `{LINT}`");
    for name in SHIPPED {
        let manifest = source::document(&format!("{name}/Cargo.toml")).unwrap();
        assert!(manifest.contains("[lints]\nworkspace = true"), "{name} has the workspace's lints");
    }
    super::none(&check(&source::files(".rs")));
}

#[test]
fn a_lock_made_to_be_awaited_is_found() {
    let found = |text: &str| check(&[File { path: "agent-host/src/a.rs".to_owned(), text: text.to_owned() }]).len();
    assert_eq!(found("use tokio::sync::{Mutex, watch};\n#![allow(clippy::await_holding_lock)]"), 2);
    assert_eq!(found("use parking_lot::Mutex; use tokio::sync::watch; // tokio::sync::Mutex"), 0);
}
