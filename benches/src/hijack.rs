//! How often tools made to be chosen reach the places of those that should be.
//!
//! Is: attackers planted in a catalog, one kind at a time, each made for one query and the tool that answers it; their places, and
//! those of the right tools with and without them. Is not: an attack on what happens once a tool is found; a person still sees
//! the server and the id. `plant` makes the attackers.

mod plant;

use crate::retrieval::bench::Bench;
use crate::retrieval::data::{self, Given, Query};
use anyhow::Context as _;
use plant::Kind;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// What to attack.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// A folder with `tools.jsonl` and `queries.jsonl`.
    folder: PathBuf,
    /// How many of its queries are targets, spread evenly.
    #[arg(long, value_name = "N", default_value_t = 50)]
    targets: usize,
    /// Write the figures to FILE as well.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// A query, and the tool that an attacker wants to stand in for.
struct Target<'a> {
    query: &'a Query,
    victim: &'a Given,
}

/// Plants each kind of attacker, prints one table and writes the file where one is named.
pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let tools = data::tools(&options.folder).with_context(|| format!("`{}`", options.folder.display()))?;
    let queries = data::queries(&options.folder).with_context(|| format!("`{}`", options.folder.display()))?;
    let target = |query| Some(Target { query, victim: victim(&tools, query)? });
    let all: Vec<_> = queries.iter().filter_map(target).collect();
    let targets: Vec<_> = all.iter().step_by(all.len().div_ceil(options.targets.max(1)).max(1)).collect();
    let runtime = tokio::runtime::Runtime::new()?;
    let before = runtime.block_on(seen(&Bench::of(&tools), &targets, &BTreeSet::new()))?;
    println!("{}", Row::HEAD);
    let mut rows = Vec::new();
    for kind in Kind::ALL {
        let row = runtime.block_on(Row::of(kind, &tools, &targets, &before))?;
        println!("{}", row.line());
        rows.push(row.json());
    }
    if let Some(file) = &options.json {
        std::fs::write(file, serde_json::to_string_pretty(&rows)? + "\n").with_context(|| format!("`{}`", file.display()))?;
    }
    Ok(())
}

fn victim<'a>(tools: &'a [Given], query: &Query) -> Option<&'a Given> {
    let first = query.answers().next()?;
    tools.iter().find(|tool| tool.id == first)
}

/// What one page shows: the places of attackers from 0, and the first place of a right tool.
struct Seen {
    attackers: Vec<usize>,
    right: Option<usize>,
}

impl Seen {
    fn attacked(&self, depth: usize) -> bool {
        self.attackers.iter().any(|place| *place < depth)
    }

    fn right(&self, depth: usize) -> bool {
        self.right.is_some_and(|place| place < depth)
    }
}

async fn seen(bench: &Bench, targets: &[&Target<'_>], attackers: &BTreeSet<&str>) -> anyhow::Result<Vec<Seen>> {
    let mut out = Vec::new();
    for target in targets {
        let right = bench.answers(target.query);
        let hits = bench.hits(&target.query.query).await?;
        let places = hits.iter().enumerate().filter(|(_, hit)| attackers.contains(hit.descriptor.id.as_str()));
        out.push(Seen {
            attackers: places.map(|(place, _)| place).collect(),
            right: hits.iter().position(|hit| right.contains(&hit.descriptor.id)),
        });
    }
    Ok(out)
}

/// What came of one kind of attack.
struct Row {
    kind: Kind,
    targets: usize,
    /// Attackers that the catalog does not serve.
    quarantined: usize,
    /// Shares of targets with an attacker among the first 1, 3 and 5.
    reached: [f64; 3],
    /// Shares with a right tool among the first 1 and 5, without the attack and with it.
    right: [[f64; 2]; 2],
    /// Shares whose right tool was among the first 1, and 5, and isn't any more while an attacker is.
    pushed: [f64; 2],
    /// Attackers among the first 8, on the average.
    page: f64,
}

/// The places of a page that a model sees where it doesn't say how many.
const PAGE: usize = 8;

impl Row {
    const HEAD: &'static str = "| attack | targets | quarantined | in the first 1 | 3 | 5 | of 8 places | right tool first: without | with \
        | in the first 5: without | with | pushed out of 1 | of 5 |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|";

    async fn of(kind: Kind, tools: &[Given], targets: &[&Target<'_>], before: &[Seen]) -> anyhow::Result<Self> {
        let (mut after, mut quarantined) = (Vec::new(), 0);
        let numbered: Vec<_> = targets.iter().copied().enumerate().collect();
        for some in numbered.chunks(kind.at_once(tools.len())) {
            let planted: Vec<Given> = some.iter().flat_map(|(at, _)| kind.plant(*at, targets, tools)).collect();
            let given: Vec<Given> = tools.iter().chain(&planted).cloned().collect();
            let bench = Bench::of(&given);
            let ids: BTreeSet<&str> = planted.iter().map(|tool| bench.id(&tool.id)).collect();
            quarantined += ids.iter().filter(|id| bench.snapshot().get(id).is_none()).count();
            let targets: Vec<_> = some.iter().map(|(_, target)| *target).collect();
            after.extend(seen(&bench, &targets, &ids).await?);
        }
        let share = |holds: &dyn Fn(&Seen, &Seen) -> bool| {
            before.iter().zip(&after).filter(|(before, after)| holds(before, after)).count() as f64 / targets.len().max(1) as f64
        };
        let pushed = |depth| share(&|before, after| before.right(depth) && !after.right(depth) && after.attacked(depth));
        let page: usize = after.iter().map(|seen| seen.attackers.iter().filter(|place| **place < PAGE).count()).sum();
        Ok(Self {
            kind,
            targets: targets.len(),
            quarantined,
            reached: [1, 3, 5].map(|depth| share(&|_, after| after.attacked(depth))),
            right: [1, 5].map(|depth| [share(&|before, _| before.right(depth)), share(&|_, after| after.right(depth))]),
            pushed: [1, 5].map(pushed),
            page: page as f64 / targets.len().max(1) as f64,
        })
    }

    fn line(&self) -> String {
        let Self { kind, targets, quarantined, reached, right, pushed, page } = self;
        let shares = |values: &[f64]| values.iter().map(|value| format!("{value:.2}")).collect::<Vec<_>>().join(" | ");
        let (reached, right, pushed) = (shares(reached), shares(right.as_flattened()), shares(pushed));
        format!("| {} | {targets} | {quarantined} | {reached} | {page:.1} | {right} | {pushed} |", kind.name())
    }

    fn json(&self) -> Value {
        let Self { kind, targets, quarantined, reached, right, pushed, page } = self;
        let [first, five] = right;
        json!({
            "attack": kind.name(), "targets": targets, "quarantined": quarantined, "reached_1_3_5": reached, "of_8": page,
            "right_first_without_and_with": first, "right_in_5_without_and_with": five, "pushed_out_of_1_and_5": pushed,
        })
    }
}
