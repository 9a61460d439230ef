//! The official conformance suite of MCP, over HTTP, in both eras.
//!
//! Is: `tests/clients/conformance.py`, a test for each era. What is not passed, and why, stands in `tests/data/conformance-*.yml`. Is not: a check
//! of its own.

use super::plays;

#[test]
fn ses_2_ses_4_up_6_the_suite_finds_what_is_expected_in_the_legacy_era() {
    plays("conformance.py", &["--case", "legacy"]);
}

#[test]
fn ses_2_ses_4_up_6_the_suite_finds_what_is_expected_in_the_modern_era() {
    plays("conformance.py", &["--case", "modern"]);
}
