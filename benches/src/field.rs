//! Whether searches from the field find what they should, each in its own small catalog among many other tools.
//!
//! Is: a row for each case with what came out. Is not: a measure; a case is right or it is not. `case` is what a case holds, `judge`
//! compares.

mod case;
mod judge;

use crate::retrieval::bench::Bench;
use crate::retrieval::data::{self, Given};
use agent_core::id::{Alias, ToolId};
use agent_engine::search::Page;
use anyhow::Context as _;
use case::Case;
use judge::{Judged, judge};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// What to judge.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Cases, one a line.
    cases: PathBuf,
    /// A folder with the `tools.jsonl` that the other tools are taken from.
    #[arg(long, value_name = "FOLDER")]
    among: Option<PathBuf>,
    /// How many other tools.
    #[arg(long, value_name = "N", default_value_t = 300)]
    tools: usize,
    /// Write the verdicts to FILE as well.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// Judges every case, prints one table and writes the file where one is named.
pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let cases: Vec<Case> = data::lines(&options.cases)?;
    let pool = options.among.as_deref().map_or_else(|| Ok(Vec::new()), data::tools)?;
    let runtime = tokio::runtime::Runtime::new()?;
    println!("| case | query | right | why not | came out | to look at |\n|---|---|---|---|---|---|");
    let mut all = Vec::new();
    for case in &cases {
        let one = runtime.block_on(Row::of(case, case.others(&pool, options.tools))).with_context(|| format!("case {}", case.id))?;
        println!("{}", one.line());
        all.push(one);
    }
    let right = all.iter().filter(|row| row.judged.wrong.is_empty()).count();
    println!("\n{right} of {} are right", all.len());
    let asides = all.iter().flat_map(|row| row.judged.unknown.iter().map(|key| format!("{}: `{key}` is not understood", row.case.id)));
    asides.for_each(|aside| println!("{aside}"));
    if let Some(file) = &options.json {
        let rows: Vec<_> = all.iter().map(Row::json).collect();
        std::fs::write(file, serde_json::to_string_pretty(&rows)? + "\n").with_context(|| format!("`{}`", file.display()))?;
    }
    Ok(())
}

/// One case with what came out.
struct Row<'a> {
    case: &'a Case,
    judged: Judged,
    hits: Vec<String>,
    unmatched: Vec<String>,
    /// The search itself says that it is unsure.
    low: bool,
}

impl<'a> Row<'a> {
    async fn of(case: &'a Case, others: Vec<&Given>) -> anyhow::Result<Self> {
        let own = case.tools();
        let mut given: Vec<Given> = own.iter().cloned().chain(others.into_iter().cloned()).collect();
        let bench = Bench::of(&given);
        let labels: BTreeMap<&str, &str> = own.iter().map(|tool| (bench.id(&tool.id), tool.name.as_str())).collect();
        let server = match case.server().map(|server| alias(&bench, &own, server)).transpose() {
            Ok(server) => server,
            Err(refused) => {
                let judged = Judged { wrong: vec![refused], unknown: case.unknown(), ..judge(&case.expect, &[]) };
                return Ok(Self { case, judged, hits: Vec::new(), unmatched: Vec::new(), low: false });
            }
        };
        let label = |page: &Page| -> Vec<String> {
            let ids = page.hits.iter().map(|tool| tool.descriptor.id.as_str());
            ids.map(|id| labels.get(id).map_or(id, |name| name).to_owned()).collect()
        };
        let page = bench.page(case.query(), server.as_ref()).await?;
        let hits = label(&page);
        let mut judged = judge(&case.expect, &hits);
        judged.unknown.extend(case.unknown());
        // Half of the repeats ask a catalog that was put together in another order.
        given.reverse();
        let again = Bench::of(&given);
        for count in 0..judged.repeats {
            let bench = if count % 2 == 0 { &bench } else { &again };
            if label(&bench.page(case.query(), server.as_ref()).await?) != hits {
                judged.wrong.push("not the same each time".into());
                break;
            }
        }
        Ok(Self { case, judged, hits, unmatched: page.unmatched, low: page.low_confidence })
    }

    fn line(&self) -> String {
        let Self { case, judged, hits, .. } = self;
        let right = if judged.wrong.is_empty() { "yes" } else { "NO" };
        let first: Vec<_> = hits.iter().take(SHOWN).map(String::as_str).collect();
        let rest = if hits.len() > SHOWN { format!(" and {} more", hits.len() - SHOWN) } else { String::new() };
        let out = if hits.is_empty() { format!("nothing; unmatched: {}", self.unmatched.join(" ")) } else { first.join(", ") + &rest };
        let out = if self.low { format!("marked as unsure: {out}") } else { out };
        format!("| {} | {} | {right} | {} | {out} | {} |", case.id, case.query(), judged.wrong.join("; "), judged.say)
    }

    fn json(&self) -> Value {
        let Self { case, judged, hits, unmatched, low } = self;
        json!({
            "id": case.id, "query": case.query(), "right": judged.wrong.is_empty(), "why_not": judged.wrong,
            "hits": hits, "unmatched": unmatched, "low_confidence": low, "say": judged.say, "not_understood": judged.unknown,
        })
    }
}

/// Hits that a row shows.
const SHOWN: usize = 5;

/// The alias that a case's server has in the catalog: by its name, or by a path that holds it, as the builtin takes one. One that the
/// case doesn't have is taken as it is written.
fn alias(bench: &Bench, own: &[Given], server: &str) -> Result<Alias, String> {
    let tool = own.iter().find(|tool| tool.server == server || server.split(['.', '/', ':']).any(|part| part == tool.server));
    match tool.and_then(|tool| ToolId::parse(bench.id(&tool.id)).ok()) {
        Some(id) => Ok(id.server()),
        None => Alias::parse(server).map_err(|_| format!("`{server}` is no server's alias: refused before it is searched")),
    }
}
