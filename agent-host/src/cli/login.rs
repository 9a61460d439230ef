//! `login` and `logout`: a person's yes at a server's authorization server, and its end.
//!
//! Is: which login is meant, and what a person reads meanwhile. Is not: the protocol, nor a token; neither is printed.
//! Clauses: UP-1 (identity), UP-10.

use super::lack::Lack;
use super::print::{print, tell};
use super::{Exit, Failure, Places};
use crate::config::{Config, Identity};
use crate::login::{Begun, Login, Logins, Tokens, is_operator};
use agent_core::id::Alias;
use agent_core::safety::visible;
use agent_core::session::PrincipalId;
use clap::{Args, Subcommand};
use std::path::Path;
use url::Url;

/// Logins at servers behind URLs.
#[derive(Debug, Subcommand)]
pub(crate) enum Visitor {
    /// Log in at a server behind a URL, with a browser.
    Login(LogIn),
    /// Forget a login at a server.
    Logout(Whose),
}

#[derive(Debug, Args)]
pub(crate) struct Whose {
    /// The server's name in the configuration.
    #[arg(value_name = "NAME", value_parser = Alias::parse)]
    server: Alias,
    /// Whose login it is, where the server has `identity = "per-principal"`, in place of the operator's.
    #[arg(long, value_name = "NAME", value_parser = PrincipalId::parse)]
    principal: Option<PrincipalId>,
}

#[derive(Debug, Args)]
pub(crate) struct LogIn {
    #[command(flatten)]
    whose: Whose,
    /// Ask for this, too, besides what the login has had; may be given more than once.
    #[arg(long = "scope", value_name = "SCOPE")]
    scopes: Vec<String>,
    /// Print the page's address and open no browser.
    #[arg(long)]
    no_browser: bool,
}

/// Runs a command about logins.
///
/// # Errors
/// [`Failure`] with what to print and the code to end with.
pub(crate) async fn visit(places: &Places, command: Visitor) -> Result<(), Failure> {
    let (config, state) = places.configured()?;
    match command {
        Visitor::Login(options) => login(&config, &state, options).await,
        Visitor::Logout(whose) => logout(&config, &state, whose).await,
    }
}

async fn login(config: &Config, state: &Path, options: LogIn) -> Result<(), Failure> {
    let login = meant(config, options.whose)?;
    let (alias, whose) = (login.alias.clone(), whose(&login));
    let logins = Logins::of(state);
    let failed = |why: String| Failure::new(Exit::Failed, format!("nobody was logged in at `{alias}`: {why}"));
    let begun = Begun::new(login, &logins, &options.scopes).await.map_err(failed)?;
    let scopes = if begun.scopes().is_empty() { "what it gives without being asked".to_owned() } else { begun.scopes().join(" ") };
    print(&[
        format!("server       {alias}"),
        format!("for          {whose}"),
        format!("at           {}", visible(&begun.issuer())),
        format!("asks for     {}", visible(&scopes)),
        "Open this page in a browser on this machine, within 5 minutes:".to_owned(),
        begun.url().to_string(),
    ]);
    if !options.no_browser
        && let Err(error) = begun.open()
    {
        tell(&format!("no browser could be opened: {error}"));
    }
    begun.finish(&logins).await.map_err(failed)?;
    print(&[format!("logged in at `{alias}`, for {whose}")]);
    Ok(())
}

async fn logout(config: &Config, state: &Path, whose: Whose) -> Result<(), Failure> {
    let login = meant(config, whose)?;
    let told = match Logins::of(state).end(&login).await.map_err(|why| Failure::new(Exit::Failed, why))? {
        None => {
            let nobody = format!("nobody is logged in at `{}`, for {}", login.alias, self::whose(&login));
            return Err(Failure::new(Exit::Nothing, nobody));
        }
        Some(Tokens::Revoked) => "its authorization server took the tokens back".to_owned(),
        Some(Tokens::Kept) => "its authorization server takes no tokens back: they are forgotten here, and good until they end".to_owned(),
        Some(Tokens::Failed(why)) => format!("the tokens are forgotten here, and could not be taken back there: {why}"),
    };
    print(&[format!("logged out at `{}`; {told}", login.alias)]);
    Ok(())
}

/// The login that is meant.
fn meant(config: &Config, Whose { server, principal }: Whose) -> Result<Login, Failure> {
    let usage = |text: String| Failure::new(Exit::Usage, text);
    let unknown = || Failure { exit: Exit::Usage, ..Lack::unconfigured(config, &server).failure() };
    let settings = config.servers.get(&server).ok_or_else(unknown)?;
    let url = settings.url.as_deref().and_then(|url| Url::parse(url).ok());
    let Some(url) = url else {
        let hint = settings.login.as_ref().map_or_else(
            || "what it needs is given to it by `env`".to_owned(),
            |login| format!("its operator says how one logs in: {}", visible(login)),
        );
        return Err(usage(format!("`{server}` is a program, and no server at a URL\nhint: {hint}")));
    };
    if settings.identity == Identity::Operator && principal.is_some() {
        let hint = "leave `--principal` out, or give the server `identity = \"per-principal\"`";
        return Err(usage(format!("everybody acts at `{server}` with the operator's login\nhint: {hint}")));
    }
    let oauth = settings.oauth.clone().unwrap_or_default();
    Ok(Login { alias: server, url, private: settings.private, oauth, principal: principal.filter(|named| !is_operator(named)) })
}

fn whose(login: &Login) -> String {
    login.principal.as_ref().map_or_else(|| "the operator".to_owned(), |principal| format!("`{principal}`"))
}
