//! A catalog of given tools, and the searching of it.
//!
//! Is: the shipped road from raw definitions through `catalog::assemble` to `Search::find`. Is not: a judge of what is found.

use super::data::{self, Given};
use agent_core::id::Alias;
use agent_core::limits::HITS_MAX;
use agent_core::session::Visibility;
use agent_engine::catalog::{Snapshot, Tool, assemble};
use agent_engine::index::Indexes;
use agent_engine::search::{Page, Search};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Bytes of indexes that are held; a catalog needs one.
const INDEX_BYTES: usize = 256 * 1024 * 1024;

/// A catalog as a search sees it.
pub(crate) struct Bench {
    search: Search,
    snapshot: Arc<Snapshot>,
    visible: Visibility,
    ids: BTreeMap<String, String>,
}

impl Bench {
    /// A catalog of these tools.
    pub(crate) fn of(given: &[Given]) -> Self {
        let (sources, ids) = data::sources(given);
        let snapshot = Arc::new(assemble(&sources));
        let visible = Visibility { hidden: Arc::default(), digest: snapshot.digest() };
        Self { search: Search::new(Indexes::new(INDEX_BYTES)), snapshot, visible, ids }
    }

    /// The longest page for a query, of one server where one is named.
    pub(crate) async fn page(&self, query: &str, server: Option<&Alias>) -> anyhow::Result<Page> {
        Ok(self.search.find(&self.snapshot, &self.visible, query, HITS_MAX, server).await?)
    }

    /// The tools of such a page, the best first.
    pub(crate) async fn hits(&self, query: &str) -> anyhow::Result<Vec<Arc<Tool>>> {
        Ok(self.page(query, None).await?.hits)
    }

    /// The id that a given tool has in the catalog; an empty one where it has none.
    pub(crate) fn id(&self, given: &str) -> &str {
        self.ids.get(given).map_or("", String::as_str)
    }

    /// All tools.
    pub(crate) fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }
}
