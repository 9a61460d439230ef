//! The official conformance suite of MCP, over HTTP, in both eras.
//!
//! Is: `tests/clients/conformance.py`, a test for each case. What is not passed, and why, stands in `tests/data/conformance-*.yml`. Is not: a check
//! of its own.

use super::plays;

fn conforms(case: &str) {
    plays("conformance.py", &["--case", case]);
}

#[test]
fn ses_2_ses_4_up_6_the_suite_finds_what_is_expected_in_the_legacy_era() {
    conforms("legacy");
}

#[test]
fn ses_2_ses_4_up_6_the_suite_finds_what_is_expected_in_the_modern_era() {
    conforms("modern");
}

#[test]
fn ses_2_the_suite_finds_the_same_in_the_legacy_era_where_a_handle_would_name_a_conversation() {
    conforms("legacy-handle");
}

#[test]
fn ses_2_the_suite_finds_what_is_expected_in_the_modern_era_where_a_handle_names_a_conversation() {
    conforms("modern-handle");
}

#[test]
fn up_1_http_the_suite_finds_the_same_in_the_legacy_era_with_its_server_behind_a_url() {
    conforms("legacy-far");
}

#[test]
fn up_1_http_the_suite_finds_the_same_in_the_modern_era_with_its_server_behind_a_url() {
    conforms("modern-far");
}
