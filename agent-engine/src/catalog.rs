//! The passive catalog: immutable snapshots, published whole.
//!
//! Is: which tools there are. Is not: which of them anybody may find or call; nothing here starts, connects or asks.
//! Clauses: CAT-1, CAT-4, CAT-6, CAT-8 (diff, overclaim), ID-2, ID-3. Invariants: I-6.

mod assemble;
pub mod diff;
mod mentions;
mod notes;

pub use assemble::{Reason, Source, assemble, assemble_named};
pub use mentions::mentioned;
pub use notes::notes;

use agent_core::definition::Definition;
use agent_core::descriptor::Descriptor;
use agent_core::digest::{Digest, Domain, Hasher};
use agent_core::id::{Alias, ToolId};
use agent_core::session::Bound;
use arc_swap::ArcSwap;
use parking_lot::Mutex;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// One served tool.
#[derive(Debug, Clone)]
pub struct Tool {
    /// Its compact face.
    pub descriptor: Descriptor,
    /// What its source sent.
    pub definition: Arc<Definition>,
    /// What decides whether two catalogs are the same to a finder: descriptor and, by its digest, definition.
    face: Digest,
}

impl Tool {
    /// The exact definition.
    #[must_use]
    pub fn bound(&self) -> Bound {
        Bound { id: self.descriptor.id.clone(), digest: self.descriptor.digest }
    }
}

/// One tool that is not served, and why. Its siblings are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quarantined {
    /// The source.
    pub server: Alias,
    /// The name as the source wrote it, cut and made visible.
    pub name: String,
    /// Why.
    pub reason: Reason,
}

/// One generation of the catalog.
#[derive(Debug, Clone, Default)]
pub struct Snapshot {
    generation: u64,
    digest: Option<Digest>,
    tools: Vec<Arc<Tool>>,
    /// The places of the tools, by wire name.
    wires: Vec<usize>,
    servers: BTreeMap<Alias, String>,
    quarantined: Vec<Quarantined>,
}

impl Snapshot {
    /// Its number, from 1; 0 for one that was never published.
    #[must_use]
    pub const fn generation(&self) -> u64 {
        self.generation
    }

    /// The digest of the whole.
    #[must_use]
    pub fn digest(&self) -> Digest {
        self.digest.unwrap_or_else(|| self.visible(&BTreeSet::new()))
    }

    /// Every served tool, by id.
    #[must_use]
    pub fn tools(&self) -> &[Arc<Tool>] {
        &self.tools
    }

    /// A tool by its id, byte for byte.
    // INVARIANT: I-5
    #[must_use]
    pub fn get(&self, id: &str) -> Option<&Arc<Tool>> {
        let place = self.tools.binary_search_by(|tool| tool.descriptor.id.as_str().cmp(id)).ok()?;
        self.tools.get(place)
    }

    /// A tool by its wire name, byte for byte.
    #[must_use]
    pub fn by_wire(&self, name: &str) -> Option<&Arc<Tool>> {
        let wire = |place: &usize| self.tools.get(*place).map(|tool| tool.descriptor.wire.as_str());
        let place = self.wires.binary_search_by(|place| wire(place).cmp(&Some(name))).ok()?;
        self.tools.get(*self.wires.get(place)?)
    }

    /// The sources, each with the operator's description of it, for people; empty where there is none.
    #[must_use]
    pub const fn servers(&self) -> &BTreeMap<Alias, String> {
        &self.servers
    }

    /// What is not served.
    #[must_use]
    pub fn quarantined(&self) -> &[Quarantined] {
        &self.quarantined
    }

    /// The digest of what is left without the hidden tools: that of a catalog which never held them (SRCH-4).
    #[must_use]
    pub fn visible(&self, hidden: &BTreeSet<ToolId>) -> Digest {
        let mut hasher = Hasher::new(Domain::Catalog);
        for tool in self.tools.iter().filter(|tool| !hidden.contains(&tool.descriptor.id)) {
            hasher.add(tool.face.bytes());
        }
        hasher.finish()
    }
}

/// The catalog in force.
#[derive(Default)]
pub struct Catalog {
    current: ArcSwap<Snapshot>,
    publishing: Mutex<()>,
}

impl Catalog {
    /// The snapshot in force; a round loads it once and keeps to it.
    #[must_use]
    pub fn current(&self) -> Arc<Snapshot> {
        self.current.load_full()
    }

    /// Publishes a snapshot as the next generation, unless it changes nothing.
    pub fn publish(&self, mut snapshot: Snapshot) -> Option<Arc<Snapshot>> {
        let _one = self.publishing.lock();
        let current = self.current();
        let digest = snapshot.visible(&BTreeSet::new());
        let same = current.generation > 0 && current.digest == Some(digest) && current.quarantined == snapshot.quarantined;
        if same {
            return None;
        }
        snapshot.generation = current.generation + 1;
        snapshot.digest = Some(digest);
        let published = Arc::new(snapshot);
        self.current.store(published.clone());
        Some(published)
    }
}

#[cfg(test)]
mod tests;
