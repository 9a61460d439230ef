//! Logins at a server of another SDK.
//!
//! Is: `tests/clients/login.py`, a test for each case. Is not: a check of its own.

use super::plays;

#[test]
fn up_10_a_login_is_kept_for_its_owner_alone_and_forgotten() {
    plays("login.py", &["--case", "kept"]);
}

#[test]
fn up_10_what_is_behind_a_login_is_used_with_it_or_says_what_it_lacks() {
    plays("login.py", &["--case", "used"]);
}

#[test]
fn up_1_each_principal_acts_as_itself() {
    plays("login.py", &["--case", "own"]);
}

#[test]
fn up_1_a_principal_has_a_login_of_its_own_where_the_operator_says_so() {
    plays("login.py", &["--case", "whose"]);
}
