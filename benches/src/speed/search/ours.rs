//! The host's own search: the whole `search_tools` of an engine with a session, to the rendered answer.

use super::super::rig::Rig;
use super::taken::{Set, Taken};
use crate::retrieval::data;
use agent_core::session::Visibility;
use agent_engine::index::Indexes;
use agent_engine::ledger::MemoryLedger;
use agent_engine::testing::StaticHost;
use serde_json::json;
use std::sync::Arc;

/// The first search builds the index, as it does in a host.
pub(super) fn run(set: &Set) -> anyhow::Result<Taken> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
    let (sources, _) = data::sources(&set.tools);
    let rig = runtime.block_on(Rig::of(Arc::new(MemoryLedger::default()), Arc::new(StaticHost::default()), &sources))?;
    let search = |query: &str| runtime.block_on(rig.done("search_tools", json!({"query": query}))).map(drop);
    let taken = set.take(|| search("first"), |(), query| search(query))?;
    let catalog = Arc::new(rig.catalog.clone());
    let visible = Visibility { hidden: Arc::default(), digest: catalog.digest() };
    let index = runtime.block_on(Indexes::new(0).of(&catalog, &visible))?;
    Ok(Taken { tools: catalog.tools().len(), bytes: index.bytes() as f64, ..taken })
}
