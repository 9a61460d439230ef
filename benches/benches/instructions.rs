//! How many instructions a search and a decision take, as valgrind counts them, beside limits past which the run fails.
//!
//! Is: a gate against getting slower that no load of the machine moves. `benches/count` runs it. Is not: a time, nor exact
//! elsewhere: compilers and processors differ, so a limit is half as much again as what was counted.
#![allow(missing_docs, unreachable_pub)]

// It also holds what only `speed` needs.
#[allow(dead_code)]
#[path = "../src/speed/rig.rs"]
mod rig;

use agent_core::session::Listing;
use agent_engine::gate::Target;
use agent_engine::ledger::MemoryLedger;
use agent_engine::testing::StaticHost;
use gungraun::{Callgrind, EventKind, LibraryBenchmarkConfig, library_benchmark, library_benchmark_group, main};
use rig::Rig;
use serde_json::json;
use std::hint::black_box;
use std::sync::Arc;
use tokio::runtime::{Builder, Runtime};

const TOOLS: usize = 1_000;
const ACTIVE: usize = 40;

/// An engine that answered a search and admitted a call before.
struct Warm {
    runtime: Runtime,
    rig: Rig,
}

impl Warm {
    fn new() -> anyhow::Result<Self> {
        let runtime = Builder::new_current_thread().enable_time().build()?;
        let rig = runtime.block_on(Rig::new(Arc::new(MemoryLedger::default()), Arc::new(StaticHost::default()), TOOLS))?;
        runtime.block_on(rig.activate(0..ACTIVE))?;
        let warm = Self { runtime, rig };
        warm.search()?;
        warm.admit()?;
        Ok(warm)
    }

    /// A name and words of a description, through the builtin to the rendered answer.
    fn search(&self) -> anyhow::Result<String> {
        let arguments = json!({"query": "archive the ticket of an owner with status and date"});
        self.runtime.block_on(self.rig.done("search_tools", arguments))
    }

    /// One call let through, with its arguments validated and digested.
    fn admit(&self) -> anyhow::Result<()> {
        let tool = self.rig.catalog.tools().first().ok_or_else(|| anyhow::anyhow!("an empty catalog"))?;
        let required = tool.definition.parameters.iter().filter(|parameter| parameter.required);
        let arguments = required.map(|parameter| (parameter.name.clone(), json!("x"))).collect();
        let target = Target::Wire(tool.descriptor.wire.as_str(), Listing::Held);
        let admitted = self.runtime.block_on(self.rig.front.calls().admit(&self.rig.session, target, arguments));
        black_box(admitted).map(drop).map_err(|refusal| anyhow::anyhow!("refused: {refusal:?}"))
    }
}

/// Fails past so many instructions.
fn at_most(instructions: u64) -> LibraryBenchmarkConfig {
    LibraryBenchmarkConfig::default().tool(Callgrind::default().hard_limits([(EventKind::Ir, instructions)])).clone()
}

// Counted with rustc 1.95.0 on x86_64, valgrind 3.19: 912,004 for a search, 33,892 for an admission.

#[library_benchmark(setup = Warm::new, config = at_most(1_370_000))]
#[bench::a_thousand_tools()]
fn search(warm: anyhow::Result<Warm>) -> anyhow::Result<Warm> {
    let warm = warm?;
    black_box(warm.search()?);
    Ok(warm)
}

#[library_benchmark(setup = Warm::new, config = at_most(51_000))]
#[bench::forty_active()]
fn admission(warm: anyhow::Result<Warm>) -> anyhow::Result<Warm> {
    let warm = warm?;
    warm.admit()?;
    Ok(warm)
}

library_benchmark_group!(name = instructions, benchmarks = [search, admission]);
main!(library_benchmark_groups = instructions);
