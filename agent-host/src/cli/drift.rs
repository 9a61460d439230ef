//! The lock file beside the pins: what moved, what is new, what is gone.
//!
//! Is: a comparison of three things read, and its lines for a person. Is not: a change of any of them. Clause: CAT-8 (diff).
//! Neighbours: `diff` prints it, `accept` shows it before it asks.

mod lines;

#[cfg(test)]
mod tests;

pub(super) use lines::{drifted, review};

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

/// Everything that is not as it was accepted.
pub(super) struct Drift {
    /// What the lock file says, judged as a host would.
    pub(super) catalog: Snapshot,
    pub(super) drifted: Vec<Drifted>,
    /// Never accepted.
    pub(super) new: Vec<Arc<Tool>>,
    /// Accepted once and not served any more, each with the reason.
    pub(super) gone: Vec<(ToolId, String)>,
}

impl Drift {
    /// Reads the lock file, the pins and the definitions kept.
    ///
    /// # Errors
    /// [`Failure`] where one of them can't be read, where there is no lock, or where a tool or server that was named is in
    /// neither the lock nor the pins.
    pub(super) fn read(config: &Config, state: &Path, chosen: &Chosen) -> Result<Self, Failure> {
        let lock = Lock::read(&Lock::path(config))?;
        if lock.servers.is_empty() {
            return Err(Failure::new(
                Exit::Failed,
                "no lock file, or one without servers\nhint: `agent-host sync` asks the servers and writes it",
            ));
        }
        let (pins, definitions) = (pins(state)?, Definitions::of(state));
        let catalog = lock.catalog(config);
        named(config, &catalog, &pins, chosen)?;
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
        let gone = pins.keys().filter(|id| chosen.holds(id) && catalog.get(id.as_str()).is_none());
        let gone = gone.map(|id| (id.clone(), absent(config, &catalog, id))).collect();
        Ok(Self { catalog, drifted, new, gone })
    }
}

/// Refuses names of nothing: a slip is not an empty answer.
fn named(config: &Config, catalog: &Snapshot, pins: &BTreeMap<ToolId, Digest>, chosen: &Chosen) -> Result<(), Failure> {
    let hint = "hint: `agent-host sync` asks the servers anew";
    match chosen {
        Chosen::Server(alias) if !config.servers.contains_key(alias) && !pins.keys().any(|id| id.is_of(alias)) => {
            Err(no_server(config, alias))
        }
        Chosen::Ids(ids) => match ids.iter().find(|id| catalog.get(id.as_str()).is_none() && !pins.contains_key(*id)) {
            Some(id) => Err(Failure::new(Exit::Usage, format!("no tool `{}`: {}\n{hint}", echo(id.as_str()), absent(config, catalog, id)))),
            None => Ok(()),
        },
        _ => Ok(()),
    }
}

/// A server that the configuration does not have.
pub(super) fn no_server(config: &Config, alias: &Alias) -> Failure {
    let known: Vec<_> = config.servers.keys().map(Alias::as_str).collect();
    Failure::new(Exit::Usage, format!("no server `{}`\nhint: the configuration has: {}", alias.as_str(), known.join(", ")))
}

/// Why a tool is not in the catalog.
pub(super) fn absent(config: &Config, catalog: &Snapshot, id: &ToolId) -> String {
    let refused = catalog.quarantined().iter().find(|tool| tool.server == id.server() && tool.name == echo(id.name()));
    match (config.servers.get(&id.server()), refused) {
        (None, _) => "its server is not configured".to_owned(),
        (Some(settings), _) if !settings.enabled => "its server is disabled".to_owned(),
        (_, Some(tool)) => format!("it is not served: {}", tool.reason),
        (_, None) => "its server does not list it".to_owned(),
    }
}
