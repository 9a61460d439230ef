//! What operators do all day: answer, take back, decide at the same time, with scripts and without.
//!
//! Is not: a check of its own.

use super::played;
use crate::scenario::plays;

#[test]
fn auth_2_auth_3_console_a_request_appears_by_itself_and_is_approved_by_keyboard() {
    let transcript = played("approve");
    println!("{}", transcript.lines().find(|line| line.contains("a request is shown after")).unwrap());
}

#[test]
fn rev_2_console_what_is_taken_back_in_the_page_is_refused() {
    played("revoke");
}

#[test]
fn auth_3_console_of_two_decisions_one_stands() {
    played("race");
}

#[test]
fn auth_3_rev_2_console_everything_works_without_scripts() {
    played("plain");
}

#[test]
fn console_no_page_has_a_barrier() {
    played("barriers");
}

#[test]
fn console_its_address_is_opened_where_somebody_asks() {
    plays("beside_host.py", &["--case", "opens"]);
}
