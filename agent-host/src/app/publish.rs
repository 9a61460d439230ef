//! From what the servers are known to list to the catalog in force, as it changes.
//!
//! Is: the lock file read again when it changed, what a server lists published as it comes, definitions kept that are in no
//! lock file. Is not: a listing. Clauses: CAT-6 (publishing), CAT-7 (lock, sync). Invariant: I-6.

use super::{TICK, tell};
use crate::config::Config;
use crate::lock::Lock;
use crate::store::{Definitions, StoreError, pins};
use crate::upstream::{Trouble, Upstreams};
use agent_core::id::{Alias, ToolId, WireName};
use agent_engine::catalog::{Snapshot, Source, assemble_named};
use agent_engine::desk::Desk;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;
use tokio::sync::watch;

/// A lock file, and as which it was read last.
#[derive(Default)]
pub(super) struct LockFile {
    path: PathBuf,
    read: Option<(SystemTime, u64)>,
}

impl LockFile {
    pub(super) fn of(config: &Config) -> Self {
        Self { path: Lock::path(config), read: None }
    }

    /// What it holds, if that may be something else than before. One that can't be read is told once.
    pub(super) fn news(&mut self) -> Option<Result<Lock, String>> {
        let now = std::fs::metadata(&self.path).ok().and_then(|meta| Some((meta.modified().ok()?, meta.len())));
        if now == self.read {
            return None;
        }
        self.read = now;
        Some(Lock::read(&self.path).map_err(|error| error.to_string()))
    }
}

/// What the servers list, on its way to the catalog in force.
pub(super) struct Publishing {
    upstreams: Arc<Upstreams>,
    desk: Desk,
    names: BTreeMap<ToolId, WireName>,
    state: PathBuf,
    /// What the lock file holds of each server, as a mark by which the same is known again.
    locked: BTreeMap<Alias, u64>,
    lock: LockFile,
}

impl Publishing {
    pub(super) fn new(config: &Config, state: &Path, upstreams: Arc<Upstreams>, desk: Desk, lock: LockFile, locked: &Lock) -> Self {
        Self { upstreams, desk, names: config.names.clone(), state: state.to_owned(), locked: marks(locked), lock }
    }

    pub(super) async fn publish(&self) {
        let (sources, names, state) = (self.upstreams.listing(), self.names.clone(), self.state.clone());
        let locked = |source: &Source| self.locked.get(&source.alias) == Some(&mark(&source.definitions));
        let unlocked: BTreeSet<_> = sources.iter().filter(|source| !locked(source)).map(|source| source.alias.clone()).collect();
        // Judging what servers wrote can take long; nobody else waits for it.
        let judged = tokio::task::spawn_blocking(move || {
            let snapshot = assemble_named(&sources, &names);
            if let Err(error) = keep(&state, &snapshot, &unlocked) {
                tracing::warn!(%error, "definitions could not be kept");
            }
            snapshot
        });
        match judged.await {
            Ok(snapshot) => drop(self.desk.publish(snapshot).await),
            Err(error) => tracing::error!(%error, "the servers' lists could not be judged"),
        }
    }

    /// Publishes what is known from now on, and tells what goes wrong with the servers, each as it comes.
    pub(super) async fn follow(mut self, mut changed: watch::Receiver<()>, mut known: Vec<Trouble>) {
        loop {
            tokio::time::sleep(TICK).await;
            self.read_again().await;
            if !changed.has_changed().unwrap_or_default() {
                continue;
            }
            changed.mark_unchanged();
            self.publish().await;
            let troubles = self.upstreams.troubles();
            troubles.iter().filter(|trouble| !known.contains(trouble)).for_each(|trouble| tell(&trouble.to_string()));
            known = troubles;
        }
    }

    async fn read_again(&mut self) {
        let mut lock = std::mem::take(&mut self.lock);
        let read = tokio::task::spawn_blocking(move || (lock.news(), lock)).await;
        let Ok((news, lock)) = read else { return };
        self.lock = lock;
        match news {
            None => {}
            Some(Ok(lock)) => {
                self.locked = marks(&lock);
                self.upstreams.learn(&lock.servers);
            }
            Some(Err(why)) => tell(&format!("the lock file can't be read, and what it said before holds: {why}")),
        }
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
