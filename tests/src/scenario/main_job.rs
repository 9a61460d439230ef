//! The main job and its variants on real input: the Python MCP client in front, two real servers behind.
//!
//! Is: `tests/clients/main_job.py`, a test for each case. Is not: a check of its own.

use super::plays;

#[test]
fn blt_1_gate_3_rev_1_the_main_job() {
    let transcript = plays("main_job.py", &["--case", "main"]);
    assert!(transcript.contains("all as it must be (main)"), "{transcript}");
}

#[test]
fn host_1_the_main_job_without_a_shared_host() {
    plays("main_job.py", &["--case", "main", "--standalone"]);
}

#[test]
fn auth_6_a_no_is_remembered() {
    plays("main_job.py", &["--case", "decline"]);
}

#[test]
fn auth_1_a_policy_that_says_yes_asks_nobody() {
    plays("main_job.py", &["--case", "auto"]);
}

#[test]
fn pol_1_a_policy_that_says_no_asks_nobody() {
    plays("main_job.py", &["--case", "deny"]);
}

#[test]
fn auth_5_a_client_without_forms_is_told_pending() {
    plays("main_job.py", &["--case", "silent"]);
}
