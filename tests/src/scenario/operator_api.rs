//! The operator's API over TCP, at a host that runs: strangers, roles, two operators at once, a terminal elsewhere, and a fuzzer.
//!
//! Is: `tests/clients/operator_api.py`, a test for each case. Is not: a check of its own.

use super::plays;

#[test]
fn host_3_attack_26_attack_57_attack_58_attack_64_the_api_lets_in_who_is_logged_in_and_as_far_as_they_may() {
    plays("operator_api.py", &["--case", "rules"]);
}

#[test]
fn host_3_an_operators_commands_are_asked_of_a_host_elsewhere() {
    plays("operator_api.py", &["--case", "terminal"]);
}

#[test]
fn host_3_a_fuzzer_finds_the_api_as_its_document_says() {
    plays("operator_api.py", &["--case", "fuzz"]);
}
