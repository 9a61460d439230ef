//! The lock file beside the pins: what moved, what is new, what is gone.
//!
//! Is: a comparison of three things read, and its lines for a person. Is not: a change of any of them. Clause: CAT-8 (diff).
//! Neighbours: `diff` prints it, `accept` shows it before it asks.

mod lines;
mod whole;

#[cfg(test)]
mod tests;

pub(super) use lines::{drifted, review, wrapped};
pub(super) use whole::whole;

use super::lack::{Kind, Lack};
use super::{Exit, Failure};
use crate::config::Config;
use crate::lock::Lock;
use crate::store::{Definitions, pins};
use agent_core::digest::Digest;
use agent_core::id::{Alias, ToolId};
use agent_core::safety::echo;
use agent_engine::catalog::diff::{Moved, moved};
use agent_engine::catalog::{Snapshot, Tool};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// What starts a line of a stranger's text.
const QUOTE: &str = "    | ";

/// Which tools a command is about.
#[derive(Debug, Clone)]
pub(super) enum Chosen {
    All,
    Server(Alias),
    Ids(Vec<ToolId>),
}

impl Chosen {
    /// As told on a command line; all where nothing is.
    pub(super) fn of(ids: Vec<ToolId>, server: Option<Alias>) -> Self {
        match server {
            Some(alias) => Self::Server(alias),
            None if ids.is_empty() => Self::All,
            None => Self::Ids(ids),
        }
    }

    fn holds(&self, id: &ToolId) -> bool {
        match self {
            Self::All => true,
            Self::Server(alias) => id.is_of(alias),
            Self::Ids(ids) => ids.contains(id),
        }
    }
}

/// A tool that has another definition than the one that was accepted.
pub(super) struct Drifted {
    pub(super) tool: Arc<Tool>,
    pub(super) pinned: Digest,
    /// None where the text of the accepted definition isn't kept.
    pub(super) moved: Option<Vec<Moved>>,
}

/// Tools that were accepted, of a server that serves none now by the operator's will, or was not asked yet.
pub(super) struct Away {
    pub(super) why: Lack,
    pub(super) ids: Vec<ToolId>,
}

/// Everything that is not as it was accepted.
pub(super) struct Drift {
    /// What the lock file says, judged as a host would.
    pub(super) catalog: Snapshot,
    pub(super) drifted: Vec<Drifted>,
    /// Never accepted.
    pub(super) new: Vec<Arc<Tool>>,
    /// Accepted once, and their server does not have them any more, each with the reason.
    pub(super) gone: Vec<(ToolId, String)>,
    /// Accepted once, and nobody says that they moved.
    pub(super) away: BTreeMap<Alias, Away>,
    /// Why the server that was chosen has no tools.
    pub(super) lack: Option<Lack>,
}

impl Drift {
    /// Reads the lock file, the pins and the definitions kept.
    ///
    /// # Errors
    /// [`Failure`] where one of them can't be read, where there is no lock, or where a tool or server that was named is in
    /// neither the lock nor the pins.
    pub(super) fn read(config: &Config, state: &Path, chosen: &Chosen) -> Result<Self, Failure> {
        let lock = asked(config)?;
        let (pins, definitions) = (pins(state)?, Definitions::of(state));
        let catalog = lock.catalog(config);
        named(config, &lock, &catalog, &pins, chosen)?;
        let (mut drifted, mut new) = (Vec::new(), Vec::new());
        for tool in catalog.tools().iter().filter(|tool| chosen.holds(&tool.descriptor.id)) {
            match pins.get(&tool.descriptor.id) {
                None => new.push(tool.clone()),
                Some(pinned) if *pinned == tool.descriptor.digest => {}
                Some(pinned) => {
                    let old = definitions.get(pinned);
                    let moved = old.and_then(|old| moved(&old, &tool.definition.raw).ok());
                    drifted.push(Drifted { tool: tool.clone(), pinned: *pinned, moved });
                }
            }
        }
        let (mut gone, mut away) = (Vec::new(), BTreeMap::<Alias, Away>::new());
        for id in pins.keys().filter(|id| chosen.holds(id) && catalog.get(id.as_str()).is_none()) {
            match unserved(config, &lock, &id.server()) {
                Some(why) => away.entry(id.server()).or_insert_with(|| Away { why, ids: Vec::new() }).ids.push(id.clone()),
                None => gone.push((id.clone(), absent(config, &lock, &catalog, id).what)),
            }
        }
        let lack = if let Chosen::Server(alias) = chosen { Lack::of(config, &lock, alias) } else { None };
        Ok(Self { catalog, drifted, new, gone, away, lack })
    }
}

/// Why nothing is known of a server's tools now. One that was asked and had none is known.
fn unserved(config: &Config, lock: &Lock, server: &Alias) -> Option<Lack> {
    Lack::of(config, lock, server).filter(|lack| lack.kind != Kind::Empty)
}

/// The lock file, where servers were asked.
pub(super) fn asked(config: &Config) -> Result<Lock, Failure> {
    let lock = Lock::read(&Lock::path(config))?;
    if lock.servers.is_empty() {
        let text = "no lock file, or one without servers\nhint: `agent-host sync` asks the servers and writes it";
        return Err(Failure::new(Exit::Failed, text));
    }
    Ok(lock)
}

/// Refuses names of nothing: a slip is not an empty answer.
fn named(config: &Config, lock: &Lock, catalog: &Snapshot, pins: &BTreeMap<ToolId, Digest>, chosen: &Chosen) -> Result<(), Failure> {
    match chosen {
        Chosen::Server(alias) if !config.servers.contains_key(alias) && !pins.keys().any(|id| id.is_of(alias)) => {
            Err(Lack::unconfigured(config, alias).failure())
        }
        Chosen::Ids(ids) => match ids.iter().find(|id| catalog.get(id.as_str()).is_none() && !pins.contains_key(*id)) {
            Some(id) => Err(no_tool(config, lock, catalog, id)),
            None => Ok(()),
        },
        _ => Ok(()),
    }
}

/// A tool that is nowhere.
pub(super) fn no_tool(config: &Config, lock: &Lock, catalog: &Snapshot, id: &ToolId) -> Failure {
    let Absent { what, hint } = absent(config, lock, catalog, id);
    Failure::new(Exit::Nothing, format!("no tool `{}`: {what}\nhint: {hint}", echo(id.as_str())))
}

/// Why a tool is not in the catalog, and what to do about it.
struct Absent {
    what: String,
    hint: String,
}

fn absent(config: &Config, lock: &Lock, catalog: &Snapshot, id: &ToolId) -> Absent {
    let server = id.server();
    if let Some(Lack { what, hint, .. }) = unserved(config, lock, &server) {
        return Absent { what, hint };
    }
    let refused = catalog.quarantined().iter().find(|tool| tool.server == server && tool.name == echo(id.name()));
    let what = match refused {
        Some(tool) => format!("it is not served: {}", tool.reason),
        None => "its server does not list it".to_owned(),
    };
    Absent {
        what,
        hint: format!("`agent-host sync {server}` asks its server again, `agent-host tools --server {server}` lists what it has"),
    }
}
