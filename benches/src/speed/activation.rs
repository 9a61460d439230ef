//! Activation in memory: one call of `activate_tools` under a rule that says `auto`, from its arguments to the set's new
//! version. The text that answers it is made by a public function, whose cost is taken off and shown apart.

use super::rig::{Rig, object};
use crate::measure::{Bound, Figure, Samples, cpu};
use agent_core::session::Listing;
use agent_engine::builtins::Reply;
use agent_engine::ledger::MemoryLedger;
use agent_engine::projection;
use agent_engine::testing::StaticHost;
use serde_json::json;
use std::hint::black_box;
use std::sync::Arc;

/// Activations of each kind.
const SAMPLES: usize = 900;

pub(crate) async fn figures() -> anyhow::Result<Vec<Figure>> {
    let mut figures = Vec::new();
    for size in [1_000, 10_000] {
        for active in [0, 39] {
            let rig = Rig::new(Arc::new(MemoryLedger::default()), Arc::new(StaticHost::default()), size).await?;
            rig.activate(0..active).await?;
            for known in [false, true] {
                let (activated, answered) = measure(&rig, active).await?;
                let whose = if known { "accepted before" } else { "never accepted" };
                let what = format!("activation in memory of one id, {whose}, {active} active, {size} tools");
                figures.push(Figure::new(what.clone(), "us CPU", &activated, Some(Bound::Under(20.0))));
                if !known {
                    figures.push(Figure::new(format!("{what}: its answer"), "us CPU", &answered, None));
                }
            }
        }
    }
    Ok(figures)
}

/// Activates one tool after another, giving each up again; the first time none of them was accepted before.
async fn measure(rig: &Rig, active: usize) -> anyhow::Result<(Samples, Samples)> {
    let (mut activated, mut answered) = (Samples::default(), Samples::default());
    for place in active..active + SAMPLES {
        let id = rig.id(place)?;
        let arguments = object(json!({"tools": [id]}));
        let start = cpu();
        let reply = black_box(rig.front.call(&rig.session, "activate_tools", arguments).await);
        let whole = cpu() - start;
        let tool = rig.catalog.get(id.as_str()).map(|tool| vec![tool.clone()]).unwrap_or_default();
        let start = cpu();
        let text = black_box(serde_json::to_string(&projection::activated(&tool, rig.session.state().set, 1, Listing::Held))?);
        let answer = cpu() - start;
        activated.add((whole - answer) / 1000.0);
        answered.add(answer / 1000.0);
        anyhow::ensure!(matches!(&reply, Reply::Done { text: told, .. } if *told == text), "refused: {reply:?}");
        rig.done("deactivate_tools", json!({"tools": [id]})).await?;
    }
    Ok((activated, answered))
}
