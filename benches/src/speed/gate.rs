//! The gate's decision, from outside: what an admission costs, less its arguments' validation and digest.
//!
//! Is: an upper bound of `gate::decide`; the frame it is asked about, its locks and the check for closed streams are in it.

use super::rig::Rig;
use crate::measure::{Bound, Figure, Samples, cpu};
use agent_core::digest::{Digest, Domain};
use agent_core::session::Listing;
use agent_engine::catalog::Tool;
use agent_engine::gate::Target;
use agent_engine::ledger::MemoryLedger;
use agent_engine::schema::Schemas;
use agent_engine::testing::StaticHost;
use serde_json::{Map, Value, json};
use std::hint::black_box;
use std::sync::Arc;

const ACTIVE: usize = 40;
const BATCHES: usize = 1000;
/// Calls of each tool in one batch.
const ROUNDS: usize = 10;

pub(crate) async fn figures() -> anyhow::Result<Vec<Figure>> {
    let mut figures = Vec::new();
    for size in [1_000, 10_000] {
        let rig = Rig::new(Arc::new(MemoryLedger::default()), Arc::new(StaticHost::default()), size).await?;
        rig.activate(0..ACTIVE).await?;
        let by_name = measure(&rig, |tool| Target::Wire(tool.descriptor.wire.as_str(), Listing::Held)).await?;
        let by_id = measure(&rig, |tool| Target::Id(tool.descriptor.id.as_str())).await?;
        let figure = |how, samples| {
            let what = format!("gate decision, {how}, {ACTIVE} active, 10 rules, {size} tools");
            Figure::new(what, "us CPU", samples, Some(Bound::Under(1.0)))
        };
        figures.extend([figure("by name", &by_name), figure("by id", &by_id)]);
    }
    Ok(figures)
}

async fn measure<'a>(rig: &'a Rig, target: impl Fn(&'a Tool) -> Target<'a>) -> anyhow::Result<Samples> {
    let schemas = Schemas::default();
    let tools: Vec<_> = rig.catalog.tools().iter().take(ACTIVE).map(|tool| (tool, arguments(tool))).collect();
    let calls = (ROUNDS * ACTIVE) as f64;
    let mut samples = Samples::default();
    for _ in 0..BATCHES {
        let start = cpu();
        for _ in 0..ROUNDS {
            for (tool, arguments) in &tools {
                let admitted = rig.front.calls().admit(&rig.session, target(tool), arguments.clone()).await;
                black_box(admitted.map_err(|refusal| anyhow::anyhow!("refused: {refusal:?}"))?);
            }
        }
        let whole = cpu();
        for _ in 0..ROUNDS {
            for (tool, arguments) in &tools {
                black_box(validate(&schemas, tool, arguments.clone()).map_err(anyhow::Error::msg)?);
            }
        }
        samples.add((2.0 * whole - start - cpu()) / calls / 1000.0);
    }
    Ok(samples)
}

/// What an admission does with arguments.
fn validate(schemas: &Schemas, tool: &Tool, arguments: Map<String, Value>) -> Result<Digest, String> {
    schemas.check(&tool.definition, &arguments)?;
    Ok(Digest::of(Domain::Arguments, &serde_json::to_vec(&arguments).unwrap_or_default()))
}

/// The required ones, as the schemas of made-up catalogs have them.
fn arguments(tool: &Tool) -> Map<String, Value> {
    let required = tool.definition.parameters.iter().filter(|parameter| parameter.required);
    required.map(|parameter| (parameter.name.clone(), json!("x"))).collect()
}
