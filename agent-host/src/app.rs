//! The process: from a command line to a host that runs, and back to an exit code.
//!
//! Is: wiring. Is not: logic of any kind; each part is made by its own room. Clauses: HOST-1, SES-2 (stdio: one session for
//! each process), AUD-1. Invariant: I-9.

mod host;
mod publish;
mod reload;
mod run;
mod serve;
mod watched;

use crate::cli::{Cli, Command, Exit, Failure, SampleServer, complete, configure, demo, doctor, init, reviewed, run, tell, visit};
use agent_host_samples::Options;
use clap::Parser;
use std::io::IsTerminal;
use std::process::ExitCode;
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};
use tracing_subscriber::EnvFilter;

/// Between two looks at what came to its end, and between two publications.
const TICK: Duration = Duration::from_secs(1);
/// How long what still runs may hold up the end of the process.
const LINGER: Duration = Duration::from_secs(2);

/// Runs the command line to its end.
#[must_use]
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    trace();
    if cli.elsewhere.is_named() && !matches!(cli.command, Command::Operator(_)) {
        tell("error: this command is about this machine\nhint: leave `--at` out; an operator's commands take it");
        return ExitCode::from(Exit::Usage as u8);
    }
    let runtime = match runtime(&cli.command) {
        Ok(runtime) => runtime,
        Err(error) => {
            tell(&format!("error: no runtime: {error}"));
            return ExitCode::FAILURE;
        }
    };
    if matches!(cli.command, Command::Serve(_) | Command::SampleServer(_)) && std::io::stdin().is_terminal() {
        tell("this is for an MCP client to start, and waits for a message; Ctrl-D ends it. `agent-host --help` lists what is for you");
    }
    let done = runtime.block_on(async {
        match cli.command {
            Command::Serve(serve) => serve::serve(&cli.places, serve).await,
            Command::Run(options) => run::run(&cli.places, options).await,
            Command::Init(options) => init(&cli.places, options).await,
            Command::Doctor(options) => doctor(&cli.places, options).await,
            Command::Reviewer(command) => reviewed(&cli.places, command).await,
            Command::Configure(command) => configure(&cli.places, command),
            Command::Visitor(command) => visit(&cli.places, command).await,
            Command::Operator(command) => run(&cli.places, &cli.elsewhere, command).await,
            Command::Demo(options) => demo(options).await,
            Command::SampleServer(server) => sample(server).await,
            Command::Completions(options) => {
                complete(&options);
                Ok(())
            }
        }
    });
    runtime.shutdown_timeout(LINGER);
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure { exit, text, .. }) => {
            tell(&format!("error: {text}"));
            ExitCode::from(exit as u8)
        }
    }
}

/// A relay is one thread: each frame would otherwise go through two.
fn runtime(command: &Command) -> std::io::Result<Runtime> {
    let mut builder = match command {
        Command::Serve(serve) if !serve.standalone => Builder::new_current_thread(),
        _ => Builder::new_multi_thread(),
    };
    builder.enable_all().build()
}

/// One of the sample servers, as a client or a host starts it. Nothing of the host runs in this process.
async fn sample(SampleServer { kind, folder }: SampleServer) -> Result<(), Failure> {
    let exit = if kind.wants_folder() && folder.is_none() { Exit::Usage } else { Exit::Failed };
    agent_host_samples::serve(kind, &Options { folder }).await.map_err(|text| Failure::new(exit, text))
}

/// Logs to standard error, as `AGENT_HOST_LOG` says. rmcp's own lines hold what peers wrote and their session ids, and are
/// always left out (SES-1).
fn trace() {
    let filter = EnvFilter::try_from_env("AGENT_HOST_LOG").unwrap_or_else(|_| EnvFilter::new("warn"));
    let filter = "rmcp=off".parse().map_or_else(|_| EnvFilter::new("off"), |quiet| filter.add_directive(quiet));
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).with_ansi(false).init();
}
