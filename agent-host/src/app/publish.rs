//! From what the servers are known to list to the catalog in force, as it changes.
//!
//! Is: the lock file read again when it changed, what a server lists published as it comes, definitions kept that are in no
//! lock file. Is not: a listing. Clauses: CAT-6 (publishing), CAT-7 (lock, sync). Invariant: I-6.

use super::{TICK, tell};
use crate::config::Config;
use crate::lock::Lock;
use crate::store::Definitions;
use crate::upstream::{Trouble, Upstreams};
use agent_core::digest::Digest;
use agent_core::id::{ToolId, WireName};
use agent_engine::catalog::{Snapshot, assemble_named};
use agent_engine::desk::Desk;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;
use tokio::sync::watch;

/// A lock file, and as which it was read last.
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
    definitions: Arc<Definitions>,
    /// The digests of what the lock file holds.
    locked: BTreeSet<Digest>,
    lock: LockFile,
}

impl Publishing {
    pub(super) fn new(config: &Config, state: &Path, upstreams: Arc<Upstreams>, desk: Desk, lock: LockFile, locked: &Lock) -> Self {
        let definitions = Arc::new(Definitions::of(state));
        let locked = locked.definitions().into_keys().collect();
        Self { upstreams, desk, names: config.names.clone(), definitions, locked, lock }
    }

    pub(super) async fn publish(&self) {
        let (sources, names) = (self.upstreams.listing(), self.names.clone());
        let (definitions, locked) = (self.definitions.clone(), self.locked.clone());
        // Judging what servers wrote can take long; nobody else waits for it.
        let judged = tokio::task::spawn_blocking(move || {
            let snapshot = assemble_named(&sources, &names);
            keep(&definitions, &snapshot, &locked);
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
            self.read_again();
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

    fn read_again(&mut self) {
        match self.lock.news() {
            None => {}
            Some(Ok(lock)) => {
                self.locked = lock.definitions().into_keys().collect();
                self.upstreams.learn(lock.known());
            }
            Some(Err(why)) => tell(&format!("the lock file can't be read, and what it said before holds: {why}")),
        }
    }
}

/// A definition that is in no lock file may be accepted now and be gone when somebody wants to see what that was.
fn keep(definitions: &Definitions, snapshot: &Snapshot, locked: &BTreeSet<Digest>) {
    let served = snapshot.tools().iter().map(|tool| (tool.definition.digest, &*tool.definition.raw));
    if let Err(error) = definitions.keep(served.filter(|(digest, _)| !locked.contains(digest))) {
        tracing::warn!(%error, "definitions could not be kept");
    }
}
