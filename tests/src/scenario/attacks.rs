//! Hostile inputs of a client and its model, and servers that pose as the gateway, on the built host, over its real pipes and over HTTP.
//!
//! Is: `tests/clients/attacks.py`, `consent.py`, `states.py` and `poisoned.py`, a test for each case and way; `spec/attacks.md` says
//! which entry each is. Is not: a check of its own.

use super::plays;

/// The script that has a case.
fn script(case: &str) -> &'static str {
    match case {
        "19-modern" | "20" | "21" | "25" | "67" => "states.py",
        "18" | "19" | "22" | "23" | "24" | "26" | "32" | "33" | "34" => "consent.py",
        "37" | "38" | "41" | "46" | "55" | "66" => "poisoned.py",
        _ => "attacks.py",
    }
}

fn played(case: &str) {
    let transcript = plays(script(case), &["--case", case]);
    assert!(transcript.contains(&format!("all as it must be ({case})")), "{transcript}");
}

/// The same play, with clients that come over HTTP.
fn played_over_http(case: &str) {
    let transcript = plays(script(case), &["--case", case, "--http"]);
    assert!(transcript.contains(&format!("all as it must be ({case}, over HTTP)")), "{transcript}");
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

#[test]
fn attack_20_a_state_is_used_once_over_pipes() {
    played("20");
}

#[test]
fn attack_21_a_state_is_good_for_who_was_asked_over_pipes() {
    played("21");
}

#[test]
fn auth_4_attack_25_a_client_that_accepts_everything_over_pipes() {
    played("25");
}

#[test]
fn attack_1_over_http_what_is_not_active_is_answered_as_what_does_not_exist() {
    played_over_http("1");
}

#[test]
fn attack_2_over_http_whoever_has_the_token_gets_no_more() {
    played_over_http("2");
}

#[test]
fn attack_3_over_http_call_tool_meets_the_same_gate() {
    played_over_http("3");
}

#[test]
fn attack_4_over_http_a_builtin_is_no_id() {
    played_over_http("4");
}

#[test]
fn rev_2_attack_11_over_http_a_revoke_while_a_call_runs() {
    played_over_http("11");
}

#[test]
fn rev_2_attack_11_over_http_a_revoke_while_a_call_is_queued() {
    played_over_http("11-queued");
}

#[test]
fn attack_12_over_http_a_list_kept_by_a_client_is_no_authority() {
    played_over_http("12");
}

#[test]
fn attack_16_over_http_asking_for_too_much_gets_nothing() {
    played_over_http("16");
}

#[test]
fn attack_18_over_http_no_argument_is_a_yes() {
    played_over_http("18");
}

#[test]
fn attack_19_over_http_an_answer_to_no_question_or_another_is_none() {
    played_over_http("19");
}

#[test]
fn attack_19_over_http_a_state_of_no_question_is_none() {
    played_over_http("19-modern");
}

#[test]
fn attack_20_over_http_a_state_is_used_once() {
    played_over_http("20");
}

#[test]
fn attack_21_over_http_a_state_is_good_for_who_was_asked() {
    played_over_http("21");
}

#[test]
fn auth_3_attack_22_over_http_nothing_but_true_is_a_yes() {
    played_over_http("22");
}

#[test]
fn auth_5_attack_23_over_http_a_client_without_forms_is_sent_none() {
    played_over_http("23");
}

#[test]
fn auth_5_attack_24_over_http_a_client_that_never_answers_holds_nothing() {
    played_over_http("24");
}

#[test]
fn auth_4_attack_25_over_http_a_client_that_accepts_everything_is_not_enough() {
    played_over_http("25");
}

#[test]
fn auth_2_attack_33_over_http_a_yes_is_to_the_definition_that_was_shown() {
    played_over_http("33");
}

#[test]
fn auth_1_attack_34_over_http_no_server_speaks_for_the_gateway() {
    played_over_http("34");
}

#[test]
fn ses_4_attack_59_over_http_no_other_machine_is_listened_to_in_the_clear() {
    played_over_http("59");
}

#[test]
fn i_8_attack_67_over_http_a_kill_leaves_a_whole_grant_or_none() {
    played_over_http("67");
}

#[test]
fn cat_5_attack_37_no_place_of_a_definition_gives_orders_unseen() {
    played("37");
}

#[test]
fn auth_2_attack_38_words_about_another_servers_tool_change_nothing_of_it() {
    played("38");
}

#[test]
fn safe_1_attack_41_what_a_server_says_of_itself_is_not_believed() {
    played("41");
}

#[test]
fn id_1_attack_46_a_server_is_who_the_operator_says() {
    played("46");
}

#[test]
fn up_4_attack_55_answers_that_attack_are_answers_or_errors() {
    played("55");
}

#[test]
fn pol_1_attack_66_what_a_client_calls_itself_gives_it_nothing() {
    played("66");
}
