//! Clients over HTTP by a certificate of the host's own.
//!
//! Is: `tests/clients/tls.py`. Is not: a check of its own.

use super::plays;

#[test]
fn ses_4_tls_is_spoken_by_a_certificate_that_can_be_renewed() {
    plays("tls.py", &[]);
}
