//! Real clients over HTTP, of two principals under one host.
//!
//! Is: `tests/clients/guests.py`, which says what must come of it, with the clients of `real.py` in the eras that they speak. Is not: a check of
//! its own.

use super::plays;

fn played(cases: &[&str]) {
    for case in cases {
        plays("guests.py", &["--case", case]);
    }
}

#[test]
fn ses_1_ses_2_rev_1_the_python_sdk_is_a_guest_beside_another() {
    played(&["python-legacy", "python-modern"]);
}

#[test]
fn ses_1_ses_2_rev_1_fastmcp_is_a_guest_beside_another() {
    played(&["fastmcp-legacy", "fastmcp-modern"]);
}

#[test]
fn ses_1_ses_2_rev_1_the_typescript_sdk_of_version_1_is_a_guest_beside_another() {
    played(&["ts-old"]);
}

#[test]
fn ses_1_ses_2_rev_1_the_typescript_client_is_a_guest_beside_another() {
    played(&["ts-legacy", "ts-modern"]);
}

#[test]
fn ses_1_ses_2_rev_1_the_inspectors_mcpdo_is_a_guest_beside_another() {
    played(&["mcpdo-legacy", "mcpdo-modern"]);
}

#[test]
fn ses_2_rev_1_the_inspectors_commands_share_the_session_of_their_credential() {
    played(&["inspector"]);
}

#[test]
fn ses_2_auth_2_a_tool_that_the_url_names_waits_for_a_person() {
    played(&["preselected"]);
}

#[test]
fn ses_4_attack_9_a_token_is_taken_back_under_its_client() {
    played(&["token"]);
}

#[test]
fn act_5_ses_2_a_host_that_is_killed_comes_back_with_every_guests_set() {
    played(&["killed"]);
}

#[test]
fn ses_4_a_stream_ends_with_its_host() {
    played(&["drained"]);
}
