//! The desktop's notifications, with a program of the test's own in place of the desktop's.
//!
//! Is: `tests/clients/notify.py`, a test for each case. Is not: a check of its own.

use super::plays;

#[test]
fn auth_5_no_notification_unless_the_file_says_so() {
    plays("notify.py", &["--case", "off"]);
}

#[test]
fn auth_5_a_notification_says_how_many_wait_and_no_more() {
    plays("notify.py", &["--case", "on"]);
}

#[test]
fn auth_5_a_notification_that_hangs_holds_nothing_up() {
    plays("notify.py", &["--case", "hangs"]);
}
