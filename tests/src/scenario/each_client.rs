//! One conversation through each real client: found, asked for, allowed, called, given up, revoked, refused.
//!
//! Is: `tests/clients/each_client.py`, which says what must come of it, with the clients of `real.py` in the eras that they speak. Once
//! a person says yes in the client, once at a terminal of their own. And `inspector.py`, the Inspector's `--cli`, whose session is one command
//! long. Is not: a check of its own.

use super::plays;

/// Plays the conversation through each of the clients, with the yes said there.
fn allowed(place: &str, clients: &[&str]) {
    for client in clients {
        plays("each_client.py", &["--case", &format!("{client}:{place}")]);
    }
}

#[test]
fn auth_5_ses_2_the_python_sdk_shows_forms() {
    allowed("form", &["python-legacy", "python-modern"]);
}

#[test]
fn auth_5_ses_2_fastmcp_shows_forms() {
    allowed("form", &["fastmcp-legacy", "fastmcp-modern"]);
}

#[test]
fn auth_5_ses_2_the_typescript_sdk_of_version_1_shows_forms() {
    allowed("form", &["ts-old"]);
}

#[test]
fn auth_5_ses_2_the_typescript_client_shows_forms() {
    allowed("form", &["ts-legacy", "ts-modern"]);
}

#[test]
fn auth_5_ses_2_the_inspectors_mcpdo_shows_forms() {
    allowed("form", &["mcpdo-legacy", "mcpdo-modern"]);
}

#[test]
fn auth_2_rev_1_a_terminal_answers_what_the_python_sdk_waits_for() {
    allowed("terminal", &["python-legacy", "python-modern"]);
}

#[test]
fn auth_2_rev_1_a_terminal_answers_what_fastmcp_waits_for() {
    allowed("terminal", &["fastmcp-legacy", "fastmcp-modern"]);
}

#[test]
fn auth_2_rev_1_a_terminal_answers_what_the_typescript_sdk_of_version_1_waits_for() {
    allowed("terminal", &["ts-old"]);
}

#[test]
fn auth_2_rev_1_a_terminal_answers_what_the_typescript_client_waits_for() {
    allowed("terminal", &["ts-legacy", "ts-modern"]);
}

#[test]
fn auth_2_rev_1_a_terminal_answers_what_the_inspectors_mcpdo_waits_for() {
    allowed("terminal", &["mcpdo-legacy", "mcpdo-modern"]);
}

#[test]
fn auth_5_ses_2_the_inspectors_command_waits_and_its_session_ends_with_it() {
    plays("inspector.py", &["--case", "waits"]);
}

#[test]
fn act_9_the_inspectors_command_calls_what_is_active_from_the_start() {
    plays("inspector.py", &["--case", "preset"]);
}
