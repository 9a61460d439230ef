//! Five real servers behind the built host, from their first sync to their end.
//!
//! Is: `tests/clients/fleet.py`. Is not: a check of its own.

use super::plays;

#[test]
fn cat_3_cat_7_up_1_five_real_servers() {
    let transcript = plays("fleet.py", &[]);
    assert!(transcript.contains("all as it must be (fleet)"), "{transcript}");
}
