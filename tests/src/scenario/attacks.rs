//! Hostile inputs of a client and its model, and servers that pose as the gateway, on the built host and its real pipes.
//!
//! Is: `tests/clients/attacks.py` and `consent.py`, a test for each case; `spec/attacks.md` says which entry each is. Is not: a check of its
//! own.

use super::plays;

/// Up to 17 an attack is on enforcement, ids and sessions; from 18 on, on a yes.
fn played(case: &str) {
    let number: u32 = case.split('-').next().unwrap().parse().unwrap();
    let script = if number < 18 { "attacks.py" } else { "consent.py" };
    let transcript = plays(script, &["--case", case]);
    assert!(transcript.contains(&format!("all as it must be ({case})")), "{transcript}");
}

#[test]
fn attack_1_what_is_not_active_is_answered_as_what_does_not_exist() {
    played("1");
}

#[test]
fn attack_2_a_program_beside_the_client_gets_no_more() {
    played("2");
}

#[test]
fn attack_3_call_tool_meets_the_same_gate() {
    played("3");
}

#[test]
fn attack_4_a_builtin_is_no_id() {
    played("4");
}

#[test]
fn ses_1_attack_6_ids_are_not_guessed() {
    played("6");
}

#[test]
fn host_1_attack_8_two_clients_hold_nothing_in_common() {
    played("8");
}

#[test]
fn ses_1_attack_9_what_ended_is_worth_nothing() {
    played("9");
}

#[test]
fn rev_2_attack_11_a_revoke_while_a_call_runs() {
    played("11");
}

#[test]
fn rev_2_attack_11_a_revoke_while_a_call_is_queued() {
    played("11-queued");
}

#[test]
fn attack_12_a_list_kept_by_a_client_is_no_authority() {
    played("12");
}

#[test]
fn attack_16_asking_for_too_much_gets_nothing() {
    played("16");
}

#[test]
fn auth_6_attack_17_a_flood_of_requests_asks_a_person_once() {
    played("17");
}

#[test]
fn attack_18_no_argument_is_a_yes() {
    played("18");
}

#[test]
fn attack_19_an_answer_to_no_question_or_another_is_none() {
    played("19");
}

#[test]
fn auth_3_attack_22_nothing_but_true_is_a_yes() {
    played("22");
}

#[test]
fn auth_5_attack_23_a_client_without_forms_is_sent_none() {
    played("23");
}

#[test]
fn auth_5_attack_24_a_client_that_never_answers_holds_nothing() {
    played("24");
}

#[test]
fn auth_4_attack_26_what_an_answer_says_of_itself_is_nothing() {
    played("26");
}

#[test]
fn cat_5_attack_32_hidden_text_hides_from_nobody() {
    played("32");
}

#[test]
fn auth_2_attack_33_a_yes_is_to_the_definition_that_was_shown() {
    played("33");
}

#[test]
fn auth_1_attack_34_no_server_speaks_for_the_gateway() {
    played("34");
}
