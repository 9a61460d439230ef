//! Servers in trouble under load, beside others that must not notice.
//!
//! Is: `tests/clients/load.py`, which says what must come of it. Is not: a measure of speed; `benches` compares medians.

use super::plays;

#[test]
fn up_1_killed_hung_and_slow_servers_cost_no_session_but_their_own() {
    plays("load.py", &["--case", "beside"]);
}
