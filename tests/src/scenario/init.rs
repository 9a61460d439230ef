//! Other clients' servers, taken over by a person at a terminal.
//!
//! Is: `tests/clients/init.py`. Is not: a check of its own; what each file becomes is in `import`.

use super::plays;

#[test]
fn up_2_auth_3_attack_63_nothing_of_a_checkout_runs_before_a_yes_at_a_terminal() {
    plays("init.py", &[]);
}
