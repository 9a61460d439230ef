//! A real server that asks in the middle of a call, a client without forms, and operators who answer.
//!
//! Is: `tests/clients/questions.py`, a test for each case. Is not: a check of its own.

use super::plays;

#[test]
fn auth_8_a_legacy_servers_questions_are_answered_by_operators() {
    plays("questions.py", &["--case", "legacy"]);
}

#[test]
fn auth_8_a_modern_servers_questions_are_answered_by_operators() {
    plays("questions.py", &["--case", "modern"]);
}

#[test]
fn auth_8_where_the_operator_said_nothing_a_server_asks_nobody() {
    plays("questions.py", &["--case", "off"]);
}
