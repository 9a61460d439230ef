//! What is promised, against the tests that hold it, both ways.
//!
//! An invariant is a line `- **I-1** ...` of `ARCHITECTURE.md`, with `(later)` after its number where it does not hold
//! yet. It has a comment `// INVARIANT: I-1` where it is kept and a test with `i_1_` in its name. A clause is a row
//! `| SRCH-3 | held | ...` of `spec/README.md`; a part of one is `| SRCH-5 (quality) | later | ...`. A held one has a
//! test with `srch_3_` in its name. Whatever a test, a comment or a module's header names is
//! promised. A header that names a clause of which nothing is held says in brackets which part: `UP-2 (the one file)`.

#[cfg(test)]
mod tests;

use super::source::{self, File};
use std::collections::{BTreeMap, BTreeSet};

/// A clause's or invariant's id, as its letters and its number.
type Id = (String, u32);

/// What is promised: each id, and whether it is held.
type Promised = BTreeMap<Id, bool>;

fn id(text: &str) -> Option<Id> {
    let (letters, number) = text.split_once('-')?;
    let good = !letters.is_empty() && letters.bytes().all(|b| b.is_ascii_uppercase());
    good.then(|| Some((letters.to_owned(), number.parse().ok()?)))?
}

fn shown((letters, number): &Id) -> String {
    format!("{letters}-{number}")
}

/// The invariants of the architecture.
fn invariants(document: &str) -> Promised {
    let line = |line: &str| {
        let (name, rest) = line.strip_prefix("- **")?.split_once("**")?;
        Some((id(name).filter(|(letters, _)| letters == "I")?, !rest.trim_start().starts_with("(later)")))
    };
    document.lines().filter_map(line).collect()
}

/// The clauses of the spec's table; a clause is held where one of its rows is. Rows with an odd state are findings.
fn clauses(document: &str) -> (Promised, Vec<String>) {
    let (mut promised, mut findings) = (Promised::new(), Vec::new());
    for line in document.lines() {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let [_, name, state, _, ..] = cells.as_slice() else { continue };
        let Some(id) = id(name.split(' ').next().unwrap_or_default()) else { continue };
        if !["held", "later"].contains(state) {
            findings.push(format!("spec/README.md: `{name}` is `{state}`, neither held nor later"));
        }
        *promised.entry(id).or_default() |= *state == "held";
    }
    (promised, findings)
}

/// The ids that a test's name holds, of the kinds that are promised: `srch_3_`, `i_7_`.
fn ids(name: &str, kinds: &BTreeSet<&str>) -> BTreeSet<Id> {
    let parts: Vec<&str> = name.split('_').collect();
    let pair = |pair: &[&str]| {
        let letters = pair[0].to_uppercase();
        Some((kinds.contains(letters.as_str()).then_some(letters)?, pair[1].parse().ok()?))
    };
    // An id stands before the words, so something follows it.
    parts[..parts.len() - 1].windows(2).filter_map(pair).collect()
}

/// The invariants that comments say are kept.
fn kept(code: &[File]) -> BTreeSet<Id> {
    let line = |line: &str| id(line.trim_start().strip_prefix("// INVARIANT: ")?.split([' ', ',']).next()?);
    code.iter().flat_map(|file| file.text.lines().filter_map(line)).collect()
}

/// Compares what is promised with what some kind of witness names.
fn compare(promised: &Promised, named: &BTreeSet<Id>, missing: &str, witness: &str) -> Vec<String> {
    let unheld =
        promised.iter().filter(|(id, held)| **held && !named.contains(*id)).map(|(id, _)| format!("{} is held, but {missing}", shown(id)));
    let unpromised =
        named.iter().filter(|id| !promised.contains_key(*id)).map(|id| format!("{} is named by {witness}, and not listed", shown(id)));
    unheld.chain(unpromised).collect()
}

fn tested(promised: &Promised, code: &[File]) -> BTreeMap<Id, String> {
    let kinds: BTreeSet<&str> = promised.keys().map(|(letters, _)| letters.as_str()).collect();
    let of = |file: &File| -> Vec<(Id, String)> {
        let names = source::test_names(&file.text);
        names.iter().flat_map(|name| ids(name, &kinds).into_iter().map(move |id| (id, format!("`{name}`")))).collect()
    };
    code.iter().flat_map(of).collect()
}

/// The ids that modules' headers name, each with a file that does.
fn headed(promised: &Promised, code: &[File]) -> BTreeMap<Id, String> {
    let kinds: BTreeSet<&str> = promised.keys().map(|(letters, _)| letters.as_str()).collect();
    let of = |file: &File| -> Vec<(Id, String)> {
        let header = file.text.lines().map_while(|line| line.strip_prefix("//!"));
        let words = header.flat_map(|line| line.split(|c: char| !c.is_ascii_alphanumeric() && c != '-'));
        words.filter_map(id).filter(|(letters, _)| kinds.contains(letters.as_str())).map(|id| (id, file.path.clone())).collect()
    };
    code.iter().flat_map(of).collect()
}

fn check_headers(promised: &Promised, code: &[File]) -> Vec<String> {
    let unlisted = headed(promised, code).into_iter().filter(|(id, _)| !promised.contains_key(id));
    unlisted.map(|(id, path)| format!("{path}: its header names {}, which is not listed", shown(&id))).collect()
}

/// Headers that name a clause of which nothing is held, and no part of it in brackets.
fn check_whole(promised: &Promised, code: &[File]) -> Vec<String> {
    let later: Vec<String> = promised.iter().filter(|(_, held)| !**held).map(|(id, _)| shown(id)).collect();
    let of = |file: &File| -> Vec<String> {
        let header: Vec<&str> = file.text.lines().map_while(|line| line.strip_prefix("//!")).map(str::trim).collect();
        let header = header.join(" ");
        let whole = |rest: &str| !rest.starts_with(" (") && !rest.starts_with(|c: char| c.is_ascii_digit());
        let named = later.iter().filter(|id| header.split(id.as_str()).skip(1).any(whole));
        named.map(|id| format!("{}: its header names {id}, which is later; say in brackets which part", file.path)).collect()
    };
    code.iter().flat_map(of).collect()
}

fn check_invariants(promised: &Promised, code: &[File]) -> Vec<String> {
    let (kept, tested) = (kept(code), tested(promised, code));
    let named: BTreeSet<Id> = tested.into_keys().collect();
    let mut findings = compare(promised, &kept, "no comment `// INVARIANT: ...` says where", "a comment");
    findings.extend(compare(promised, &named, "no test has it in its name", "a test"));
    let later = promised.iter().filter(|(id, held)| !**held && kept.contains(*id) && named.contains(*id));
    findings.extend(check_headers(promised, code));
    findings.extend(later.map(|(id, _)| format!("{} is kept and tested: take its `(later)` out of ARCHITECTURE.md", shown(id))));
    findings
}

fn check_clauses(promised: &Promised, code: &[File]) -> Vec<String> {
    let tested = tested(promised, code);
    let early = tested
        .iter()
        .filter(|(id, _)| promised.get(*id) == Some(&false))
        .map(|(id, name)| format!("{} is later, but {name} names it", shown(id)));
    let mut findings: Vec<String> = early.collect();
    findings.extend(compare(promised, &tested.into_keys().collect(), "no test has it in its name", "a test"));
    findings.extend(check_headers(promised, code));
    findings.extend(check_whole(promised, code));
    findings
}

#[test]
fn invariants_are_kept_somewhere_and_tested() {
    let promised = invariants(&source::document("ARCHITECTURE.md").unwrap());
    assert!(promised.len() >= 10, "ARCHITECTURE.md lists {} invariants", promised.len());
    super::none(&check_invariants(&promised, &source::files(".rs")));
}

#[test]
fn held_clauses_are_tested() {
    let (promised, mut findings) = clauses(&source::document("spec/README.md").unwrap());
    findings.extend(check_clauses(&promised, &source::files(".rs")));
    let held = promised.values().filter(|held| **held).count();
    println!("{} clauses, {held} held in whole or part", promised.len());
    assert!(held > 0, "spec/README.md lists no held clause");
    super::none(&findings);
}
