//! From what the servers are known to list to the catalog in force, as it changes.
//!
//! Is: the lock file read again when it changed, what the servers list put together and published, definitions kept that
//! are in no lock file. Is not: a listing; nor a task, for whoever holds this says when. Clauses: CAT-6 (publishing), CAT-7
//! (lock, sync). Invariant: I-6. Neighbours: `reload` holds it.

use super::tell;
use super::watched::Mark;
use crate::config::Config;
use crate::lock::Lock;
use crate::store::{Definitions, StoreError, pins};
use crate::upstream::Upstreams;
use agent_core::id::{Alias, ToolId, WireName};
use agent_engine::catalog::{Snapshot, Source, assemble_named};
use agent_engine::desk::Desk;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A lock file, and as which it was read last.
#[derive(Default)]
pub(super) struct LockFile {
    path: PathBuf,
    read: Option<Mark>,
}

impl LockFile {
    pub(super) fn of(config: &Config) -> Self {
        Self { path: Lock::path(config), read: None }
    }

    /// What it holds, if that may be something else than before. One that can't be read is told once.
    pub(super) fn news(&mut self) -> Option<Result<Lock, String>> {
        (Mark::of(&self.path) != self.read).then(|| self.read())
    }

    /// What it holds now.
    pub(super) fn read(&mut self) -> Result<Lock, String> {
        self.read = Mark::of(&self.path);
        Lock::read(&self.path).map_err(|error| error.to_string())
    }
}

/// What the servers list, on its way to the catalog in force.
pub(super) struct Publishing {
    upstreams: Arc<Upstreams>,
    desk: Desk,
    names: BTreeMap<ToolId, WireName>,
    /// Tools of the catalog at the most.
    tools: usize,
    state: PathBuf,
    /// What the lock file holds of each server, as a mark by which the same is known again.
    locked: BTreeMap<Alias, u64>,
    lock: LockFile,
}

impl Publishing {
    pub(super) fn new(config: &Config, state: &Path, upstreams: Arc<Upstreams>, desk: Desk, lock: LockFile, locked: &Lock) -> Self {
        let (names, state) = (config.names.clone(), state.to_owned());
        Self { upstreams, desk, names, tools: config.tools, state, locked: marks(locked), lock }
    }

    /// Publishes what is known now. Whether that could be done.
    pub(super) async fn publish(&self) -> bool {
        let (sources, names, tools, state) = (self.upstreams.listing(), self.names.clone(), self.tools, self.state.clone());
        let locked = |source: &Source| self.locked.get(&source.alias) == Some(&mark(&source.definitions));
        let unlocked: BTreeSet<_> = sources.iter().filter(|source| !locked(source)).map(|source| source.alias.clone()).collect();
        // Judging what servers wrote can take long; nobody else waits for it.
        let judged = tokio::task::spawn_blocking(move || {
            let snapshot = assemble_named(&sources, &names, tools);
            if let Err(error) = keep(&state, &snapshot, &unlocked) {
                tracing::warn!(%error, "definitions could not be kept");
            }
            snapshot
        });
        match judged.await {
            Ok(snapshot) => drop(self.desk.publish(snapshot).await),
            Err(error) => {
                tracing::error!(%error, "the servers' lists could not be judged");
                return false;
            }
        }
        true
    }

    /// Takes servers that were withdrawn out of the catalog. Where that can't be judged, everything is taken out until it can.
    pub(super) async fn without(&self, withdrawn: Vec<Alias>) {
        if !withdrawn.is_empty() && !self.publish().await {
            self.desk.publish(Snapshot::default()).await;
        }
    }

    /// Takes in the lock file where it changed.
    pub(super) async fn read_again(&mut self) {
        match self.with_lock(LockFile::news).await {
            None => {}
            Some(Ok(lock)) => self.knows(&lock),
            Some(Err(why)) => tell(&format!("the lock file can't be read, and what it said before holds: {why}")),
        }
    }

    /// What the lock file holds now.
    pub(super) async fn lock(&mut self) -> Result<Lock, String> {
        self.with_lock(|file| Some(file.read())).await.unwrap_or_else(|| Err("the lock file could not be read".to_owned()))
    }

    /// Where the lock file is.
    pub(super) fn lock_file(&self) -> PathBuf {
        self.lock.path.clone()
    }

    async fn with_lock(&mut self, read: fn(&mut LockFile) -> Option<Result<Lock, String>>) -> Option<Result<Lock, String>> {
        let mut file = std::mem::take(&mut self.lock);
        let (found, file) = tokio::task::spawn_blocking(move || (read(&mut file), file)).await.ok()?;
        self.lock = file;
        found
    }

    /// Goes by what a lock file says from now on.
    pub(super) fn knows(&mut self, lock: &Lock) {
        self.locked = marks(lock);
        self.upstreams.learn(&lock.servers);
    }

    /// Goes by what a configuration says of the catalog from the next publication on.
    pub(super) fn goes_by(&mut self, config: &Config) {
        self.names = config.names.clone();
        self.tools = config.tools;
    }
}

/// A definition that is in no lock file may be accepted now and be gone when somebody wants to see what that was.
fn keep(state: &Path, snapshot: &Snapshot, unlocked: &BTreeSet<Alias>) -> Result<(), StoreError> {
    if unlocked.is_empty() {
        return Ok(());
    }
    let (definitions, pinned) = (Definitions::of(state), pins(state)?.into_values().collect());
    unlocked.iter().try_for_each(|alias| {
        let served = snapshot.tools().iter().filter(|tool| tool.descriptor.id.is_of(alias));
        definitions.keep(served.map(|tool| (tool.definition.digest, &*tool.definition.raw)), &pinned)
    })
}

fn marks(lock: &Lock) -> BTreeMap<Alias, u64> {
    lock.servers.iter().map(|(alias, listed)| (alias.clone(), mark(&listed.definitions))).collect()
}

fn mark(definitions: &[String]) -> u64 {
    let mut hasher = DefaultHasher::new();
    definitions.hash(&mut hasher);
    hasher.finish()
}
