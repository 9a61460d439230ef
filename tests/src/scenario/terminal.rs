//! A person at a terminal of their own, beside a client that shows no forms and a server that attacks the terminal.
//!
//! Is: `tests/clients/terminal.py`, a test for each case, at a pseudo-terminal. Is not: a check of its own.

use super::plays;

#[test]
fn auth_2_auth_3_attack_23_attack_30_a_person_approves_at_a_terminal() {
    plays("terminal.py", &["--case", "approve"]);
}

#[test]
fn auth_5_attack_30_requests_come_and_go_on_the_screen() {
    plays("terminal.py", &["--case", "watch"]);
}

#[test]
fn auth_6_pol_4_a_yes_for_one_call_and_a_yes_for_good() {
    plays("terminal.py", &["--case", "kinds"]);
}

#[test]
fn auth_5_two_operators_at_once_are_told_who_decided() {
    plays("terminal.py", &["--case", "race"]);
}

#[test]
fn auth_4_attack_25_a_passphrase_answers_where_a_rule_demands_it() {
    plays("terminal.py", &["--case", "passphrase"]);
}
