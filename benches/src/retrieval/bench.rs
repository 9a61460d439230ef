//! A catalog of given tools, and the searching of it.
//!
//! Is: the shipped road from raw definitions through `catalog::assemble` to `Search::find`. Is not: a judge of what is found.

use super::data::{self, Given, Query};
use super::measure::Measured;
use agent_core::id::{Alias, ToolId};
use agent_core::limits::HITS_MAX;
use agent_core::session::Visibility;
use agent_engine::catalog::{Snapshot, Tool, assemble};
use agent_engine::index::Indexes;
use agent_engine::search::{Page, Parts, Search};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Bytes of indexes that are held; a catalog needs one.
const INDEX_BYTES: usize = 256 * 1024 * 1024;

/// The parts of a ranking, by name.
pub(crate) const PARTS: [&str; 10] = ["exact", "coverage", "servers", "clauses", "synonyms", "typos", "table", "places", "floor", "share"];

/// All parts but the one of this name.
pub(crate) fn without(part: &str) -> Parts {
    let on = |name| name != part;
    Parts {
        exact: on("exact"),
        coverage: on("coverage"),
        servers: on("servers"),
        clauses: on("clauses"),
        synonyms: on("synonyms"),
        typos: on("typos"),
        table: on("table"),
        places: on("places"),
        floor: on("floor"),
        share: on("share"),
    }
}

/// A catalog as a search sees it.
pub(crate) struct Bench {
    search: Search,
    snapshot: Arc<Snapshot>,
    visible: Visibility,
    ids: BTreeMap<String, String>,
}

impl Bench {
    /// A catalog of these tools, searched with all parts.
    pub(crate) fn of(given: &[Given]) -> Self {
        Self::with(given, Parts::default())
    }

    /// A catalog of these tools, searched with these parts.
    pub(crate) fn with(given: &[Given], parts: Parts) -> Self {
        let (sources, ids) = data::sources(given);
        let snapshot = Arc::new(assemble(&sources));
        let visible = Visibility { hidden: Arc::default(), digest: snapshot.digest() };
        Self { search: Search::with(Indexes::new(INDEX_BYTES), parts), snapshot, visible, ids }
    }

    /// The longest page for a query, of one server where one is named.
    pub(crate) async fn page(&self, query: &str, server: Option<&Alias>) -> anyhow::Result<Page> {
        Ok(self.search.find(&self.snapshot, &self.visible, query, HITS_MAX, server).await?)
    }

    /// The same for somebody who may not find some tools, which changes it as if they were not there.
    pub(crate) async fn page_hiding(&self, query: &str, hidden: &BTreeSet<ToolId>) -> anyhow::Result<Page> {
        let visible = Visibility { hidden: Arc::new(hidden.clone()), digest: self.snapshot.visible(hidden) };
        Ok(self.search.find(&self.snapshot, &visible, query, HITS_MAX, None).await?)
    }

    /// The tools of a page, the best first.
    pub(crate) async fn hits(&self, query: &str) -> anyhow::Result<Vec<Arc<Tool>>> {
        Ok(self.page(query, None).await?.hits)
    }

    /// The id that a given tool has in the catalog; an empty one where it has none.
    pub(crate) fn id(&self, given: &str) -> &str {
        self.ids.get(given).map_or("", String::as_str)
    }

    /// The ids in the catalog of all tools that answer a query.
    pub(crate) fn answers(&self, query: &Query) -> BTreeSet<ToolId> {
        query.answers().filter_map(|id| ToolId::parse(self.id(id)).ok()).collect()
    }

    /// How good a page is for a query.
    pub(crate) fn measure(&self, query: &Query, page: &Page) -> Measured {
        let hits: Vec<&str> = page.hits.iter().map(|tool| tool.descriptor.id.as_str()).collect();
        let groups: Vec<Vec<&str>> = query.groups().iter().map(|group| group.iter().map(|id| self.id(id)).collect()).collect();
        Measured::of(&hits, &groups)
    }

    /// All tools.
    pub(crate) fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }
}
