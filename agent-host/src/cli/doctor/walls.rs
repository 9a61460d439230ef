//! The boundary: which user the host is of, which one its client, and what that client can do past the host.
//!
//! Is: one line for each file and each power, so that nobody takes an advisory boundary for a wall. Is not: a claim; where the
//! users are apart, every file is looked at all the same. Clause: AUTH-9.

use super::Patient;
use super::files::{Kind, Named};
use super::finding::Finding;
use crate::admin::{Boundary, socket};

/// What holds at a boundary that is advisory.
const HOLDS: &str = "what holds all the same: words of a model or a server decide nothing, and a rule with `strength = \"strong\"` takes a \
    passphrase that no file holds, from whoever changes no file";
const RECIPE: &str = "a user of its own for the host is a wall: \"A separate user\" in the book's page on the boundary; \
    `agent-host doctor --client USER` as the host's user then looks for that client";

/// `runs`: the host's process, where it answers.
pub(super) fn said(patient: &Patient<'_>, files: &[Named], runs: Option<u32>) -> Vec<Finding> {
    let (client, boundary) = (patient.client, patient.users.boundary());
    let name = boundary.as_str();
    match boundary {
        Boundary::SameUser => {
            let what = format!("{name}; what runs as {client}, a model's shell too, can");
            vec![Finding::note("boundary", what).list(powers(patient, files, runs)).hint(RECIPE)]
        }
        Boundary::SeparateUser => {
            let breaches = breaches(patient, files);
            let what = format!("{name}: the host is user {}, its client {client}", patient.users.host());
            if breaches.is_empty() { vec![Finding::well("boundary", what)] } else { breaches }
        }
    }
}

/// Each power of a client of the host's own user, as owners and modes are now.
fn powers(patient: &Patient<'_>, files: &[Named], runs: Option<u32>) -> Vec<String> {
    let reached = |file: &Named| patient.client.reach(&file.path).unwrap_or_default();
    let verb = |file: &Named| match (reached(file), file.kind) {
        (reach, Kind::Secret) if reach.read && reach.write => Some("read and rewrite"),
        (reach, Kind::Secret) if reach.read => Some("read"),
        (reach, _) if reach.write => Some("rewrite"),
        _ => None,
    };
    let mut powers: Vec<_> = files.iter().filter_map(|file| Some(format!("{} {}", verb(file)?, file.told()))).collect();
    let host = runs.map_or_else(|| "the host once it runs".to_owned(), |pid| format!("the running host, process {pid}"));
    powers.push(format!("end {host}, and read and change its memory, by signals and a debugger"));
    powers.push("end the servers, read what they are given, and start them without the host".to_owned());
    powers.push(format!("give any yes but a strong one, and take back and stop, at {}", socket(patient.state).display()));
    powers.push(HOLDS.to_owned());
    powers
}

/// What a client of another user should not reach and does.
fn breaches(patient: &Patient<'_>, files: &[Named]) -> Vec<Finding> {
    let breach = |file: &Named| {
        let reach = patient.client.reach(&file.path)?;
        let can = match (reach.write, reach.read && file.kind == Kind::Secret) {
            (true, _) => "rewrite or replace",
            (false, true) => "read",
            (false, false) => return None,
        };
        let what = format!("{} is not held apart: {} can {can} {}", patient.users.boundary().as_str(), patient.client, file.told());
        let hint = format!(
            "`namei -l {}` shows who may what on the way to it; it is to be the host's user's or root's alone",
            file.path.display()
        );
        Some(Finding::wrong("boundary", what, hint))
    };
    files.iter().filter_map(breach).collect()
}
