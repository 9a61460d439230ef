//! Operators who log in to the console at a real OpenID provider, and those who would like to.
//!
//! Is: `tests/clients/oidc.py`, whose cases say what each checks, with `tests/servers/persons.py` as the provider. Is not: a check of its own.
//! Clause: AUTH-4 (OIDC).

use super::plays;

fn played(case: &str) {
    let transcript = plays("oidc.py", &["--case", case]);
    assert!(transcript.contains(&format!("all as it must be ({case})")), "{transcript}");
}

#[test]
fn auth_4_oidc_an_operator_is_whom_the_provider_names_and_her_yes_is_strong() {
    played("signs");
}

#[test]
fn auth_4_oidc_attack_27_attack_61_attack_62_no_other_answer_is_a_login() {
    played("attacks");
}

#[test]
fn auth_4_oidc_an_email_counts_where_it_is_verified_and_demands_are_kept() {
    played("email");
}

#[test]
fn auth_4_oidc_attack_35_beyond_loopback_cookies_are_of_one_host_over_tls() {
    played("tls");
}

#[test]
fn auth_4_oidc_in_a_browser_from_the_login_page_to_a_strong_yes() {
    played("browser");
}
