//! Two clients under one host, and a host that is killed under them.
//!
//! Is: `tests/clients/shared.py`, a test for each case. Is not: a check of its own.

use super::plays;

#[test]
fn host_1_rev_1_rev_4_two_clients_have_a_set_each_under_one_host() {
    plays("shared.py", &["--case", "two"]);
}

#[test]
fn host_1_act_5_aud_1_a_host_that_is_killed_comes_back_with_what_it_had() {
    plays("shared.py", &["--case", "killed"]);
}
