//! Activations and starts on a disk, against a bare synced commit of the same bytes on the same file in the same run.
//!
//! Is: both sides in turns of some dozens, so that a disk's moods meet both. The bare commit is one row of one table, by a
//! connection set up as the store's.

use super::rig::{Rig, object};
use crate::bare::Bare;
use crate::measure::{Bound, Figure, Samples, millis};
use agent_core::outcome::{Outcome, ToolResult};
use agent_engine::builtins::Reply;
use agent_engine::catalog::assemble;
use agent_engine::testing::{Length, StaticHost, sources};
use agent_host::store::SqliteLedger;
use serde_json::json;
use std::path::Path;
use std::sync::{Arc, mpsc};
use std::time::Instant;
use tempfile::TempDir;
use tokio::task::JoinSet;

const SIZE: usize = 1_000;
const TURNS: usize = 16;
/// Activations, or rounds of starts, in one turn.
const PER_TURN: usize = 25;
/// Calls of one round.
const PARALLEL: usize = 16;

pub(crate) async fn activations(state: &Path) -> anyhow::Result<Vec<Figure>> {
    let mut figures = Vec::new();
    for active in [0, 39] {
        let folder = TempDir::new_in(state)?;
        let store = folder.path().join("state");
        let rig = Rig::new(Arc::new(SqliteLedger::open(&store)?), Arc::new(StaticHost::default()), SIZE).await?;
        rig.activate(0..active).await?;
        let bare = Bare::new(&store)?;
        let (mut activated, mut committed) = (Samples::default(), Samples::default());
        for turn in 0..TURNS {
            let mut written = Vec::new();
            for step in 0..PER_TURN {
                let tools = json!({"tools": [rig.id(active + turn * PER_TURN + step)?]});
                let before = bare.last()?;
                let start = Instant::now();
                rig.done("activate_tools", tools.clone()).await?;
                activated.add(millis(start));
                written.push(bare.bytes_since(before)?);
                rig.done("deactivate_tools", tools).await?;
            }
            bare.turn(&written, &mut committed)?;
        }
        let what = format!("durable activation to a bare synced commit, {active} active");
        figures.push(Figure::ratio(what, &activated, &committed, Some(Bound::AtMost(1.5))));
        figures.push(Figure::new(format!("the bare synced commit, {active} active"), "ms", &committed, None));
    }
    Ok(figures)
}

/// From the moment in which all calls of a round are made to that in which each one's tool is entered.
pub(crate) fn starts(state: &Path) -> anyhow::Result<Vec<Figure>> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_time().build()?;
    runtime.block_on(async {
        let folder = TempDir::new_in(state)?;
        let store = folder.path().join("state");
        let (entered, entries) = mpsc::channel();
        let catalog = assemble(&sources(SIZE, Length::Usual));
        let mut host = StaticHost::default();
        for tool in catalog.tools().iter().take(PARALLEL) {
            let entered = entered.clone();
            host = host.with(tool.descriptor.id.clone(), None, move |_| match entered.send(Instant::now()) {
                Ok(()) => Outcome::Ok(ToolResult::text("done")),
                Err(_) => Outcome::Lost("nobody measures".to_owned()),
            });
        }
        let rig = Rig::new(Arc::new(SqliteLedger::open(&store)?), Arc::new(host), SIZE).await?;
        rig.activate(0..PARALLEL).await?;
        let bare = Bare::new(&store)?;
        let (mut started, mut rounds, mut committed) = (Samples::default(), Samples::default(), Samples::default());
        for _ in 0..TURNS {
            let mut written = Vec::new();
            for _ in 0..PER_TURN {
                let before = bare.last()?;
                let start = Instant::now();
                round(&rig).await?;
                let times: Vec<_> = entries.try_iter().map(|at: Instant| (at - start).as_secs_f64() * 1000.0).collect();
                rounds.add(times.iter().copied().fold(0.0, f64::max));
                times.into_iter().for_each(|time| started.add(time));
                written.push(bare.bytes_since(before)?);
            }
            bare.turn(&written, &mut committed)?;
        }
        let each = format!("durable start, each of {PARALLEL} parallel calls, to one bare synced commit");
        let all = format!("durable starts, all of {PARALLEL} parallel calls, to one bare synced commit");
        Ok(vec![Figure::ratio(each, &started, &committed, None), Figure::ratio(all, &rounds, &committed, None)])
    })
}

/// One call of each tool, all at once.
async fn round(rig: &Rig) -> anyhow::Result<()> {
    let mut calls = JoinSet::new();
    for tool in rig.catalog.tools().iter().take(PARALLEL) {
        let (front, session, name) = (rig.front.clone(), rig.session.clone(), tool.descriptor.wire.to_string());
        let required = tool.definition.parameters.iter().filter(|parameter| parameter.required);
        let arguments = object(required.map(|parameter| (parameter.name.clone(), json!("x"))).collect());
        calls.spawn(async move { front.call(&session, &name, arguments).await });
    }
    for reply in calls.join_all().await {
        anyhow::ensure!(matches!(&reply, Reply::Ran(ran) if matches!(ran.outcome, Outcome::Ok(_))), "not run: {reply:?}");
    }
    Ok(())
}
