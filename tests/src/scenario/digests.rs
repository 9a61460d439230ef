//! Digests computed by a program that shares no code with this one.
//!
//! Is: `tests/clients/digests.py` on the spec's vectors. Is not: a server's listing; the fleet's test compares those.

use super::plays_alone;

#[test]
fn cat_3_another_language_makes_the_same_digests() {
    let said = plays_alone("digests.py", &[]);
    assert!(said.contains("vectors agree"), "{said}");
}
