//! One case: a query, a small catalog, what must come out, and which other tools it can stand among.
//!
//! Is: reading, with a list of what was not understood. Is not: the judging.

use crate::retrieval::data::Given;
use crate::retrieval::names::scattered;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// One case.
#[derive(Deserialize)]
pub(crate) struct Case {
    pub(crate) id: String,
    input: Input,
    pub(crate) expect: Map<String, Value>,
}

#[derive(Deserialize)]
struct Input {
    query: String,
    catalog: Vec<Entry>,
    #[serde(default)]
    filter: Filter,
    #[serde(flatten)]
    rest: Map<String, Value>,
}

#[derive(Default, Deserialize)]
struct Filter {
    server: Option<String>,
    #[serde(flatten)]
    rest: Map<String, Value>,
}

/// One tool of the small catalog.
#[derive(Deserialize)]
struct Entry {
    server: String,
    name: String,
    #[serde(default)]
    description: String,
    /// Words besides. A definition has no place for them but its description.
    #[serde(default)]
    keywords: Vec<String>,
    /// Names of parameters, each with a type, a text or names within it.
    #[serde(default)]
    parameters: Option<Value>,
    #[serde(flatten)]
    rest: Map<String, Value>,
}

impl Case {
    pub(crate) fn query(&self) -> &str {
        &self.input.query
    }

    /// The server that is searched alone, as the case names it.
    pub(crate) fn server(&self) -> Option<&str> {
        self.input.filter.server.as_deref()
    }

    /// The keys that nothing here reads.
    pub(crate) fn unknown(&self) -> Vec<String> {
        let entries = self.input.catalog.iter().flat_map(|entry| entry.rest.keys());
        let keys: BTreeSet<_> = self.input.rest.keys().chain(self.input.filter.rest.keys()).chain(entries).collect();
        keys.into_iter().cloned().collect()
    }

    /// The small catalog.
    pub(crate) fn tools(&self) -> Vec<Given> {
        self.input.catalog.iter().enumerate().map(|(at, entry)| entry.given(at)).collect()
    }

    /// So many tools of a pool, chosen by the digits of their ids and so alike for all cases, but none that would change
    /// the case: no tool or server of a name that it has, and where nothing may come out none with a word of the query
    /// that the case itself has nowhere.
    pub(crate) fn others<'a>(&self, pool: &'a [Given], count: usize) -> Vec<&'a Given> {
        let own = self.tools();
        let folded = |text: &str| text.to_lowercase();
        let names: BTreeSet<_> = own.iter().flat_map(|tool| [folded(&tool.server), folded(&tool.name)]).collect();
        let said: String = own.iter().map(|tool| tool.text() + " ").collect();
        let query = folded(&self.input.query);
        let absent = query.split(|letter: char| !letter.is_alphanumeric()).filter(|word| word.len() > 2 && !said.contains(word));
        let absent: Vec<_> = absent.filter(|_| self.expect.contains_key("none")).collect();
        let fits = |tool: &&Given| {
            let taken = names.contains(&folded(&tool.server)) || names.contains(&folded(&tool.name));
            !taken && !absent.iter().any(|word| tool.text().contains(word))
        };
        let mut pool: Vec<_> = pool.iter().collect();
        pool.sort_by_cached_key(|tool| (scattered(&tool.id), &tool.id));
        pool.into_iter().filter(fits).take(count).collect()
    }
}

impl Entry {
    fn given(&self, at: usize) -> Given {
        let keywords = if self.keywords.is_empty() { String::new() } else { format!(" Keywords: {}.", self.keywords.join(", ")) };
        Given {
            id: format!("case#{at}"),
            server: self.server.clone(),
            name: self.name.clone(),
            description: Some(format!("{}{keywords}", self.description)),
            input_schema: self.parameters.as_ref().map(schema),
            server_description: None,
        }
    }
}

/// The schema that short notes of parameters stand for.
fn schema(note: &Value) -> Value {
    const TYPES: [&str; 6] = ["string", "number", "integer", "boolean", "array", "object"];
    match note {
        Value::Object(names) => {
            json!({"type": "object", "properties": names.iter().map(|(name, note)| (name.clone(), schema(note))).collect::<Map<_, _>>()})
        }
        Value::Array(names) => {
            let names = names.iter().filter_map(Value::as_str).map(|name| (name.to_owned(), json!({})));
            json!({"type": "object", "properties": names.collect::<Map<_, _>>()})
        }
        Value::String(kind) if TYPES.contains(&kind.as_str()) => json!({"type": kind}),
        Value::String(text) => json!({"description": text}),
        _ => json!({}),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn others_never_change_what_a_case_asks() {
        let case: Case = serde_json::from_value(json!({
            "id": "a", "expect": {"none": true}, "surprise": 1,
            "input": {"query": "send gmail", "colour": 1, "catalog": [
                {"server": "mail", "name": "send", "keywords": ["post"], "parameters": {"to": {"name": "string", "address": "who"}}},
            ]},
        }))
        .unwrap();
        let tool = |server: &str, name: &str| Given { server: server.into(), name: name.into(), ..case.tools().remove(0) };
        let pool = [tool("Mail", "x"), tool("b", "Send"), tool("b", "gmail_read"), tool("b", "send_letter"), tool("c", "y")];
        let others: BTreeSet<_> = case.others(&pool, 9).into_iter().map(|tool| tool.name.as_str()).collect();
        assert_eq!(others, BTreeSet::from(["send_letter", "y"]));
        assert_eq!(case.unknown(), ["colour"]);
        let own = case.tools().remove(0);
        assert_eq!(own.description.unwrap(), " Keywords: post.");
        assert_eq!(own.input_schema.unwrap().pointer("/properties/to/properties/address/description").unwrap(), "who");
    }
}
