//! What `doctor` says of setups that are well and of broken ones.
//!
//! Is: `tests/clients/doctor.py`. Is not: a check of its own.

use super::plays_alone;

fn host() -> String {
    super::built().1.join("agent-host").to_str().unwrap().to_owned()
}

#[test]
fn auth_9_doctor_tells_what_is_wrong_of_each_broken_setup() {
    let transcript = plays_alone("doctor.py", &["--host", &host()]);
    assert!(transcript.contains("all as it must be (doctor)"), "{transcript}");
}
