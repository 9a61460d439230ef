//! What must be nowhere: I/O, clocks and chance in the crates that decide, and wire types outside their rooms.
//!
//! Invariants: I-9. Tests are free: they may read files.

use super::source::{self, File};

/// Paths, as `a::b` prefixes, that a folder must not name.
const BANNED: [(&str, &[&str]); 2] = [
    (
        "agent-core/src/",
        &[
            "std::fs",
            "std::net",
            "std::env",
            "std::process",
            "std::thread",
            "std::io",
            "std::time::SystemTime",
            "std::time::Instant",
            "tokio",
            "rand",
            "getrandom",
        ],
    ),
    (
        "agent-engine/src/",
        &[
            "std::fs",
            "std::net",
            "std::env",
            "std::process",
            "std::time::SystemTime",
            "SystemTime::now",
            "Instant::now",
            "tokio::fs",
            "tokio::net",
            "tokio::process",
            "tokio::time::Instant",
            "rand",
            "getrandom",
        ],
    ),
];

/// The only folders that may name rmcp.
const WIRE: [&str; 6] = [
    "agent-host/src/mcp",
    "agent-host/src/http",
    "agent-host/src/upstream",
    "agent-host/src/login",
    "agent-host/src/admin",
    "agent-host/samples/src",
];

/// Dependencies that no decision needs.
const CRATES: [&str; 9] = ["rand", "getrandom", "rmcp", "reqwest", "hyper", "rusqlite", "rustix", "tempfile", "chrono"];

// INVARIANT: I-9
fn check(code: &[File]) -> Vec<String> {
    let mut findings = Vec::new();
    for file in code.iter().filter(|file| !file.is_test()) {
        let paths = source::paths(&file.text);
        let names = |banned: &str| paths.iter().any(|path| format!("{}::", path.join("::")).starts_with(&format!("{banned}::")));
        let banned = BANNED.iter().filter(|(folder, _)| file.path.starts_with(folder)).flat_map(|(_, banned)| *banned);
        findings.extend(banned.filter(|banned| names(banned)).map(|banned| format!("{}: names `{banned}` (I-9)", file.path)));
        let wire = WIRE.iter().any(|folder| file.path.starts_with(folder));
        if !wire && (file.path.starts_with("agent-") || file.path.starts_with("spec/")) && names("rmcp") {
            findings.push(format!("{}: names `rmcp`, which stays in {} (I-9)", file.path, WIRE.join(", ")));
        }
    }
    findings
}

#[test]
fn i_9_decisions_name_no_file_socket_clock_or_chance() {
    super::none(&check(&source::files(".rs")));
}

#[test]
fn i_9_decisions_depend_on_nothing_that_reaches_out() {
    for manifest in ["agent-core/Cargo.toml", "agent-engine/Cargo.toml"] {
        let text = source::document(manifest).unwrap();
        let section = text.split("[dependencies]").nth(1).unwrap().split("\n[").next().unwrap();
        let listed: Vec<&str> = section.lines().filter_map(|line| line.split(['.', ' ', '=']).next()).collect();
        let found: Vec<String> =
            CRATES.iter().filter(|name| listed.contains(name)).map(|name| format!("{manifest}: `{name}` (I-9)")).collect();
        super::none(&found);
    }
}

#[test]
fn what_is_banned_is_found() {
    let found = |path: &str, text: &str| check(&[File { path: path.to_owned(), text: text.to_owned() }]).len();
    assert_eq!(found("agent-core/src/a.rs", "use std::{fs::File, time::SystemTime};"), 2);
    assert_eq!(found("agent-engine/src/a.rs", "fn f() { tokio::net::TcpStream::connect(rand::random()) }"), 2);
    assert_eq!(found("agent-engine/src/a.rs", "// std::fs\n#[cfg(test)] mod tests { use std::fs; }"), 0);
    assert_eq!((found("agent-host/src/cli.rs", "use rmcp::model;"), found("agent-host/src/mcp/a.rs", "use rmcp::model;")), (1, 0));
}
