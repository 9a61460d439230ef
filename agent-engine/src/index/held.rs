//! The indexes that are held: one for each digest of a visible catalog, built once at a time, the least used let go.
//!
//! Is not: where an index is made (`index`). Sessions that see the same share one. Clauses: SRCH-3, SRCH-4.

use super::{Index, IndexError};
use crate::catalog::Snapshot;
use crate::sync::Mutex;
use agent_core::digest::Digest;
use agent_core::session::Visibility;
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio::sync::{Semaphore, watch};

type Built = Option<Result<Arc<Index>, IndexError>>;

struct Entry {
    built: watch::Receiver<Built>,
    bytes: usize,
    used: u64,
}

#[derive(Default)]
struct Held {
    entries: BTreeMap<Digest, Entry>,
    clock: u64,
}

/// Indexes by the digest of what they hold, bounded by bytes.
pub struct Indexes {
    bytes: usize,
    held: Arc<Mutex<Held>>,
    pub(super) builds: Arc<Semaphore>,
}

/// Indexes that are built at once, each in memory that no bound counts yet.
const BUILDS: usize = 2;

impl Indexes {
    /// Holds at most about `bytes` bytes of indexes, and the newest one whatever its size. An index counts with the
    /// definitions that it keeps alive, though others may share them.
    #[must_use]
    pub fn new(bytes: usize) -> Self {
        Self { bytes, held: Arc::new(Mutex::new(Held::default())), builds: Arc::new(Semaphore::new(BUILDS)) }
    }

    /// The index of what an asker can find, built on a blocking thread where it is not held, two at a time. Who asks while it is
    /// being built waits for that one; a dropped caller stops nothing.
    ///
    /// # Errors
    /// [`IndexError`] where it could not be built; the next call tries again.
    pub async fn of(&self, snapshot: &Arc<Snapshot>, visible: &Visibility) -> Result<Arc<Index>, IndexError> {
        let mut built = self.held.with(|held| {
            held.clock += 1;
            let used = held.clock;
            let entry = held.entries.entry(visible.digest).or_insert_with(|| self.build(snapshot, visible));
            entry.used = used;
            entry.built.clone()
        });
        let done = built.wait_for(Option::is_some).await.ok().and_then(|done| done.clone());
        done.unwrap_or_else(|| {
            self.held.with(|held| held.entries.remove(&visible.digest));
            Err(IndexError("the build was stopped".into()))
        })
    }

    fn build(&self, snapshot: &Arc<Snapshot>, visible: &Visibility) -> Entry {
        let (done, built) = watch::channel(None);
        let (held, snapshot, visible, bound) = (self.held.clone(), snapshot.clone(), visible.clone(), self.bytes);
        let made = move || {
            let made = Index::build(&snapshot, &visible).map(Arc::new);
            held.with(|held| match &made {
                Ok(index) => held.settle(&visible.digest, index.bytes(), bound),
                Err(_) => drop(held.entries.remove(&visible.digest)),
            });
            done.send_replace(Some(made));
        };
        let builds = self.builds.clone();
        tokio::spawn(async move {
            let turn = builds.acquire_owned().await;
            drop(tokio::task::spawn_blocking(made).await);
            drop(turn);
        });
        Entry { built, bytes: 0, used: 0 }
    }
}

impl Held {
    /// Notes the size of a new index and lets go of the least used others until the bound holds.
    fn settle(&mut self, new: &Digest, bytes: usize, bound: usize) {
        if let Some(entry) = self.entries.get_mut(new) {
            entry.bytes = bytes;
        }
        while self.entries.values().map(|entry| entry.bytes).sum::<usize>() > bound {
            let others = self.entries.iter().filter(|(digest, entry)| *digest != new && entry.bytes > 0);
            let Some(oldest) = others.min_by_key(|(_, entry)| entry.used).map(|(digest, _)| *digest) else { break };
            self.entries.remove(&oldest);
        }
    }
}
