//! Which room of agent-engine may use which: the table in `ARCHITECTURE.md`, against what the code names.
//!
//! A line of the table is `room: edge edge | what it is`. `-` is no edge, `all` is every one. `room (later)` is not there
//! yet. `(edge)` may be used and is not. A room uses only rooms above it in the table, so that everything runs forward.
//! `lib.rs` and `sync` are free. Invariants: I-5.

#[cfg(test)]
mod tests;

use super::source::{self, File};
use std::collections::{BTreeMap, BTreeSet};

/// Where the table stands.
const TABLE: &str = "<!-- tidy: rooms -->";
/// Modules that every room may use.
const FREE: [&str; 1] = ["sync"];
const SRC: &str = "agent-engine/src/";

/// One line of the table.
#[derive(Debug, Default, PartialEq, Eq)]
struct Room {
    place: usize,
    later: bool,
    all: bool,
    used: BTreeSet<String>,
    unused: BTreeSet<String>,
}

fn parse(document: &str) -> BTreeMap<String, Room> {
    let table = document.split_once(TABLE).map_or("", |(_, after)| after);
    let table = table.split("```").nth(1).unwrap_or_default();
    let lines = table.lines().filter_map(|line| line.split('|').next().unwrap_or_default().split_once(':'));
    let room = |(place, (name, edges)): (usize, (&str, &str))| {
        let name = name.trim();
        let mut room = Room { place, later: name.ends_with("(later)"), ..Room::default() };
        for edge in edges.split_whitespace().filter(|edge| *edge != "-") {
            match edge.strip_prefix('(') {
                None if edge == "all" => room.all = true,
                None => _ = room.used.insert(edge.to_owned()),
                Some(marked) => _ = room.unused.insert(marked.trim_end_matches(')').to_owned()),
            }
        }
        (name.trim_end_matches("(later)").trim().to_owned(), room)
    };
    lines.enumerate().map(room).collect()
}

/// The room of a file, and how deep the file's module lies; none for `lib.rs`.
fn place(path: &str) -> Option<(String, usize)> {
    let parts: Vec<&str> = path.strip_prefix(SRC)?.strip_suffix(".rs")?.split('/').collect();
    let room = *parts.first()?;
    (room != "lib").then(|| (room.to_owned(), parts.len()))
}

/// What a path names right under the crate, `super` walked up.
fn named(path: &[String], depth: usize) -> Option<&str> {
    let supers = path.iter().take_while(|name| *name == "super").count();
    let at_root = path.first().is_some_and(|name| name == "crate") || supers >= depth;
    at_root.then(|| path.get(supers.max(1)).map(String::as_str)).flatten()
}

// INVARIANT: I-5
fn check(table: &BTreeMap<String, Room>, code: &[File]) -> Vec<String> {
    let (mut findings, mut used) = (Vec::new(), BTreeMap::<String, BTreeSet<String>>::new());
    for file in code.iter().filter(|file| !file.is_test()) {
        let Some((room, depth)) = place(&file.path) else { continue };
        let edges = used.entry(room.clone()).or_default();
        for path in source::paths(&file.text) {
            let Some(target) = named(&path, depth).filter(|target| *target != room && !FREE.contains(target)) else { continue };
            let allowed = table.get(&room).is_none_or(|room| room.all || room.used.contains(target) || room.unused.contains(target));
            if !allowed {
                findings.push(format!("{}: `{room}` uses `{target}`; the table in ARCHITECTURE.md has no such edge", file.path));
            }
            edges.insert(target.to_owned());
        }
    }
    let free = |room: &str| FREE.contains(&room);
    for (room, edges) in used.iter().filter(|(room, _)| !free(room)) {
        let Some(listed) = table.get(room) else {
            findings.push(format!("room `{room}` is not in the table of ARCHITECTURE.md: add it"));
            continue;
        };
        if listed.later {
            findings.push(format!("room `{room}` is there: take its `(later)` out of ARCHITECTURE.md"));
        }
        findings
            .extend(listed.used.difference(edges).map(|edge| format!("`{room}` does not use `{edge}`: take it out or write `({edge})`")));
        findings.extend(listed.unused.intersection(edges).map(|edge| format!("`{room}` uses `({edge})`: take its brackets off")));
    }
    for (room, listed) in table {
        let above = |edge: &&String| table.get(*edge).is_some_and(|edge| edge.place < listed.place);
        let below = listed.used.union(&listed.unused).filter(|edge| !above(edge));
        findings
            .extend(below.map(|edge| format!("`{room}` stands above `{edge}`, which it uses: a room uses what is above it in the table")));
    }
    for (room, listed) in table.iter().filter(|(room, listed)| !used.contains_key(*room) && !listed.later) {
        let edges = listed.used.len();
        findings.push(format!("room `{room}` ({edges} edges) is not there: write `{room} (later)` or take it out"));
    }
    findings
}

#[test]
fn i_5_rooms_use_only_what_the_table_allows() {
    let code: Vec<File> = source::files(".rs").into_iter().filter(|file| file.path.starts_with(SRC)).collect();
    let table = parse(&source::document("ARCHITECTURE.md").unwrap());
    assert!(!table.is_empty(), "no table after {TABLE} in ARCHITECTURE.md");
    super::none(&check(&table, &code));
}
