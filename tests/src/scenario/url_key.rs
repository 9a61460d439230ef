//! The token in a client's URL is shown nowhere.
//!
//! Is: `tests/clients/url_key.py`. Is not: a check of its own.

use super::plays;

#[test]
fn ses_4_a_token_in_a_url_is_in_no_answer_log_record_or_page() {
    plays("url_key.py", &[]);
}
