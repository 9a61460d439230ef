//! Arguments that a tool wants to stand in headers as well (`x-mcp-header`, MCP 2026-07-28).
//!
//! Is: which, of an input schema. A schema whose marks can't be followed is refused: another reader would take another
//! argument for the one that counts. Is not: a header; what carries one is the host's. Clause: CAT-4. Attack 54.

use crate::canon::Node;
use crate::subschema::all;
use serde_json::{Map, Value};
use std::collections::BTreeSet;

const MARK: &str = "x-mcp-header";
/// Bytes of a header's name, after its prefix.
const NAME_BYTES: usize = 128;

/// An argument, and what names its header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mirrored {
    /// The way to it, from the arguments on.
    pub path: Vec<String>,
    /// The header's name after `mcp-param-`: a token in lower case.
    pub header: String,
}

impl Mirrored {
    /// Its value among the arguments of a call; none where it is not there, or null.
    #[must_use]
    pub fn value<'a>(&self, arguments: &'a Map<String, Value>) -> Option<&'a Value> {
        let (first, rest) = self.path.split_first()?;
        let value = rest.iter().try_fold(arguments.get(first)?, |value, key| value.get(key))?;
        Some(value).filter(|value| !value.is_null())
    }
}

/// The marked arguments of an input schema.
///
/// # Errors
/// Why its marks can't be followed.
pub fn mirrored(schema: &Node) -> Result<Vec<Mirrored>, &'static str> {
    let mut found = Vec::new();
    walk(schema, &mut Vec::new(), &mut found)?;
    let distinct: BTreeSet<_> = found.iter().map(|mirrored| &mirrored.header).collect();
    if distinct.len() != found.len() {
        return Err("two arguments have the same");
    }
    if found.len() != all(schema).into_iter().filter(|schema| schema.get(MARK).is_some()).count() {
        return Err("one stands where no argument is certain to be");
    }
    Ok(found)
}

/// Marks of properties, and of properties of properties.
fn walk(schema: &Node, path: &mut Vec<String>, found: &mut Vec<Mirrored>) -> Result<(), &'static str> {
    for (name, property) in schema.get("properties").map(Node::members).unwrap_or_default() {
        path.push(name.clone());
        if let Some(mark) = property.get(MARK) {
            let text = mark.as_str().filter(|text| !text.is_empty()).ok_or("one is no name")?;
            if text.len() > NAME_BYTES || !text.bytes().all(is_token) {
                return Err("one can't be a header's name");
            }
            if !matches!(property.get("type").and_then(Node::as_str), Some("string" | "integer" | "boolean")) {
                return Err("one is on what is no text, integer or boolean");
            }
            found.push(Mirrored { path: path.clone(), header: text.to_ascii_lowercase() });
        }
        walk(property, path, found)?;
        path.pop();
    }
    Ok(())
}

/// RFC 9110, section 5.6.2.
const fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'!' | b'#'..=b'\'' | b'*' | b'+' | b'-' | b'.' | b'^'..=b'`' | b'|' | b'~')
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use serde_json::json;

    fn of(properties: &Value) -> Result<Vec<Mirrored>, &'static str> {
        mirrored(&Node::parse(&json!({"type": "object", "properties": properties}).to_string(), 32, 8192).unwrap())
    }

    #[test]
    fn cat_4_marked_arguments_are_found_by_their_way() {
        let found = of(&json!({
            "region": {"type": "string", "x-mcp-header": "Region"},
            "deep": {"type": "object", "properties": {"n": {"type": "integer", "x-mcp-header": "N"}}},
            "x-mcp-header": {"type": "string", "default": {"x-mcp-header": "no"}},
            "said": {"type": "string", "description": "not an x-mcp-header"},
        }));
        let found = found.unwrap();
        let shown: Vec<_> = found.iter().map(|mirrored| (mirrored.path.join("."), mirrored.header.as_str())).collect();
        assert_eq!(shown, [("deep.n".to_owned(), "n"), ("region".to_owned(), "region")]);
        let arguments = json!({"deep": {"n": 7}, "region": null});
        let values: Vec<_> = found.iter().map(|mirrored| mirrored.value(arguments.as_object().unwrap())).collect();
        assert_eq!(values, [Some(&json!(7)), None]);
    }

    #[test]
    fn attack_54_marks_that_can_t_be_followed_are_refused() {
        for (properties, why) in [
            (json!({"a": {"type": "string", "x-mcp-header": "A\r\nB"}}), "a header's name"),
            (json!({"a": {"type": "string", "x-mcp-header": "A:"}}), "a header's name"),
            (json!({"a": {"type": "string", "x-mcp-header": "a".repeat(200)}}), "a header's name"),
            (json!({"a": {"type": "string", "x-mcp-header": ""}}), "no name"),
            (json!({"a": {"type": "string", "x-mcp-header": 1}}), "no name"),
            (json!({"a": {"type": "number", "x-mcp-header": "A"}}), "no text, integer or boolean"),
            (json!({"a": {"type": ["string", "null"], "x-mcp-header": "A"}}), "no text, integer or boolean"),
            (json!({"a": {"type": "string", "x-mcp-header": "A"}, "b": {"type": "string", "x-mcp-header": "a"}}), "the same"),
            (json!({"a": {"type": "array", "items": {"type": "string", "x-mcp-header": "A"}}}), "no argument is certain"),
            (json!({"a": {"anyOf": [{"type": "string", "x-mcp-header": "A"}]}}), "no argument is certain"),
            (json!({"a": {"$ref": "#/properties/b/default", "x": 1}, "b": {"default": {"x-mcp-header": "A"}}}), "no argument is certain"),
        ] {
            let error = of(&properties).unwrap_err();
            assert!(error.contains(why), "{properties}: {error}");
        }
        assert!(mirrored(&Node::parse(r#"{"type":"object","x-mcp-header":"A"}"#, 32, 8192).unwrap()).is_err());
    }
}
