//! Tasks of a real server behind the real thing, and a real client in front of it.
//!
//! Is: `tests/clients/tasks.py`, a test for each case. Is not: a check of its own.

use super::plays;

#[test]
fn up_8_a_task_is_relayed_from_its_begin_to_its_end() {
    plays("tasks.py", &["--case", "stdio"]);
}

#[test]
fn up_8_a_task_over_http_is_its_own_principals_alone() {
    plays("tasks.py", &["--case", "http"]);
}

#[test]
fn up_8_a_client_that_takes_no_tasks_is_answered_or_told_why_not() {
    plays("tasks.py", &["--case", "plain"]);
}
