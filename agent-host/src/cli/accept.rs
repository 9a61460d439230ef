//! `accept`: what a tool is now becomes what was accepted.
//!
//! In order: what moved is shown, somebody says yes to exactly that, its digests are pinned, by the running host or here
//! where none runs. Clauses: CAT-8 (accept), CAT-7 (pins). Invariants: I-3 (what was shown is what is pinned).

use super::drift::{Chosen, Drift, drifted, review, whole, wrapped};
use super::operator::{desk, did, handled, live, odd};
use super::print::{counted, print};
use super::tty::{Tty, is_yes};
use super::wrap::columns;
use super::{Exit, Failure};
use crate::admin::{Request, Response};
use crate::config::Config;
use agent_core::digest::Digest;
use agent_core::id::{Alias, ToolId};
use agent_core::session::Bound;
use agent_engine::catalog::Snapshot;
use clap::Args;
use std::path::Path;

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
    let drift = Drift::read(config, state, &Chosen::of(accept.ids.clone(), accept.server))?;
    if named {
        acceptable(&drift)?;
    }
    let bounds = bounds(&drift);
    expected(&drift.catalog, &accept.ids, accept.expect)?;
    if bounds.is_empty() {
        if let Some(lack) = &drift.lack {
            return Err(lack.failure());
        }
        print(&["nothing to accept: each is what was accepted".to_owned()]);
        return Ok(());
    }
    let lines = shown(&drift);
    if accept.yes {
        print(&wrapped(lines, columns(std::io::stdout())));
    } else {
        agreed(lines, bounds.len()).await?;
    }
    let count = bounds.len();
    pin(config, state, drift.catalog, bounds).await?;
    print(&[format!("accepted: {}; whoever held an earlier one asks again", counted(count, "definition"))]);
    Ok(())
}

/// What was named must have a definition.
fn acceptable(drift: &Drift) -> Result<(), Failure> {
    let refused =
        |id: &ToolId, what: &str, hint: &str| Err(Failure::new(Exit::Nothing, format!("`{id}` can't be accepted: {what}\nhint: {hint}")));
    let away = drift.away.values().find_map(|away| Some((away.ids.first()?, &away.why)));
    match (drift.gone.first(), away) {
        (Some((id, why)), _) => refused(id, why, &format!("`agent-host sync {}` asks its server again", id.server())),
        (None, Some((id, why))) => refused(id, &why.what, &why.hint),
        (None, None) => Ok(()),
    }
}

/// What moved of each, or the whole of it where nothing was accepted that it could be compared with.
// INVARIANT: I-3 there is nothing in a definition that a yes pins and nobody could read.
pub(super) fn shown(drift: &Drift) -> Vec<String> {
    let moved = drift.drifted.iter().flat_map(drifted);
    moved.chain(drift.new.iter().flat_map(|tool| [review(tool), whole(tool)].concat())).collect()
}

/// The definitions that a yes pins: those that are shown.
fn bounds(drift: &Drift) -> Vec<Bound> {
    drift.drifted.iter().map(|found| &found.tool).chain(&drift.new).map(|tool| tool.bound()).collect()
}

/// Holds a script to the one definition that somebody read, accepted already or not.
fn expected(catalog: &Snapshot, ids: &[ToolId], expect: Option<Digest>) -> Result<(), Failure> {
    let Some(expect) = expect else { return Ok(()) };
    let [id] = ids else {
        return Err(Failure::new(Exit::Usage, format!("`--expect` is about one tool, not {}\nhint: name one", ids.len())));
    };
    match catalog.get(id.as_str()).map(|tool| tool.descriptor.digest) {
        Some(now) if now != expect => {
            Err(Failure::new(Exit::Moved, format!("`{id}` has another definition: {now}\nhint: `agent-host tool {id}` shows it")))
        }
        _ => Ok(()),
    }
}

/// Shows and asks at the terminal itself: a pipe can't answer, and can't hide what is asked about.
async fn agreed(lines: Vec<String>, count: usize) -> Result<(), Failure> {
    let mut tty = Tty::open_or("`--yes` accepts without asking")?;
    let question = format!("accept {}?", if count == 1 { "this definition".to_owned() } else { format!("these {count} definitions") });
    tty.say(&wrapped(lines, tty.columns()).join("\n"))?;
    tty.ask(&format!("{question} [y/N] "))?;
    if is_yes(&tty.answer().await?) {
        Ok(())
    } else {
        Err(Failure::new(Exit::Undecided, "nothing was accepted\nhint: only `y` or `yes` is a yes"))
    }
}

/// Asks the host, or does it here, over the catalog that a host would serve.
async fn pin(config: &Config, state: &Path, catalog: Snapshot, bounds: Vec<Bound>) -> Result<(), Failure> {
    let request = Request::Accept { bounds };
    let response = match live(state, &request).await? {
        Some(response) => response,
        None => {
            let desk = desk(state, config.policy.clone()).await?;
            desk.publish(catalog).await;
            did(handled(state, desk, request).await)?
        }
    };
    if response == Response::Accepted { Ok(()) } else { Err(odd()) }
}
