//! The host's own search: the whole `search_tools` of an engine with a session, to the rendered answer.

use super::super::rig::Rig;
use super::taken::{Set, Taken};
use crate::measure::megabytes;
use crate::retrieval::data::Sources;
use agent_core::session::Visibility;
use agent_engine::index::Indexes;
use agent_engine::ledger::MemoryLedger;
use agent_engine::testing::StaticHost;
use serde_json::json;
use std::path::Path;
use std::sync::Arc;

/// Tools whose listed texts outlive the measure.
const LISTED: usize = 100_000;

/// The first search builds the index, as it does in a host.
pub(super) fn run(folder: &Path) -> anyhow::Result<Taken> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
    let mut sources = Sources::default();
    let set = Set::read(folder, |tool| drop(sources.add(&tool)))?;
    let sources = sources.made();
    let rig = runtime.block_on(Rig::of(Arc::new(MemoryLedger::default()), Arc::new(StaticHost::default()), &sources))?;
    // Beside a million definitions their listed texts are a gigabyte, and what an index takes of their room is little beside it.
    let listed = (set.tools.len() <= LISTED).then_some(sources);
    let search = |query: &str| runtime.block_on(rig.done("search_tools", json!({"query": query}))).map(drop);
    let taken = set.take(|| search("first"), |(), query| search(query))?;
    let (whole, weighed) = (megabytes(std::process::id(), "status", "VmHWM")?, listed.is_some());
    let catalog = Arc::new(rig.catalog.clone());
    // Its index goes before another is made to be weighed; for a million tools that takes minutes and is left out.
    drop((rig, listed));
    let visible = Visibility { hidden: Arc::default(), digest: catalog.digest() };
    let index = weighed.then(|| runtime.block_on(Indexes::new(0).of(&catalog, &visible))).transpose()?;
    Ok(Taken { tools: catalog.tools().len(), bytes: index.map_or(0.0, |index| index.bytes() as f64), whole, ..taken })
}
