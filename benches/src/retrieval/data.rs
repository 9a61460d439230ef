//! Reading labelled tools and queries, and making sources of them that a catalog takes.
//!
//! Is: a mapping that loses no word. Servers without a valid alias get one; a name that can't be served is spelt with `_`;
//! a tool that would be another's double or look-alike stands under a further alias of the same server. What a mapped
//! alias or name no longer says stands in the tags or the title.

use agent_core::id::{Alias, SourceClass, ToolId};
use agent_core::limits::{ALIAS_BYTES, TOOLS_PER_SOURCE};
use agent_core::name::{judge, skeleton};
use agent_engine::catalog::Source;
use anyhow::Context as _;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::Path;

/// One tool of a set.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Given {
    pub(crate) id: String,
    pub(crate) server: String,
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) description: Option<String>,
    #[serde(default)]
    pub(crate) input_schema: Option<Value>,
    #[serde(default)]
    pub(crate) server_description: Option<String>,
}

impl Given {
    /// All that the tool says, in lower case.
    pub(crate) fn text(&self) -> String {
        let schema = self.input_schema.as_ref().map(Value::to_string).unwrap_or_default();
        format!("{} {} {} {schema}", self.server, self.name, self.description.as_deref().unwrap_or_default()).to_lowercase()
    }
}

impl Given {
    /// Its name, its server, its description, and what its parameters are called and said to be.
    pub(crate) fn texts(&self) -> [String; 4] {
        let schema = self.input_schema.as_ref().and_then(|schema| schema.get("properties")).and_then(Value::as_object);
        let said =
            |(name, one): (&String, &Value)| format!("{name} {}", one.get("description").and_then(Value::as_str).unwrap_or_default());
        let parameters = schema.into_iter().flatten().map(said).collect::<Vec<_>>().join(" ");
        [self.name.clone(), self.server.clone(), self.description.clone().unwrap_or_default(), parameters]
    }
}

/// One query of a set.
#[derive(Deserialize)]
pub(crate) struct Query {
    pub(crate) qid: String,
    /// What is typed.
    pub(crate) query: String,
    /// What sort of query it is, where the set says so.
    #[serde(default)]
    pub(crate) kind: String,
    relevant: Vec<String>,
    #[serde(default)]
    groups: Option<Vec<Vec<String>>>,
}

impl Query {
    /// The groups of which any member will do; each relevant tool by itself where the set has none.
    pub(crate) fn groups(&self) -> Vec<Vec<String>> {
        self.groups.clone().unwrap_or_else(|| self.relevant.iter().map(|id| vec![id.clone()]).collect())
    }

    /// Every tool that answers it; none where nothing does.
    pub(crate) fn answers(&self) -> impl Iterator<Item = &str> {
        self.relevant.iter().chain(self.groups.iter().flatten().flatten()).map(String::as_str)
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

/// What is made of each tool of a folder, one tool in memory at a time.
pub(crate) fn each_tool<T>(folder: &Path, mut make: impl FnMut(Given) -> T) -> anyhow::Result<Vec<T>> {
    let file = folder.join("tools.jsonl");
    objects(&file)?.map(|given| given.map(&mut make)).collect()
}

/// The objects of a file, one a line.
pub(crate) fn lines<T: DeserializeOwned>(file: &Path) -> anyhow::Result<Vec<T>> {
    objects(file)?.collect()
}

fn objects<T: DeserializeOwned>(file: &Path) -> anyhow::Result<impl Iterator<Item = anyhow::Result<T>> + '_> {
    let named = move || format!("`{}`", file.display());
    let lines = BufReader::new(File::open(file).with_context(named)?).lines();
    Ok(lines.map(move |line| serde_json::from_str(&line.with_context(named)?).with_context(named)))
}

/// One source being filled, and the looks of the names that it has.
struct Filling {
    source: Source,
    looks: BTreeSet<String>,
}

/// Sources for a catalog, and for each id of the set the id that its tool has there.
pub(crate) fn sources(tools: &[Given]) -> (Vec<Source>, BTreeMap<String, String>) {
    let mut filling = Sources::default();
    let mut ids = BTreeMap::new();
    for tool in tools {
        ids.extend(filling.add(tool).map(|id| (tool.id.clone(), id)));
    }
    (filling.made(), ids)
}

/// Sources being filled, tool by tool.
#[derive(Default)]
pub(crate) struct Sources {
    servers: BTreeMap<String, Vec<Filling>>,
    aliases: BTreeSet<Alias>,
}

impl Sources {
    /// Takes a tool, and says which id it will have.
    pub(crate) fn add(&mut self, tool: &Given) -> Option<String> {
        let name = served_name(&tool.name);
        let look = skeleton(&name);
        let copies = self.servers.entry(tool.server.clone()).or_default();
        let free = |copy: &Filling| !copy.looks.contains(&look) && copy.looks.len() < TOOLS_PER_SOURCE;
        let place = copies.iter().position(free).unwrap_or_else(|| {
            copies.push(Filling { source: source(tool, &mut self.aliases), looks: BTreeSet::new() });
            copies.len() - 1
        });
        let copy = copies.get_mut(place)?;
        let id = ToolId::new(copy.source.class, &copy.source.alias, &name).ok();
        copy.looks.insert(look);
        copy.source.definitions.push(definition(tool, &name));
        id.map(|id| id.to_string())
    }

    pub(crate) fn made(self) -> Vec<Source> {
        self.servers.into_values().flatten().map(|copy| copy.source).collect()
    }
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
    let mut free = candidates.filter_map(|alias| Alias::parse(&alias).ok()).filter(|alias| aliases.insert(alias.clone()));
    // The candidates never end.
    let alias = free.next().unwrap_or_else(|| unreachable!());
    Source {
        tags: lost(&tool.server, alias.as_str()),
        description: tool.server_description.clone().unwrap_or_default(),
        ..Source::new(SourceClass::Mcp, alias)
    }
}

/// The words of a server's name that an alias does not say.
fn lost(server: &str, alias: &str) -> Vec<String> {
    let words = server.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    words.filter(|word| !alias.contains(&word.to_lowercase())).map(str::to_owned).collect()
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing)]
    use super::*;
    use agent_engine::catalog::assemble;

    #[test]
    fn every_tool_finds_a_place_and_no_word_is_lost() {
        let given = |server: &str, name: &str| Given {
            id: format!("{server}#{name}"),
            server: server.into(),
            name: name.into(),
            description: None,
            input_schema: Some(json!({"type": "dict"})),
            server_description: None,
        };
        let long = "a_very_long_name_of_a_server_with_LastWord";
        let tools = [
            given("", "run"),
            given("", "Run"),
            given("", "get status"),
            given("", "get_status"),
            given("12306-mcp", "长亭 IP 情报查询"),
            given("天气", "a"),
            given(long, "${X}_call"),
            given("native", "b"),
        ];
        let (sources, ids) = sources(&tools);
        let made = assemble(&sources);
        assert!(made.quarantined().is_empty(), "{:?}", made.quarantined());
        assert_eq!(made.tools().len(), tools.len());
        assert!(ids.values().all(|id| made.get(id).is_some()) && ids.len() == tools.len());
        assert!(ids["12306-mcp#长亭 IP 情报查询"].starts_with("mcp:s12306-mcp/IP"));
        assert!(sources.iter().any(|source| source.tags == ["天气"]));
        assert!(sources.iter().any(|source| source.tags.contains(&"LastWord".to_owned())));
    }
}
