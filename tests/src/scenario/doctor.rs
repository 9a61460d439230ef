//! What `doctor` says of setups that are well and of broken ones, and whether a host under a user of its own is one.
//!
//! Is: `tests/clients/doctor.py` and `tests/clients/apart.py`. Is not: a check of its own.

use super::plays_alone;

fn host() -> String {
    super::built().1.join("agent-host").to_str().unwrap().to_owned()
}

#[test]
fn auth_9_doctor_tells_what_is_wrong_of_each_broken_setup() {
    let transcript = plays_alone("doctor.py", &["--host", &host()]);
    assert!(transcript.contains("all as it must be (doctor)"), "{transcript}");
}

/// The recipe of `docs/src/boundary.md`. Becoming another user takes root; without it the play says that it was skipped, and why.
#[test]
fn auth_9_auth_4_a_host_of_a_separate_user_holds_against_its_clients_shell() {
    let transcript = plays_alone("apart.py", &["--host", &host()]);
    assert!(transcript.contains("all as it must be (apart)") || transcript.contains("skipped: not root"), "{transcript}");
}
