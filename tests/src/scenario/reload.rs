//! A configuration that changes under a real client: by its file, by a signal, by the command.
//!
//! Is: `tests/clients/reload.py`, with a shared host and without. Is not: a check of its own.

use super::plays;

#[test]
fn host_2_pol_2_a_shared_host_reloads_under_its_clients() {
    let transcript = plays("reload.py", &[]);
    assert!(transcript.contains("all as it must be (under)"), "{transcript}");
}

#[test]
fn host_2_pol_2_a_standalone_host_reloads_under_its_client() {
    plays("reload.py", &["--standalone"]);
}
