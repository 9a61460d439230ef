//! Reading labelled tools and queries, and making sources of them that a catalog takes.
//!
//! Is: a mapping that loses no word. Servers without a valid alias get one; a name that can't be served is spelt with `_`;
//! a tool that would be another's double or look-alike stands under a further alias of the same server. What a mapped
//! alias or name no longer says stands in the tags or the title.

use agent_core::effect::Declared;
use agent_core::id::{Alias, SourceClass, ToolId};
use agent_core::limits::{ALIAS_BYTES, TOOLS_PER_SOURCE};
use agent_core::name::{judge, skeleton};
use agent_engine::catalog::Source;
use anyhow::Context as _;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// One tool of a set.
#[derive(Deserialize)]
pub(crate) struct Given {
    id: String,
    server: String,
    name: String,
    #[serde(default)]
    description: Option<String>,
    #[serde(default)]
    input_schema: Option<Value>,
    #[serde(default)]
    server_description: Option<String>,
}

/// One query of a set.
#[derive(Deserialize)]
pub(crate) struct Query {
    /// What is typed.
    pub(crate) query: String,
    relevant: Vec<String>,
    #[serde(default)]
    groups: Option<Vec<Vec<String>>>,
}

impl Query {
    /// The groups of which any member will do; each relevant tool by itself where the set has none.
    pub(crate) fn groups(&self) -> Vec<Vec<String>> {
        self.groups.clone().unwrap_or_else(|| self.relevant.iter().map(|id| vec![id.clone()]).collect())
    }
}

/// The tools of a folder.
pub(crate) fn tools(folder: &Path) -> anyhow::Result<Vec<Given>> {
    lines(&folder.join("tools.jsonl"))
}

/// The queries of a folder.
pub(crate) fn queries(folder: &Path) -> anyhow::Result<Vec<Query>> {
    lines(&folder.join("queries.jsonl"))
}

fn lines<T: DeserializeOwned>(file: &Path) -> anyhow::Result<Vec<T>> {
    let text = std::fs::read_to_string(file).with_context(|| format!("`{}`", file.display()))?;
    text.lines().map(|line| serde_json::from_str(line).with_context(|| format!("`{}`", file.display()))).collect()
}

/// One source being filled, and the looks of the names that it has.
struct Filling {
    source: Source,
    looks: BTreeSet<String>,
}

/// Sources for a catalog, and for each id of the set the id that its tool has there.
pub(crate) fn sources(tools: &[Given]) -> (Vec<Source>, BTreeMap<String, String>) {
    let mut servers: BTreeMap<&str, Vec<Filling>> = BTreeMap::new();
    let mut aliases = BTreeSet::new();
    let mut ids = BTreeMap::new();
    for tool in tools {
        let name = served_name(&tool.name);
        let look = skeleton(&name);
        let copies = servers.entry(&tool.server).or_default();
        let free = |copy: &Filling| !copy.looks.contains(&look) && copy.looks.len() < TOOLS_PER_SOURCE;
        let place = copies.iter().position(free).unwrap_or_else(|| {
            copies.push(Filling { source: source(tool, &mut aliases), looks: BTreeSet::new() });
            copies.len() - 1
        });
        let Some(copy) = copies.get_mut(place) else { continue };
        if let Ok(id) = ToolId::new(copy.source.class, &copy.source.alias, &name) {
            ids.insert(tool.id.clone(), id.to_string());
        }
        copy.looks.insert(look);
        copy.source.definitions.push(definition(tool, &name));
    }
    (servers.into_values().flatten().map(|copy| copy.source).collect(), ids)
}

fn source(tool: &Given, aliases: &mut BTreeSet<Alias>) -> Source {
    let spelt = tool.server.to_lowercase().replace(|letter: char| !letter.is_ascii_alphanumeric(), "-");
    let spelt = spelt.trim_matches('-');
    let first = if spelt.starts_with(|letter: char| letter.is_ascii_lowercase()) { "" } else { "s" };
    let whole = format!("{first}{spelt}");
    let candidates = (1..).map(|count| {
        let end = if count == 1 { String::new() } else { format!("-{count}") };
        format!("{}{end}", whole.get(..whole.len().min(ALIAS_BYTES - end.len())).unwrap_or("s").trim_end_matches('-'))
    });
    let free = candidates.filter_map(|alias| Alias::parse(&alias).ok()).find(|alias| aliases.insert(alias.clone()));
    Source {
        class: SourceClass::Mcp,
        // The candidates never end.
        alias: free.unwrap_or_else(|| unreachable!()),
        declared: Declared::default(),
        tags: if whole.len() > ALIAS_BYTES { tags(&tool.server) } else { Vec::new() },
        description: tool.server_description.clone().unwrap_or_default(),
        definitions: Vec::new(),
    }
}

/// The words of a server's name that an alias has no room for, as tags.
fn tags(server: &str) -> Vec<String> {
    let words = server.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    let mut at = 0;
    words
        .map(|word| {
            at += word.len() + 1;
            (at, word.to_owned())
        })
        .filter(|(at, _)| *at > ALIAS_BYTES)
        .map(|(_, word)| word)
        .collect()
}

/// The name, or one like it that can be served.
fn served_name(name: &str) -> String {
    if judge(name).is_ok() {
        return name.to_owned();
    }
    let plain = name.replace(|letter: char| !letter.is_ascii_alphanumeric() && !"_.-".contains(letter), "_");
    let plain = plain.trim_matches('_');
    if plain.is_empty() { "tool".to_owned() } else { plain.chars().take(128).collect() }
}

fn definition(tool: &Given, name: &str) -> String {
    let mut schema = tool.input_schema.clone().filter(Value::is_object).unwrap_or_else(|| json!({}));
    schema["type"] = "object".into();
    let mut out = json!({ "name": name, "inputSchema": schema });
    if let Some(description) = &tool.description {
        out["description"] = description.as_str().into();
    }
    if !tool.name.is_ascii() && name != tool.name {
        out["title"] = tool.name.as_str().into();
    }
    out.to_string()
}
