//! The JSON Schema of `agent-host.toml`, for editors and for `agent-host config --schema`.
//!
//! Is: what is checked in, and, with the feature `schema`, the generator that a test compares it with. Is not: what reads
//! a file; the reader checks more. Clause: UP-2 (operator's files).

/// The schema as checked in.
pub const SCHEMA: &str = include_str!("../../../spec/schemas/agent-host.schema.json");

/// The schema as the types and their docs give it.
#[cfg(feature = "schema")]
#[must_use]
pub fn generate() -> serde_json::Value {
    let settings = schemars::generate::SchemaSettings::draft2020_12().with_transform(schemars::transform::RecursiveTransform(no_null));
    settings.into_generator().into_root_schema_for::<super::file::File>().to_value()
}

/// TOML has no null: what can be left out is left out. A set that is written with a word twice is read all the same.
#[cfg(feature = "schema")]
fn no_null(schema: &mut schemars::Schema) {
    use serde_json::{Value, json};
    schema.remove("uniqueItems");
    if schema.get("default") == Some(&Value::Null) {
        schema.remove("default");
    }
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        types.retain(|name| name != "null");
        if let [one] = &types[..] {
            let one = one.clone();
            schema.insert("type".to_owned(), one);
        }
    }
    if let Some(Value::Array(kinds)) = schema.get_mut("anyOf") {
        kinds.retain(|kind| *kind != json!({ "type": "null" }));
        if let [Value::Object(one)] = &kinds[..] {
            let one = one.clone();
            schema.remove("anyOf");
            one.into_iter().for_each(|(key, value)| drop(schema.insert(key, value)));
        }
    }
}
