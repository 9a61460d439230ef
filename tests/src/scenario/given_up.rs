//! Calls that clients over HTTP give up.
//!
//! Is: `tests/clients/given_up.py`, a test for each case. Is not: a check of its own.

use super::plays;

fn given_up(case: &str) {
    plays("given_up.py", &["--case", case, "--http"]);
}

#[test]
fn up_6_over_http_a_closed_stream_gives_its_call_up() {
    given_up("direct");
}

#[test]
fn up_6_over_http_a_closed_stream_gives_up_a_call_that_tells_its_progress() {
    given_up("progress");
}

#[test]
fn up_6_over_http_a_closed_stream_gives_up_a_call_of_a_credentials_conversation() {
    given_up("credential");
}

#[test]
fn up_6_over_http_a_legacy_call_is_given_up_by_a_notice_alone() {
    given_up("legacy");
}
