//! Five real servers behind the built host, from their first sync to their end.
//!
//! Is: `tests/clients/fleet.py`, a test for each case. Is not: a check of its own.

use super::plays;

#[test]
fn cat_3_up_1_five_real_servers_are_synced_called_and_killed() {
    let transcript = plays("fleet.py", &["--case", "called"]);
    assert!(transcript.contains("all as it must be (called)"), "{transcript}");
}

#[test]
fn cat_7_i_6_five_real_servers_are_listed_and_searched_without_being_started() {
    let transcript = plays("fleet.py", &["--case", "listed"]);
    assert!(transcript.contains("all as it must be (listed)"), "{transcript}");
}
