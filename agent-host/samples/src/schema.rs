//! Arguments: the schema that a type is listed with, and the check of what came against it.
//!
//! Is: plain schemas (no references, no names of types), and a check of types, required names and bounds in words that a model can act
//! on. Is not: a validator of any schema; it knows what our own hold. Neighbour: `server`.

use crate::server::{Wrong, wrong};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

#[cfg(test)]
mod tests;

type Object = Map<String, Value>;

/// The schema of a type, as a definition holds it.
pub(crate) fn of<T: JsonSchema>() -> Object {
    let settings = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    plain(&mut schema);
    let Value::Object(mut schema) = schema else { return Object::new() };
    schema.remove("$schema");
    schema.remove("description");
    schema
}

/// Takes out what says nothing to a reader: names of Rust types, formats of numbers, and `null` beside the type of what may be left out.
fn plain(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            if object.get("title").is_some_and(Value::is_string) {
                object.remove("title");
            }
            if object.get("format").and_then(Value::as_str).is_some_and(|format| format.contains("int")) {
                object.remove("format");
            }
            if let Some(Value::Array(types)) = object.get_mut("type") {
                types.retain(|name| name != "null");
                if let [one] = types.as_slice() {
                    let one = one.clone();
                    object.insert("type".to_owned(), one);
                }
            }
            object.values_mut().for_each(plain);
        }
        Value::Array(items) => items.iter_mut().for_each(plain),
        _ => {}
    }
}

/// Checks arguments against the schema that was listed for them.
///
/// # Errors
/// Names the first argument that is unknown, missing, or out of its bounds, and says what it may be.
pub(crate) fn check(schema: &Object, arguments: &Object) -> Result<(), Wrong> {
    let none = Object::new();
    let known = schema.get("properties").and_then(Value::as_object).unwrap_or(&none);
    let names = || known.keys().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    for (name, value) in arguments {
        match known.get(name) {
            Some(property) => value_is(&format!("`{name}`"), property, value)?,
            None if known.is_empty() => return wrong("this tool takes no arguments"),
            None => return wrong(format!("no argument has that name; this tool takes {}", names())),
        }
    }
    let required = schema.get("required").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    match required.iter().filter_map(Value::as_str).find(|name| !arguments.contains_key(*name)) {
        Some(name) => wrong(format!("`{name}` is missing; this tool takes {}", names())),
        None => Ok(()),
    }
}

/// One value against one schema; `what` is what it is called.
fn value_is(what: &str, schema: &Value, value: &Value) -> Result<(), Wrong> {
    let bound = |name: &str| schema.get(name).and_then(Value::as_i64);
    let within = |count: i64, low: &str, high: &str, of: &str| match (bound(low), bound(high)) {
        (Some(least), _) if count < least => wrong(format!("{what} must be at least {least}{of}")),
        (_, Some(most)) if count > most => wrong(format!("{what} must be at most {most}{of}")),
        _ => Ok(()),
    };
    let size = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
    match (schema.get("type").and_then(Value::as_str), value) {
        (Some("string"), Value::String(text)) => within(size(text.chars().count()), "minLength", "maxLength", " characters long"),
        (Some("integer"), Value::Number(number)) => match number.as_i64() {
            Some(number) => within(number, "minimum", "maximum", ""),
            None => wrong(format!("{what} must be a whole number")),
        },
        (Some("array"), Value::Array(items)) => {
            within(size(items.len()), "minItems", "maxItems", " items long")?;
            let each = schema.get("items").unwrap_or(&Value::Null);
            items.iter().try_for_each(|item| value_is(&format!("each item of {what}"), each, item))
        }
        (Some("boolean"), Value::Bool(_)) | (Some("number"), Value::Number(_)) | (None, _) => Ok(()),
        (Some("integer"), _) => wrong(format!("{what} must be a whole number")),
        (Some("boolean"), _) => wrong(format!("{what} must be true or false")),
        (Some("array"), _) => wrong(format!("{what} must be a list")),
        (Some(kind), _) => wrong(format!("{what} must be a {kind}")),
    }
}
