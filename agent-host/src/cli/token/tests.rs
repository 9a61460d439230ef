#![allow(clippy::unwrap_used)]
use super::*;
use crate::cli::{Cli, Command, Elsewhere, Operator};
use agent_core::session::ProfileId;
use agent_core::time::Instant;
use clap::Parser;

fn parse(line: &str) -> Result<Token, clap::Error> {
    let cli = Cli::try_parse_from(std::iter::once("agent-host").chain(line.split_whitespace()))?;
    let Command::Operator(Operator::Token(token)) = cli.command else { unreachable!() };
    Ok(token)
}

fn record(until: Option<Instant>) -> TokenRecord {
    let made = Instant { wall: 1_764_514_328_120, boot: 0, boot_id: 0 };
    TokenRecord {
        id: TokenId::new(7),
        principal: PrincipalId::parse("ada").unwrap(),
        profile: Some(ProfileId::parse("work").unwrap()),
        digest: agent_core::token::Token::new(1, 2).digest(),
        url: until.is_none(),
        note: None,
        made,
        until: until.map(|_| made.after(1000)),
    }
}

#[test]
fn ses_4_commands_about_tokens_are_read() {
    let Token::Create(create) = parse("token create --principal ada").unwrap() else { unreachable!() };
    assert_eq!((create.ttl.to_string(), create.url), ("90d".to_owned(), false), "a token ends unless told otherwise");
    let Token::Create(create) = parse("token create --principal ada --profile work --ttl never --url --note ci --json").unwrap() else {
        unreachable!()
    };
    assert!(create.ttl == Lifetime(None) && create.url && create.json && create.note.unwrap().as_str() == "ci");
    assert!(matches!(parse("token list --json").unwrap(), Token::List(List { json: true })));
    assert!(matches!(parse(&format!("token revoke t_{:032x}", 7)).unwrap(), Token::Revoke(Revoke { id }) if id == TokenId::new(7)));
    for slip in [
        "token",
        "token create",
        "token create --principal ada --ttl 30",
        "token create --principal ada --ttl 4000d",
        "token revoke",
        &format!("token revoke s_{:032x}", 7),
        &format!("token revoke aht_{:064x}", 7),
    ] {
        assert_eq!(parse(slip).unwrap_err().exit_code(), Exit::Usage as i32, "{slip}");
    }
}

#[test]
fn ses_4_what_stands_beside_a_token_says_when_it_ends_and_where_it_may_stand() {
    let now = Instant { wall: 0, boot: 0, boot_id: 0 };
    let short = told(&record(Some(now))).join("\n");
    assert!(short.contains("of ada, profile work; it stands until 2025-11-30T14:52:09.120Z") && !short.contains("URL"), "{short}");
    let long = told(&record(None)).join("\n");
    assert!(long.contains("it has no end but a revoke") && long.contains("`/s/TOKEN/mcp`"), "{long}");
    let lines = listed(&[record(Some(now)), record(None)]);
    assert!(lines.len() == 4 && lines.last().unwrap() == "2 tokens", "{lines:#?}");
    assert!(!lines.join("\n").contains(&record(None).digest.to_string()));
    assert_eq!(listed(&[]), ["no tokens"]);
}

#[tokio::test]
async fn ses_4_a_folder_that_was_named_and_is_not_there_is_a_slip() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("agent-host.toml");
    std::fs::write(&config, "state = \"never\"").unwrap();
    let places = |state: Option<&str>| Places { config: Some(config.clone()), state: state.map(Into::into), profile: None };
    for line in ["token create --principal ada", "token list", &format!("token revoke t_{:032x}", 7)] {
        let slip = crate::cli::run(&places(Some("/nowhere/state")), &Elsewhere::default(), Operator::Token(parse(line).unwrap()))
            .await
            .unwrap_err();
        assert!(slip.text.contains("no store in `/nowhere/state`"), "{}", slip.text);
    }
    crate::cli::run(&places(None), &Elsewhere::default(), Operator::Token(parse("token list").unwrap())).await.unwrap();
    assert!(!folder.path().join("never").exists());
}
