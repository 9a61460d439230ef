//! Arguments that a tool wants to stand in headers as well (`x-mcp-header`, MCP 2026-07-28).
//!
//! Is: which, of a definition as it was sent; and their values as a header can carry them. A definition whose marks can't be
//! followed is refused: another reader would take another argument for the one that counts. Clause: UP-6 (eras). Attack 54.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use http::{HeaderName, HeaderValue};
use serde_json::{Map, Value};
use std::collections::BTreeSet;

const MARK: &str = "x-mcp-header";

/// The way to an argument, and the header that carries it.
pub(in crate::upstream) type Parameter = (Vec<String>, HeaderName);

/// The marks of a definition.
///
/// # Errors
/// Why they can't be followed.
pub(in crate::upstream) fn marks(definition: &str) -> Result<Vec<Parameter>, String> {
    if !definition.contains(MARK) {
        return Ok(Vec::new());
    }
    let definition: Value = serde_json::from_str(definition).map_err(|_| "it can't be read".to_owned())?;
    let mut found = Vec::new();
    let Some(schema) = definition.get("inputSchema").filter(|schema| count(schema) > 0) else { return Ok(found) };
    walk(schema, &mut Vec::new(), &mut found)?;
    let distinct: BTreeSet<_> = found.iter().map(|(_, name)| name.as_str()).collect();
    if distinct.len() != found.len() {
        return Err(format!("two arguments have the same `{MARK}`"));
    }
    if found.len() != count(schema) {
        return Err(format!("an `{MARK}` stands where no argument is certain to be"));
    }
    Ok(found)
}

/// Marks anywhere in a schema.
fn count(schema: &Value) -> usize {
    match schema {
        Value::Object(members) => members
            .iter()
            .map(|(name, value)| match name.as_str() {
                "default" | "const" | "enum" | "examples" => 0,
                MARK => 1,
                "properties" | "$defs" | "definitions" | "patternProperties" | "dependentSchemas" => {
                    value.as_object().map_or(0, |named| named.values().map(count).sum())
                }
                _ => count(value),
            })
            .sum(),
        Value::Array(items) => items.iter().map(count).sum(),
        _ => 0,
    }
}

/// Marks of properties, and of properties of properties.
fn walk(schema: &Value, path: &mut Vec<String>, found: &mut Vec<Parameter>) -> Result<(), String> {
    for (name, property) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        path.push(name.clone());
        if let Some(mark) = property.get(MARK) {
            let text = mark.as_str().filter(|text| !text.is_empty()).ok_or_else(|| format!("an `{MARK}` is no name"))?;
            let header = HeaderName::from_bytes(format!("mcp-param-{text}").as_bytes());
            let header = header.map_err(|_| format!("an `{MARK}` can't be a header's name"))?;
            if !matches!(property.get("type").and_then(Value::as_str), Some("string" | "integer" | "boolean")) {
                return Err(format!("an `{MARK}` is on what is no text, integer or boolean"));
            }
            found.push((path.clone(), header));
        }
        walk(property, path, found)?;
        path.pop();
    }
    Ok(())
}

/// The headers of one call.
pub(super) fn parameters(marks: &[Parameter], arguments: Option<&Map<String, Value>>) -> Vec<(HeaderName, HeaderValue)> {
    let value = |path: &[String]| {
        let (first, rest) = path.split_first()?;
        let value = rest.iter().try_fold(arguments?.get(first)?, |value, key| value.get(key))?;
        Some(match value {
            Value::String(text) => text.clone(),
            Value::Bool(_) | Value::Number(_) => value.to_string(),
            _ => return None,
        })
    };
    marks.iter().filter_map(|(path, name)| Some((name.clone(), header_value(&value(path)?)))).collect()
}

/// A text as a header's value: as it is, or in base64 where a header could not carry it or a reader would take it for base64.
pub(super) fn header_value(text: &str) -> HeaderValue {
    let seen = text.bytes().all(|byte| (0x20..0x7f).contains(&byte)) && text.trim() == text;
    let plain = seen && !(text.starts_with("=?base64?") && text.ends_with("?="));
    let carried = if plain { text.to_owned() } else { format!("=?base64?{}?=", BASE64_STANDARD.encode(text)) };
    HeaderValue::from_str(&carried).unwrap_or_else(|_| HeaderValue::from_static(""))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing)]
    use super::*;
    use serde_json::json;

    fn tool(properties: Value) -> String {
        json!({"name": "t", "inputSchema": {"type": "object", "properties": properties}}).to_string()
    }

    #[test]
    fn up_6_marked_arguments_stand_in_headers() {
        let properties = json!({
            "region": {"type": "string", "x-mcp-header": "Region"},
            "deep": {"type": "object", "properties": {"n": {"type": "integer", "x-mcp-header": "N"}}},
            "x-mcp-header": {"type": "string", "default": {"x-mcp-header": "no"}},
        });
        let marks = marks(&tool(properties)).unwrap();
        let arguments = json!({"region": " \u{e9}", "deep": {"n": 7}});
        let headers = parameters(&marks, arguments.as_object());
        let shown: Vec<_> = headers.iter().map(|(name, value)| format!("{name}: {}", value.to_str().unwrap())).collect();
        assert_eq!(shown, ["mcp-param-n: 7", "mcp-param-region: =?base64?IMOp?="]);
        assert_eq!(parameters(&marks, json!({"deep": 1}).as_object()), []);
        assert_eq!(header_value("=?base64?eA==?="), "=?base64?PT9iYXNlNjQ/ZUE9PT89?=");
        assert_eq!((header_value("plain word"), header_value("")), (HeaderValue::from_static("plain word"), HeaderValue::from_static("")));
    }

    #[test]
    fn attack_54_marks_that_can_t_be_followed_refuse_their_tool() {
        for (properties, why) in [
            (json!({"a": {"type": "string", "x-mcp-header": "A\r\nB"}}), "a header's name"),
            (json!({"a": {"type": "string", "x-mcp-header": ""}}), "no name"),
            (json!({"a": {"type": "string", "x-mcp-header": 1}}), "no name"),
            (json!({"a": {"type": "number", "x-mcp-header": "A"}}), "no text, integer or boolean"),
            (json!({"a": {"type": "string", "x-mcp-header": "A"}, "b": {"type": "string", "x-mcp-header": "a"}}), "the same"),
            (json!({"a": {"type": "array", "items": {"type": "string", "x-mcp-header": "A"}}}), "no argument is certain"),
        ] {
            let error = marks(&tool(properties.clone())).unwrap_err();
            assert!(error.contains(why), "{properties}: {error}");
        }
        let root = json!({"name": "t", "inputSchema": {"type": "object", "x-mcp-header": "A"}}).to_string();
        assert!(marks(&root).is_err());
        assert_eq!(marks(&tool(json!({"a": {"type": "string", "description": "not an x-mcp-header"}}))), Ok(Vec::new()));
    }
}
