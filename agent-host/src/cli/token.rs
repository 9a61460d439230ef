//! `token create`, `list` and `revoke`: bearer tokens, by the running host or here where none runs.
//!
//! Is: the secret on standard output, once, and everything else beside it. Is not: a place where one is kept.
//! Clause: SES-4 (tokens).

use super::far::At;
use super::operator::{done, done_under, in_effect, odd};
use super::print::{Out, counted, json, moment, print, tell};
use super::table::{table, width};
use super::{Exit, Failure, List, Places};
use crate::admin::{Lifetime, Ordered, Request, Response};
use crate::store::StoreError;
use agent_core::safety::visible;
use agent_core::session::{PrincipalId, TokenId, TokenNote};
use agent_core::token::TokenRecord;
use clap::{Args, Subcommand};

#[cfg(test)]
mod tests;

#[derive(Debug, Subcommand)]
pub(crate) enum Token {
    /// Make a token and print it, once. `--profile` is the profile of what its bearer does.
    Create(Create),
    /// List the tokens that stand.
    List(List),
    /// Take a token back. What was opened by it ends.
    Revoke(Revoke),
}

#[derive(Debug, Args)]
pub(crate) struct Create {
    /// Whom its bearer is taken for.
    #[arg(long, value_name = "NAME", value_parser = PrincipalId::parse)]
    principal: PrincipalId,
    /// How long it stands, such as `30m`, `12h` or `30d`, or `never`.
    #[arg(long, value_name = "TIME", default_value = "90d", value_parser = lifetime)]
    ttl: Lifetime,
    /// Let it stand in a URL (`/s/TOKEN/mcp`), for a client that can set nothing else. Others may see a URL.
    #[arg(long)]
    url: bool,
    /// What it is for, to know it again in the list.
    #[arg(long, value_name = "TEXT", value_parser = TokenNote::parse)]
    note: Option<TokenNote>,
    /// One JSON document, with the token in it.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Revoke {
    /// The token's id, as `token list` shows it.
    #[arg(value_name = "ID", value_parser = id)]
    id: TokenId,
}

fn lifetime(text: &str) -> Result<Lifetime, String> {
    text.to_owned().try_into()
}

fn id(text: &str) -> Result<TokenId, &'static str> {
    TokenId::parse(text).ok_or("a token's id is `t_` and 32 hexadecimal digits, as `token list` shows it")
}

/// `fresh`: no host ever ran on the folder, and nobody named it.
pub(super) async fn run(places: &Places, at: At<'_>, fresh: bool, command: Token) -> Result<(), Failure> {
    match command {
        Token::Create(create) => made(places, at, fresh, create).await,
        Token::List(options) => list(at, fresh, options.json).await,
        Token::Revoke(options) => revoke(at, options.id).await,
    }
}

async fn made(places: &Places, at: At<'_>, fresh: bool, create: Create) -> Result<(), Failure> {
    match at {
        At::Here(state) if !fresh && !state.exists() => return Err(StoreError::Missing(state.to_owned()).into()),
        _ => {}
    }
    let Create { principal, ttl, url, note, json: as_json } = create;
    // A running host judges by the policy in force there. Without one it is the file's, and a host without a file has no
    // profiles.
    let config = if at.is_far() { None } else { places.read_again()? };
    let policy = config.map(|config| config.policy).unwrap_or_default();
    let token = Ordered { principal, profile: places.profile.clone(), ttl, url, note };
    let response = done_under(at, &policy, Request::CreateToken { token }).await?;
    let Response::TokenMade { secret, token } = &response else { return Err(odd()) };
    let lines = if as_json { json(&response)? } else { vec![secret.0.reveal()] };
    let mut out = Out::new();
    if lines.iter().try_for_each(|line| out.line(line)).is_break() {
        let text = format!("the token was made and nobody read it\nhint: `agent-host token revoke {}`, then make another", token.id);
        return Err(Failure::new(Exit::Failed, text));
    }
    if !as_json {
        told(token).iter().for_each(|line| tell(line));
    }
    Ok(())
}

/// What is said beside a token that was just made.
fn told(token: &TokenRecord) -> Vec<String> {
    let profile = token.profile.as_ref().map(|profile| format!(", profile {profile}")).unwrap_or_default();
    let ends = token.until.map_or("it has no end but a revoke".to_owned(), |until| format!("it stands until {}", moment(until)));
    let mut lines = vec![
        format!("token {} of {}{profile}; {ends}", token.id, token.principal),
        "it is shown this once: whoever has it is taken for that principal".to_owned(),
    ];
    if token.url {
        lines.push("it may stand in a URL, `/s/TOKEN/mcp`: keep that URL as you would the token".to_owned());
    }
    lines.push(format!("`agent-host token revoke {}` takes it back", token.id));
    lines
}

async fn list(at: At<'_>, fresh: bool, as_json: bool) -> Result<(), Failure> {
    let tokens = match fresh {
        true => Vec::new(),
        false => match done(at, Request::Tokens {}).await? {
            Response::Tokens { tokens } => tokens,
            _ => return Err(odd()),
        },
    };
    print(&if as_json { json(&tokens)? } else { listed(&tokens) });
    Ok(())
}

fn listed(tokens: &[TokenRecord]) -> Vec<String> {
    if tokens.is_empty() {
        return vec!["no tokens".to_owned()];
    }
    let text = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    let row = |token: &TokenRecord| {
        vec![
            token.id.to_string(),
            token.principal.to_string(),
            text(token.profile.as_ref().map(ToString::to_string)),
            moment(token.made),
            token.until.map_or("never".to_owned(), moment),
            if token.url { "header or URL" } else { "header" }.to_owned(),
            text(token.note.as_ref().map(ToString::to_string)),
        ]
    };
    let rows: Vec<_> = tokens.iter().map(row).collect();
    let mut lines = table(&["ID", "PRINCIPAL", "PROFILE", "MADE", "UNTIL", "IN", "NOTE"], &rows, width());
    lines.push(counted(tokens.len(), "token"));
    lines
}

async fn revoke(at: At<'_>, id: TokenId) -> Result<(), Failure> {
    let Response::TokenRevoked { known, recorded } = done(at, Request::RevokeToken { id }).await? else { return Err(odd()) };
    if !known {
        let text = format!("nothing was taken back: {id} is no token that stands\nhint: `agent-host token list` shows those that do");
        return Err(Failure::new(Exit::Nothing, text));
    }
    in_effect(&[visible(&format!("{id} is taken back; nobody is let in by it any more"))], recorded)
}
