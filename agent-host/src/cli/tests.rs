//! Command lines, and lines for people.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use super::print::{moment, record};
use super::*;
use agent_core::time::Instant;
use agent_core::transition::{Record, Stream, Transition, Version};
use clap::CommandFactory;

fn parse(line: &str) -> Result<Cli, clap::Error> {
    Cli::try_parse_from(std::iter::once("agent-host").chain(line.split_whitespace()))
}

#[test]
fn the_command_line_is_consistent() {
    Cli::command().debug_assert();
}

#[test]
fn the_help_lists_every_exit_code_on_a_line_of_its_own() {
    let help = Cli::command().render_help().to_string();
    let codes = help.lines().skip_while(|line| *line != "Exit codes:").skip(1);
    let codes: Vec<_> = codes.map_while(|line| line.split_whitespace().next()?.parse::<u8>().ok()).collect();
    assert_eq!(codes, [0, 1, 2, 3, 4, 5, 6, 7, 8], "{help}");
    assert!(help.contains("\n  7  `approve`, `deny`, `accept`: nothing was decided.\n"), "{help}");
    let (options, globals) = help.split_once("Global options:").unwrap();
    assert!(globals.contains("--state") && !options.contains("--state"), "{help}");
    assert!(globals.contains("--at <URL>"), "{help}");
}

#[tokio::test]
async fn host_3_a_host_that_never_ran_has_no_sessions() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("agent-host.toml");
    std::fs::write(&config, "state = \"never\"").unwrap();
    let places = |state: Option<&str>| Places { config: Some(config.clone()), state: state.map(Into::into), profile: None };
    let here = Elsewhere::default();
    for json in [false, true] {
        for command in [|json| Operator::Sessions(List { json }), |json| Operator::Approvals(Approvals { json, watch: false })] {
            run(&places(None), &here, command(json)).await.unwrap();
            let slip = run(&places(Some("/nowhere/state")), &here, command(json)).await.unwrap_err();
            assert!(slip.text.contains("no store in `/nowhere/state`"), "{}", slip.text);
        }
    }
    assert!(!folder.path().join("never").exists());
}

#[test]
fn commands_are_read() {
    let session = format!("s_{:032x}", 7);
    assert!(matches!(parse("serve --config c.toml --profile work").unwrap().command, Command::Serve(_)));
    let scopes = [
        &format!("{session} mcp:time/now --state /tmp/s") as &str,
        "--everywhere mcp:time/now --running cancel",
        &format!("--session {session}"),
        "--principal ada --json",
        "--server time --running leave",
    ];
    for scope in scopes {
        assert!(matches!(parse(&format!("revoke {scope}")).unwrap().command, Command::Operator(Operator::Revoke(_))), "{scope}");
    }
    let both = format!("{session} mcp:time/now --server time");
    for slip in
        ["", &session, "mcp:time/now", "--everywhere time/now", "--server time --principal ada", &both, "--server time --running stop"]
    {
        assert!(parse(&format!("revoke {slip}")).is_err(), "{slip}");
    }
    assert!(matches!(parse(&format!("end {session}")).unwrap().command, Command::Operator(Operator::End(_))));
    let show = parse(&format!("audit show --session {session} --last 3 --json")).unwrap().command;
    assert!(matches!(show, Command::Operator(Operator::Audit(Audit::Show { session: Some(_), last: Some(3), json: true }))));
}

#[test]
fn cat_8_commands_about_the_lock_file_are_read() {
    let digest = "0".repeat(64);
    for good in [
        "sync",
        "sync time git --check",
        "diff mcp:time/now --json",
        "diff --server time --exit-code",
        "accept --server time --yes",
        &format!("accept mcp:time/now --expect {digest}"),
    ] {
        assert!(matches!(parse(good).unwrap().command, Command::Reviewer(_)), "{good}");
    }
    for slip in [
        "sync Time",
        "diff time",
        "diff mcp:time/now --server time",
        "accept",
        "accept mcp:time/now --expect 0",
        "accept mcp:time/now --server time",
        &format!("accept --server time --expect {digest}"),
    ] {
        assert_eq!(parse(slip).unwrap_err().exit_code(), Exit::Usage as i32, "{slip}");
    }
}

#[test]
fn host_3_answers_are_read() {
    let request = format!("r_{:032x}", 7);
    let digest = "ab".repeat(32);
    let approve = parse(&format!("approve {request} --yes --expect {digest} --strong --always")).unwrap().command;
    let Command::Operator(Operator::Approve(approve::Approving { answering, once: false, always: true })) = approve else { unreachable!() };
    let Answering { request: found, expect: Some(expect), yes: true, strong: true } = answering else { unreachable!() };
    assert_eq!((found.to_string(), expect.to_string()), (request.clone(), digest));
    assert!(matches!(parse(&format!("deny {request}")).unwrap().command, Command::Operator(Operator::Deny(_))));
    assert!(matches!(parse("approvals --watch").unwrap().command, Command::Operator(Operator::Approvals(_))));
    for line in [
        format!("approve {request} --yes"),
        format!("approve {request} --expect ab"),
        format!("approve {request} --once --always"),
        format!("deny {request} --always"),
        "standing revoke".to_owned(),
        "standing revoke ada time/now".to_owned(),
        "approve r_7".to_owned(),
        "approvals --watch --json".to_owned(),
    ] {
        assert_eq!(parse(&line).unwrap_err().exit_code(), Exit::Usage as i32, "{line}");
    }
}

#[test]
fn slips_are_refused_with_the_usage_code() {
    for line in
        ["run --linger 60", "revoke s_7 mcp:time/now", "revoke", "grant", "audit show --last x", "serve --standalone --profile ''x\u{200b}"]
    {
        assert_eq!(parse(line).unwrap_err().exit_code(), Exit::Usage as i32, "{line}");
    }
    let id = format!("revoke s_{:032x} time/now", 7);
    assert!(parse(&id).unwrap_err().to_string().contains("an id reads"));
}

#[test]
fn cat_5_a_record_is_one_line_without_hidden_characters() {
    let at = Instant { wall: 1_764_514_328_120, boot: 0, boot_id: 0 };
    let what = Transition::Refused { code: "not-active".to_owned(), about: "a\u{1b}[2J\nb".to_owned(), count: 1 };
    let line = record(&Record::link(3, Stream::Host, Version(0), at, what, Record::genesis()));
    assert_eq!(line.lines().count(), 1);
    assert!(line.starts_with("     3  2025-11-30T14:52:08.120Z  host  refused  {") && !line.contains('\u{1b}'), "{line}");
}

#[test]
fn moments_are_dates_in_utc() {
    let check = |wall, expect: &str| assert_eq!(moment(Instant { wall, boot: 0, boot_id: 0 }), expect);
    check(0, "1970-01-01T00:00:00.000Z");
    check(951_782_399_999, "2000-02-28T23:59:59.999Z");
    check(951_868_800_000, "2000-03-01T00:00:00.000Z");
    check(4_107_542_400_000, "2100-03-01T00:00:00.000Z");
}

#[test]
fn attack_30_a_tampered_record_writes_nothing_raw_to_the_terminal() {
    use agent_engine::ledger::{Commit, Guard, Ledger, Write};
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state");
    let ledger = crate::store::SqliteLedger::open(&state).unwrap();
    let at = Instant { wall: 1, boot: 0, boot_id: 0 };
    let write = Write { stream: Stream::Host, guard: Guard::Follow, what: Transition::Stopped { by: "x".to_owned(), since: None } };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(ledger.commit(Commit { at, seen: vec![], writes: vec![write] })).unwrap();
    drop(ledger);
    let db = rusqlite::Connection::open(state.join("ledger.sqlite")).unwrap();
    let body = r#"{"at":{"wall":1,"boot":0,"boot_id":0},"what":{"kind":"\u001b[2K\rthe chain is whole: 1 records\u001b[8m"}}"#;
    db.execute("UPDATE record SET body = ?1", [body]).unwrap();
    drop(db);
    let failed = audit::verify(&state).unwrap_err();
    assert!(!failed.text.contains('\u{1b}') && !failed.text.contains('\r'), "{:?}", failed.text);
}
