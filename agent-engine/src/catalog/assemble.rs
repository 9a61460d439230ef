//! From raw listings to a snapshot: each tool judged by itself, then beside its siblings.
//!
//! Is not: a lister; hosts bring the raw definitions. Clauses: CAT-4, CAT-5, ID-2, ID-3, SAFE-1.

use super::{Quarantined, Snapshot, Tool};
use crate::schema::{Unreadable, enforceable};
use agent_core::definition::{Definition, DefinitionError};
use agent_core::descriptor::Descriptor;
use agent_core::digest::{Domain, Hasher};
use agent_core::effect::Declared;
use agent_core::id::{Alias, IdError, SourceClass, ToolId, WireName};
use agent_core::limits::{TOOLS_PER_SOURCE, TOOLS_TOTAL};
use agent_core::name::skeleton;
use agent_core::safety::{echo, prose};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Definitions that one thread judges in a row.
const TOGETHER: usize = 8;
/// Bytes of a reason that a lister gave.
const REASON_BYTES: usize = 400;

/// What one source said, and what the operator says of it.
#[derive(Debug, Clone)]
pub struct Source {
    /// Its kind.
    pub class: SourceClass,
    /// The operator's alias.
    pub alias: Alias,
    /// What the operator declares of its tools.
    pub declared: Declared,
    /// The operator's tags for its tools.
    pub tags: Vec<String>,
    /// The operator's description of it, for people; may be empty. Nothing is found by it.
    pub description: String,
    /// Raw definitions, as listed.
    pub definitions: Vec<String>,
    /// What was listed and can't even be read, each with its name as far as it has one, and why.
    pub refused: Vec<(String, String)>,
}

impl Source {
    /// A source of which nothing is declared and that listed nothing.
    #[must_use]
    pub const fn new(class: SourceClass, alias: Alias) -> Self {
        let declared = Declared { trust: false, effect: None, capabilities: None, repeatable: false, acts: None };
        Self { class, alias, declared, tags: Vec::new(), description: String::new(), definitions: Vec::new(), refused: Vec::new() }
    }
}

/// Why a tool is not served.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Reason {
    /// The definition itself.
    #[error(transparent)]
    Definition(#[from] DefinitionError),
    /// Alias and name are too long together.
    #[error(transparent)]
    Id(#[from] IdError),
    /// Another tool of this source has the same name.
    #[error("another tool of this server has the same name")]
    SameName,
    /// Another tool of this source could be mistaken for it.
    #[error("it could be mistaken for `{0}`")]
    LooksLike(String),
    /// Another tool has the same wire name.
    #[error("another tool has the same wire name")]
    SameWire,
    /// A schema holds a number that can't be read, so it could not be shown.
    #[error("a schema holds a number that can't be read")]
    Unreadable,
    /// It could not be read when it was listed.
    #[error("{0}")]
    Listed(String),
    /// The source, or all of them, list more tools than the bound.
    #[error("more than {0} tools")]
    TooMany(usize),
}

/// A snapshot of several sources, not yet published.
#[must_use]
pub fn assemble(sources: &[Source]) -> Snapshot {
    assemble_named(sources, &BTreeMap::new(), TOOLS_TOTAL)
}

/// A snapshot of at most so many tools, in which the operator gave some wire names of their own. One that another tool has
/// as well quarantines both (ID-3).
#[must_use]
pub fn assemble_named(sources: &[Source], names: &BTreeMap<ToolId, WireName>, at_most: usize) -> Snapshot {
    let mut made = Snapshot::default();
    let mut tools = Vec::new();
    for source in sources {
        made.servers.insert(source.alias.clone(), source.description.clone());
        let refused = source.refused.iter().map(|(name, why)| Quarantined {
            server: source.alias.clone(),
            name: echo(name),
            reason: Reason::Listed(prose(why, REASON_BYTES)),
        });
        made.quarantined.extend(refused);
        tools.extend(judge(source, names, &mut made.quarantined));
    }
    tools.sort_by(|a, b| a.descriptor.id.cmp(&b.descriptor.id));
    for (place, extra) in tools.split_off(tools.len().min(at_most)).into_iter().enumerate() {
        if place < TOOLS_PER_SOURCE {
            made.quarantined.push(quarantined(&extra, Reason::TooMany(at_most)));
        }
    }
    let mut wires: Vec<_> = tools.iter().map(|tool| tool.descriptor.wire.clone()).collect();
    wires.sort_unstable();
    let doubled: BTreeSet<_> = wires.windows(2).filter(|pair| matches!(pair, [a, b] if a == b)).flatten().cloned().collect();
    let (doubled, alone): (Vec<_>, Vec<_>) = tools.into_iter().partition(|tool| doubled.contains(&tool.descriptor.wire));
    made.quarantined.extend(doubled.iter().map(|tool| quarantined(tool, Reason::SameWire)));
    made.wires = (0..alone.len()).collect();
    made.wires.sort_unstable_by_key(|place| alone.get(*place).map(|tool| tool.descriptor.wire.clone()));
    made.tools = alone.into_iter().map(Arc::new).collect();
    made.quarantined.sort_by(|a, b| (&a.server, &a.name).cmp(&(&b.server, &b.name)));
    made
}

fn quarantined(tool: &Tool, reason: Reason) -> Quarantined {
    Quarantined { server: tool.descriptor.id.server(), name: echo(tool.descriptor.id.name()), reason }
}

fn judge(source: &Source, names: &BTreeMap<ToolId, WireName>, out: &mut Vec<Quarantined>) -> Vec<Tool> {
    let mut good: Vec<Tool> = Vec::new();
    let make = |(place, raw): (usize, &String)| {
        if place < TOOLS_PER_SOURCE { tool(source, names, raw) } else { Err(Reason::TooMany(TOOLS_PER_SOURCE)) }
    };
    let made: Vec<_> = source.definitions.par_iter().enumerate().with_min_len(TOGETHER).map(make).collect();
    for (raw, made) in source.definitions.iter().zip(made) {
        match made {
            Ok(tool) => good.push(tool),
            Err(reason) => out.push(Quarantined { server: source.alias.clone(), name: name_in(raw), reason }),
        }
    }
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut looks: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for tool in &good {
        let name = tool.descriptor.id.name();
        *counts.entry(name.to_owned()).or_default() += 1;
        let alike = looks.entry(skeleton(name)).or_default();
        if !alike.iter().any(|other| other == name) {
            alike.push(name.to_owned());
        }
    }
    good.retain(|tool| {
        let name = tool.descriptor.id.name();
        let other = looks.get(&skeleton(name)).into_iter().flatten().find(|other| *other != name);
        let reason = match other {
            _ if counts.get(name).is_some_and(|count| *count > 1) => Reason::SameName,
            Some(other) => Reason::LooksLike(echo(other)),
            None => return true,
        };
        out.push(quarantined(tool, reason));
        false
    });
    good
}

fn tool(source: &Source, names: &BTreeMap<ToolId, WireName>, raw: &str) -> Result<Tool, Reason> {
    let definition = Definition::parse(raw)?;
    let mut descriptor = Descriptor::new(source.class, &source.alias, &definition, &source.declared, &source.tags)?;
    descriptor.flagged |= !enforceable(&definition).map_err(|Unreadable| Reason::Unreadable)?;
    if let Some(name) = names.get(&descriptor.id) {
        descriptor.wire = name.clone();
    }
    let face = serde_json::to_vec(&descriptor).unwrap_or_default();
    let face = Hasher::new(Domain::Catalog).part(&face).finish();
    Ok(Tool { descriptor, definition: Arc::new(definition), face })
}

/// The name of a definition that may be no definition at all, for a list of what is not served.
fn name_in(raw: &str) -> String {
    #[derive(serde::Deserialize)]
    struct Named {
        name: String,
    }
    serde_json::from_str::<Named>(raw).map_or_else(|_| "(no name)".to_owned(), |named| echo(&named.name))
}
