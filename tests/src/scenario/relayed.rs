//! Prompts and resources of real servers behind the real thing, in both eras.
//!
//! Is: `tests/clients/relayed.py`, a test for each case. Is not: a check of its own.

use super::plays;

#[test]
fn up_6_prompts_and_resources_are_relayed_to_a_legacy_client() {
    plays("relayed.py", &["--case", "legacy"]);
}

#[test]
fn up_6_prompts_and_resources_are_relayed_to_a_modern_client() {
    plays("relayed.py", &["--case", "modern"]);
}

#[test]
fn up_6_where_nothing_is_relayed_there_are_no_such_methods() {
    plays("relayed.py", &["--case", "none"]);
}

#[test]
fn up_6_ses_2_prompts_and_resources_are_relayed_where_handles_name_sessions() {
    plays("relayed.py", &["--case", "handles"]);
}
