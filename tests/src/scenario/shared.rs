//! Two clients under one host, a host that is killed under them, and what is none.
//!
//! Is: `tests/clients/shared.py` and a case of `beside_host.py`, a test for each. Is not: a check of its own.

use super::plays;

#[test]
fn host_1_rev_1_rev_4_two_clients_have_a_set_each_under_one_host() {
    plays("shared.py", &["--case", "two"]);
}

#[test]
fn host_1_act_5_aud_1_a_host_that_is_killed_comes_back_with_what_it_had() {
    plays("shared.py", &["--case", "killed"]);
}

#[test]
fn host_1_another_users_program_is_no_host() {
    plays("beside_host.py", &["--case", "stranger"]);
}
