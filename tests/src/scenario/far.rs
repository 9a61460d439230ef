//! Real servers over HTTP behind the real thing, in both eras.
//!
//! Is: `tests/clients/far.py`, a test for each case. Is not: a check of its own.

use super::plays;

#[test]
fn up_1_http_real_servers_of_both_eras_are_called_killed_and_found_again() {
    let transcript = plays("far.py", &["--case", "both"]);
    assert!(transcript.contains("all as it must be (both)"), "{transcript}");
}

#[test]
fn up_10_http_a_credential_that_is_good_no_more_needs_a_login() {
    plays("far.py", &["--case", "locked"]);
}
