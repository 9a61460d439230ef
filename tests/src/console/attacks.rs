//! Attacks on an operator's browser, and on the console from beside the client.
//!
//! Is: a story of `tests/clients/console` each; `spec/attacks.md` says which entry each is. Is not: a check of its own.

use super::played;
use crate::scenario::plays;

#[test]
fn attack_27_attack_28_attack_35_a_strangers_page_decides_nothing_and_frames_nothing() {
    played("origins");
}

#[test]
fn attack_29_a_link_is_no_authority() {
    played("link");
}

#[test]
fn attack_31_markup_of_a_server_is_text_on_every_page() {
    played("markup");
}

#[test]
fn attack_26_attack_35_the_cookie_goes_nowhere_and_no_token_is_a_login() {
    played("cookie");
}

#[test]
fn auth_4_attack_26_the_models_shell_can_say_no_strong_yes() {
    let transcript = plays("beside_console.py", &[]);
    assert!(transcript.contains("all as it must be (shell)"), "{transcript}");
}
