//! The command line: what can be asked for, and what is printed.
//!
//! Is: parsing, the operator's commands, words for a person. Is not: `serve` or `run`, which `app` wires. Exit codes are in
//! [`Exit`] and stay as they are. Clauses: HOST-3 (socket), AUD-2, AUTH-3, CAT-7 (lock, sync),
//! CAT-8 (diff), POL-4, REV-1, REV-4, SES-4 (tokens), UP-1 (identity), UP-2 (operator's files), UP-10.

mod accept;
mod add;
mod approve;
mod asked;
mod audit;
mod completions;
mod config;
mod console;
mod demo;
mod denials;
mod diff;
mod doctor;
mod drift;
mod failure;
mod far;
mod init;
mod inspect;
mod lack;
mod login;
mod operator;
mod passphrase;
mod places;
mod policy;
mod print;
mod questions;
mod reload;
mod revoke;
mod search;
mod servers;
mod standing;
mod sync;
mod table;
mod token;
mod tool;
mod tools;
mod tty;
mod watch;
mod wrap;

#[cfg(test)]
mod tests;

pub(crate) use asked::run;
pub(crate) use completions::complete;
pub(crate) use config::configure;
pub(crate) use demo::demo;
pub(crate) use doctor::doctor;
pub use failure::{Exit, Failure};
pub(crate) use far::Elsewhere;
pub(crate) use init::init;
pub(crate) use login::{Visitor, visit};
pub(crate) use places::{Again, Places};
pub(crate) use print::{counted, stopped, tell};

use crate::config::{Length, OperatorName};
use agent_core::digest::Digest;
use agent_core::id::{Alias, ToolId};
use agent_core::request::Decision;
use agent_core::session::{PrincipalId, RequestId, SessionId, SessionName};
use agent_host_samples::Sample;
use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;

/// A gateway in front of MCP servers: tools are found by search and switched on only by a yes from the host.
#[derive(Debug, Parser)]
#[command(
    name = "agent-host",
    version,
    after_help = Exit::HELP
)]
pub struct Cli {
    #[command(flatten)]
    pub(crate) places: Places,
    #[command(flatten)]
    pub(crate) elsewhere: Elsewhere,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// See it work: one conversation on sample servers, with you as the person who is asked.
    Demo(demo::Demo),
    /// Serve one MCP client over standard input and output, by the user's one host, which is started if none runs.
    Serve(Serve),
    /// Be the host of every client of this user.
    Run(Run),
    /// Take over the servers that other MCP clients on this machine have.
    Init(init::Init),
    /// Say what is well, what is not and what to do: the boundary, files, the host, its servers.
    Doctor(doctor::Doctor),
    #[command(flatten)]
    Reviewer(Reviewer),
    #[command(flatten)]
    Configure(Configure),
    #[command(flatten)]
    Visitor(Visitor),
    #[command(flatten)]
    Operator(Operator),
    /// Be a small MCP server to try things with, over standard input and output: clock, files, notes or text.
    SampleServer(SampleServer),
    /// Print what a shell needs to complete this command line.
    Completions(completions::Completions),
}

/// What is read from the lock file, and done about it and what was accepted of it.
#[derive(Debug, Subcommand)]
pub(crate) enum Reviewer {
    /// Ask the servers what they have, and write it to the lock file.
    Sync(sync::Sync),
    /// Show what moved since it was accepted.
    Diff(diff::Diff),
    /// Accept what tools are now, after it was shown.
    Accept(accept::Accept),
    /// List the servers, starting none.
    Servers(List),
    /// List the tools: what they can change, and whether they are accepted.
    Tools(tools::Tools),
    /// Show everything about one tool, its whole definition included.
    Tool(tool::Named),
    /// Search as a model does, over everything that is served.
    Search(search::Query),
    /// Show the rules, say which one decides and why, or run expected decisions.
    Policy(policy::Policy),
}

/// What is in the operator's file, and changes to it.
#[derive(Debug, Subcommand)]
pub(crate) enum Configure {
    /// Print every value in effect and where it came from.
    Config(Show),
    /// Add a server to the configuration: `add NAME [options] -- COMMAND [ARG]...`
    Add(add::Add),
    /// Remove a server from the configuration.
    Remove(Name),
    /// Serve a server's tools again.
    Enable(Name),
    /// Keep a server in the configuration, and neither start nor serve it.
    Disable(Name),
}

#[derive(Debug, Args)]
pub(crate) struct Show {
    /// One JSON document.
    #[arg(long)]
    json: bool,
    /// Print the JSON Schema of the file instead.
    #[arg(long, conflicts_with = "json")]
    schema: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Name {
    /// The server's name in the configuration.
    #[arg(value_name = "NAME", value_parser = Alias::parse)]
    name: Alias,
}

/// What an operator does, beside a running host or without one.
#[derive(Debug, Subcommand)]
pub(crate) enum Operator {
    /// Read the records, also beside a running host.
    #[command(subcommand)]
    Audit(Audit),
    /// List the sessions and what they hold.
    Sessions(List),
    /// Show everything of one session.
    Session(Whole),
    /// Show what waits for a person.
    Approvals(Approvals),
    /// Say yes to a request, once it was shown and asked about.
    Approve(approve::Approving),
    /// Say no to a request, once it was shown and asked about.
    Deny(Answering),
    /// Show what servers ask of a person.
    Questions(List),
    /// Answer a question of a server. It activates nothing.
    Reply(questions::Replying),
    /// What a person said no to.
    #[command(subcommand)]
    Denials(denials::Denials),
    /// What a person said always to.
    #[command(subcommand)]
    Standing(standing::Standing),
    /// Say why a session can or can't call a tool.
    Why(Why),
    /// The passphrase that makes an answer strong.
    #[command(subcommand)]
    Passphrase(Passphrase),
    /// Say where the operator's pages are.
    Console(console::Console),
    /// Take tools back: one of a session or of all, or all of a session, a principal or a server.
    Revoke(revoke::Revoke),
    /// End a session under its client, with all that it holds.
    End(revoke::Ending),
    /// The tokens by which clients say over HTTP whose they are.
    #[command(subcommand)]
    Token(token::Token),
    /// Stop every activation and call, also over restarts.
    Stop,
    /// Lift the stop.
    Resume,
    /// Make the running host read its configuration and policy again: whole, or not at all.
    Reload,
}

#[derive(Debug, Args)]
pub(crate) struct Serve {
    /// Run everything in this process, for this client alone.
    #[arg(long)]
    pub(crate) standalone: bool,
    /// Serve although the configuration or the state lies in the folder that the client works in.
    #[arg(long)]
    pub(crate) trust_here: bool,
    /// Whom sessions belong to, in place of `local:<uid>`.
    #[arg(long, value_name = "NAME", value_parser = PrincipalId::parse)]
    pub(crate) principal: Option<PrincipalId>,
    /// What to call the one conversation that this process serves; approval questions show it.
    #[arg(long, value_name = "NAME", value_parser = SessionName::parse)]
    pub(crate) session: Option<SessionName>,
}

#[derive(Debug, Args)]
pub(crate) struct Run {
    /// End once there was no client for so long, such as `60s`.
    #[arg(long, value_name = "TIME", value_parser = length, conflicts_with = "http")]
    pub(crate) linger: Option<Length>,
    /// Take clients over HTTP too, at an address such as `127.0.0.1:8750`.
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) http: Option<std::net::SocketAddr>,
    /// Serve the operator's pages, at an address such as `127.0.0.1:8751`, in place of the configuration's.
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) console: Option<std::net::SocketAddr>,
}

#[derive(Debug, Args)]
pub(crate) struct SampleServer {
    /// Which: clock, files, notes or text.
    #[arg(value_name = "KIND", value_parser = Sample::parse)]
    pub(crate) kind: Sample,
    /// The folder that files and notes work in; they touch nothing outside of it.
    #[arg(long, value_name = "DIR")]
    pub(crate) folder: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Audit {
    /// Show records, oldest first.
    Show {
        /// Only those of one session.
        #[arg(long, value_name = "SESSION", value_parser = session)]
        session: Option<SessionId>,
        /// Only the last so many.
        #[arg(long, value_name = "N")]
        last: Option<u64>,
        /// One JSON object a line.
        #[arg(long)]
        json: bool,
    },
    /// Read the whole chain and compare it with the state kept.
    Verify,
}

#[derive(Debug, Args)]
pub(crate) struct List {
    /// One JSON document.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Whole {
    /// The session, as `sessions` shows it.
    #[arg(value_parser = session)]
    session: SessionId,
    /// One JSON document.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Approvals {
    /// One JSON document.
    #[arg(long, conflicts_with = "watch")]
    json: bool,
    /// Ask about each request as it comes, at this terminal, until Ctrl-C.
    #[arg(long)]
    watch: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Answering {
    /// The request, as `approvals` shows it.
    #[arg(value_parser = request)]
    request: RequestId,
    /// Only if this is the digest of what it asks for, as `approvals` shows it.
    #[arg(long, value_name = "DIGEST", value_parser = Digest::parse)]
    expect: Option<Digest>,
    /// Do not ask.
    #[arg(long, requires = "expect")]
    yes: bool,
    /// Ask for the passphrase, which makes the answer strong.
    #[arg(long)]
    strong: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Why {
    /// The session, as `sessions` shows it.
    #[arg(value_parser = session)]
    session: SessionId,
    /// The tool's exact id.
    #[arg(value_parser = ToolId::parse)]
    tool: ToolId,
    /// One JSON document.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Passphrase {
    /// Choose it, at this terminal. It is kept as a hash in the state folder.
    Set {
        /// Whose, where the configuration names operators.
        #[arg(long, value_name = "NAME", value_parser = OperatorName::parse)]
        operator: Option<OperatorName>,
    },
}

fn length(text: &str) -> Result<Length, String> {
    text.to_owned().try_into()
}

fn request(text: &str) -> Result<RequestId, &'static str> {
    RequestId::parse(text).ok_or("a request is `r_` and 32 hexadecimal digits, as `approvals` shows it")
}

fn session(text: &str) -> Result<SessionId, &'static str> {
    SessionId::parse(text).ok_or("a session is `s_` and 32 hexadecimal digits, as `sessions` shows it")
}

/// Runs a command about the lock file.
///
/// # Errors
/// As [`run`].
pub(crate) async fn reviewed(places: &Places, command: Reviewer) -> Result<(), Failure> {
    let (config, state) = places.configured()?;
    match command {
        Reviewer::Sync(sync) => sync::sync(&config, &state, sync).await,
        Reviewer::Diff(diff) => diff::diff(&config, &state, diff),
        Reviewer::Accept(accept) => accept::accept(&config, &state, accept).await,
        Reviewer::Servers(list) => servers::servers(&config, &state, list.json).await,
        Reviewer::Tools(tools) => tools::tools(&config, &state, &tools),
        Reviewer::Tool(named) => tool::tool(&config, &state, &named),
        Reviewer::Search(query) => search::search(&config, &state, &query).await,
        Reviewer::Policy(asked) => policy::policy(&config, &state, asked).await,
    }
}
