//! The configuration as a page, from its JSON Schema: a table of keys for each table of the file, then each kind of value.

use agent_host::config::SCHEMA;
use serde_json::Value;

/// The tables that a file can have, in the order of the page: the schema's name, and how the file writes it.
const TABLES: [(&str, &str); 17] = [
    ("", "The file"),
    ("Approval", "`[approval]`"),
    ("Records", "`[records]`"),
    ("Catalog", "`[catalog]`"),
    ("Search", "`[search]`"),
    ("Http", "`[http]`"),
    ("Tls", "`[http.tls]`, `[console.tls]`"),
    ("Console", "`[console]`"),
    ("Oidc", "`[console.oidc]`"),
    ("Operator", "`[operators.NAME]`"),
    ("OAuth", "`[oauth]`"),
    ("Rule", "`[[rule]]`"),
    ("Profile", "`[profiles.NAME]`"),
    ("Service", "`[profiles.NAME.http]`"),
    ("Server", "`[servers.NAME]`"),
    ("OAuthClient", "`[servers.NAME.oauth]`"),
    ("Variable", "Variables"),
];

/// What a schema says of itself, on one line.
fn told(schema: &Value) -> String {
    schema["description"].as_str().unwrap().replace('\n', " ")
}

/// The kind of value that a schema takes.
fn kind(schema: &Value) -> String {
    if let Some(name) = schema["$ref"].as_str().and_then(|name| name.rsplit('/').next()) {
        return match TABLES.iter().find(|(table, _)| *table == name) {
            Some((_, title)) => (*title).to_owned(),
            None => format!("[{name}](#{})", name.to_lowercase()),
        };
    }
    match schema["type"].as_str() {
        Some("array") => format!("list of {}", kind(&schema["items"])),
        Some("object") => {
            let named = schema["patternProperties"].as_object().and_then(|kinds| kinds.values().next());
            format!("table of {}", kind(named.unwrap_or(&schema["additionalProperties"])))
        }
        Some(plain) => plain.to_owned(),
        None => "value".to_owned(),
    }
}

/// One table of keys.
fn keys(table: &Value) -> String {
    let required: Vec<_> = table["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let mut out = "| key | value | left out | what it is |\n|---|---|---|---|\n".to_owned();
    for (key, schema) in table["properties"].as_object().unwrap() {
        let absent = match schema.get("default") {
            _ if required.contains(&key.as_str()) => "must be there".to_owned(),
            Some(value) if !value.as_object().is_some_and(|table| table.is_empty()) => format!("`{value}`"),
            _ => String::new(),
        };
        out += &format!("| `{key}` | {} | {absent} | {} |\n", kind(schema), told(schema));
    }
    out
}

/// What a kind of value can be.
fn values(schema: &Value) -> String {
    let mut out = format!("{}\n", told(schema));
    for value in schema["oneOf"].as_array().into_iter().flatten() {
        out += &format!("- `{}`: {}\n", value["const"].as_str().unwrap(), told(value));
    }
    if let Some(pattern) = schema["pattern"].as_str() {
        out += &format!("\nAs a pattern: `{pattern}`\n");
    }
    out.replacen("\n- ", "\n\n- ", 1)
}

/// The page of the book.
pub(super) fn page() -> String {
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    let mut page = "# Configuration\n\n<!-- made from the schema: `UPDATE_REFERENCE=1 cargo test -p agent-tests docs::generated` -->\n\n\
        Every key of `agent-host.toml`. `agent-host config --schema` prints the schema that this page is made from, for editors;\n\
        `agent-host config` every value in effect and where it came from. `agent-host.example.toml` in the repository has every key once.\n"
        .to_owned();
    let defs = schema["$defs"].as_object().unwrap();
    for (name, title) in TABLES {
        let table = if name.is_empty() { &schema } else { &defs[name] };
        page += &format!("\n## {title}\n\n{}\n", told(table));
        match table.get("properties") {
            Some(_) => page += &format!("\n{}", keys(table)),
            None => page += &forms(table, defs),
        }
    }
    let mut kinds: Vec<_> =
        defs.iter().filter(|(name, schema)| schema.get("properties").is_none() && TABLES.iter().all(|(table, _)| table != name)).collect();
    kinds.sort_by_key(|(name, _)| name.to_owned());
    for (name, schema) in kinds {
        page += &format!("\n## {name}\n\n{}", values(schema));
    }
    page
}

/// A value that can be written in several ways.
fn forms(schema: &Value, defs: &serde_json::Map<String, Value>) -> String {
    let ways = ["anyOf", "oneOf"].iter().find_map(|way| schema[way].as_array()).unwrap();
    let target = |way: &Value| told(way["$ref"].as_str().and_then(|name| defs.get(name.rsplit('/').next()?)).unwrap_or(way));
    format!("\n{}", ways.iter().map(|way| format!("- {}\n", target(way))).collect::<String>())
}
