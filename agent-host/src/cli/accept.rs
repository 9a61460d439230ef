//! `accept`: what a tool is now becomes what was accepted.
//!
//! In order: what moved is shown, somebody says yes to exactly that, its digests are pinned, by the running host or here
//! where none runs. Clauses: CAT-8 (accept), CAT-7 (pins). Invariants: I-3 (what was shown is what is pinned).

use super::drift::{Chosen, Drift, drifted, review};
use super::print::Out;
use super::tty::{Tty, is_yes};
use super::{Exit, Failure};
use crate::admin::{Office, Request, Response, Unanswered, Users, ask, handle};
use crate::config::Config;
use crate::store::SqliteLedger;
use crate::system::{SystemClock, SystemEntropy};
use agent_core::digest::Digest;
use agent_core::id::{Alias, ToolId};
use agent_core::session::Bound;
use agent_engine::call::Router;
use agent_engine::catalog::Snapshot;
use agent_engine::engine::{Parts, build};
use clap::Args;
use std::path::Path;
use std::sync::Arc;

/// What is accepted, and who says so.
#[derive(Debug, Args)]
pub(crate) struct Accept {
    /// Tools by their exact ids.
    #[arg(value_name = "ID", value_parser = ToolId::parse, required_unless_present = "server")]
    pub(super) ids: Vec<ToolId>,
    /// Every tool of one server, new ones included.
    #[arg(long, value_name = "NAME", value_parser = Alias::parse, conflicts_with = "ids")]
    pub(super) server: Option<Alias>,
    /// Do not ask. What is accepted is printed all the same.
    #[arg(long)]
    pub(super) yes: bool,
    /// Accept one tool only if this is the digest of its definition.
    #[arg(long, value_name = "DIGEST", value_parser = digest, conflicts_with = "server")]
    pub(super) expect: Option<Digest>,
}

fn digest(text: &str) -> Result<Digest, String> {
    Digest::parse(text).map_err(|error| error.to_string())
}

pub(super) async fn accept(config: &Config, state: &Path, accept: Accept) -> Result<(), Failure> {
    let named = !accept.ids.is_empty();
    let drift = Drift::read(config, state, &Chosen::of(accept.ids, accept.server))?;
    if let (true, Some((id, why))) = (named, drift.gone.first()) {
        return Err(Failure::new(Exit::Failed, format!("`{id}` can't be accepted: {why}\nhint: `agent-host sync` asks the servers anew")));
    }
    let bounds = bounds(&drift);
    expected(&drift, &bounds, accept.expect)?;
    if bounds.is_empty() {
        print(&["nothing to accept: each is what was accepted".to_owned()]);
        return Ok(());
    }
    let mut lines: Vec<_> = drift.drifted.iter().flat_map(drifted).collect();
    lines.extend(drift.new.iter().flat_map(|tool| review(tool)));
    if accept.yes {
        print(&lines);
    } else {
        agreed(&lines, bounds.len()).await?;
    }
    let count = bounds.len();
    pin(config, state, drift.catalog, bounds).await?;
    print(&[format!("accepted: {count} definitions; whoever held an earlier one asks again")]);
    Ok(())
}

/// The definitions that a yes pins: those that are shown.
fn bounds(drift: &Drift) -> Vec<Bound> {
    drift.drifted.iter().map(|found| &found.tool).chain(&drift.new).map(|tool| tool.bound()).collect()
}

/// Holds a script to the one definition that somebody read.
fn expected(drift: &Drift, bounds: &[Bound], expect: Option<Digest>) -> Result<(), Failure> {
    let Some(expect) = expect else { return Ok(()) };
    match bounds {
        [] => Ok(()),
        [one] if one.digest == expect => Ok(()),
        [one] => {
            Err(Failure::new(Exit::Moved, format!("`{}` has another definition: {}\nhint: `agent-host diff` shows it", one.id, one.digest)))
        }
        _ => Err(Failure::new(
            Exit::Usage,
            format!("`--expect` is about one tool, not {}\nhint: name one", drift.drifted.len() + drift.new.len()),
        )),
    }
}

/// Shows and asks at the terminal itself: a pipe can't answer, and can't hide what is asked about.
async fn agreed(lines: &[String], count: usize) -> Result<(), Failure> {
    let nobody = || Failure::new(Exit::Usage, "nobody can be asked: there is no terminal\nhint: `--yes` accepts without asking");
    let mut tty = Tty::open().map_err(|_| nobody())?;
    let question = format!("accept {}?", if count == 1 { "this definition".to_owned() } else { format!("these {count} definitions") });
    tty.say(&lines.join("\n"))?;
    tty.ask(&format!("{question} [y/N] "))?;
    if is_yes(&tty.answer().await?) { Ok(()) } else { Err(Failure::new(Exit::Failed, "nothing was accepted")) }
}

/// Asks the host, or does it here.
async fn pin(config: &Config, state: &Path, catalog: Snapshot, bounds: Vec<Bound>) -> Result<(), Failure> {
    let request = Request::Accept { bounds };
    let response = match ask(state, &request).await {
        Ok(response) => response,
        Err(Unanswered::NoHost) => alone(config, state, catalog, request).await?,
        Err(error) => return Err(Failure::new(Exit::Failed, format!("{error}\nhint: it may be done; `agent-host diff` says"))),
    };
    match response {
        Response::Accepted => Ok(()),
        Response::Failed { what, hint } => Err(Failure::new(Exit::Failed, format!("{what}\nhint: {hint}"))),
        _ => Err(Failure::new(Exit::Failed, "the running host answered something else\nhint: is it of another version?")),
    }
}

/// Takes the store's lock and commits by the handler that a host would use, over the catalog that it would serve.
async fn alone(config: &Config, state: &Path, catalog: Snapshot, request: Request) -> Result<Response, Failure> {
    let ledger = Arc::new(SqliteLedger::open(state)?);
    let mut parts = Parts::new(ledger, Arc::new(Router::default()), Arc::new(SystemClock::new()), Arc::new(SystemEntropy));
    parts.policy = config.policy.clone();
    let (_, desk) = build(parts).await.map_err(|error| Failure::new(Exit::Failed, format!("the store can't be read: {error}")))?;
    desk.publish(catalog).await;
    let office = Office::new(state, desk, Users::started_by_client());
    Ok(handle(&office, rustix::process::geteuid().as_raw(), request).await)
}

fn print(lines: &[String]) {
    let mut out = Out::new();
    // Where the reader is gone, the rest is nobody's.
    let _ = lines.iter().try_for_each(|line| out.line(line));
}
