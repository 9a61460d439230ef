//! The Python client in both eras on the real thing, under each surface.
//!
//! Is: `tests/clients/eras.py`, a test for each case. Is not: a check of its own.

use super::plays;

#[test]
fn ses_2_a_modern_client_asks_and_is_answered_in_its_own_way() {
    let transcript = plays("eras.py", &["--case", "modern"]);
    assert!(transcript.contains("all as it must be (modern)"), "{transcript}");
}

#[test]
fn auth_6_a_no_is_remembered_in_the_modern_era() {
    plays("eras.py", &["--case", "decline"]);
}

#[test]
fn attack_23_a_modern_client_without_forms_is_told_pending() {
    plays("eras.py", &["--case", "silent"]);
}

#[test]
fn act_6_a_stream_hears_of_a_dynamic_list() {
    plays("eras.py", &["--case", "streams"]);
}

#[test]
fn ses_2_a_named_session_is_named_in_the_question() {
    plays("eras.py", &["--case", "named"]);
}

#[test]
fn act_6_a_legacy_client_may_have_a_stable_list() {
    plays("eras.py", &["--case", "stable"]);
}

#[test]
fn act_9_a_full_surface_has_what_the_rules_allow() {
    plays("eras.py", &["--case", "full"]);
}
