//! Hostile servers behind the built host, beside an honest one that must not notice.
//!
//! Is: `tests/clients/beside.py`, which says of each part of `tests/servers/hostile.py` what must become of it; spec
//! chapter 11 says the same in words. Those of one test run at the same time. Is not: a check of its own.

use super::plays;

fn beside(parts: &[&str]) {
    let transcript = plays("beside.py", &[&["--case"], parts].concat());
    assert!(transcript.contains(&format!("all as it must be ({})", parts.join(", "))), "{transcript}");
}

#[test]
fn attack_44_45_47_definitions_that_none_should_serve() {
    beside(&["malformed-tools", "names", "no-list"]);
}

#[test]
fn cat_4_attack_48_lists_without_end() {
    beside(&["fresh-cursors", "same-cursor", "thin-pages", "fat-pages", "many-tools"]);
}

#[test]
fn attack_49_huge_lines() {
    beside(&["huge-result", "huge-listing", "endless-line"]);
}

#[test]
fn attack_50_silence() {
    beside(&["silent-initialize", "silent-discover", "silent-call", "hung", "slow"]);
}

/// Takes the minute that a list is waited for.
#[test]
fn cat_4_attack_50_lists_that_never_come() {
    beside(&["silent-list", "bad-text-listing"]);
}

#[test]
fn attack_50_late_doubled_and_wrong_answers() {
    beside(&["honest", "late-call", "wrong-ids", "doubled"]);
}

#[test]
fn attack_51_what_is_no_message() {
    beside(&["noise", "torn", "bad-text", "deep-message", "deep-result", "deep-definition"]);
}

#[test]
fn attack_51_floods() {
    beside(&["stderr-flood", "storm", "chatter", "asks", "deaf"]);
}

#[test]
fn attack_52_servers_that_end_and_servers_that_do_not() {
    beside(&["crash-loop", "crash-call", "crash-later", "half-closed", "stubborn"]);
}
