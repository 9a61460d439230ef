#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use super::*;
use serde::Deserialize;
use serde_json::json;

/// Arguments of one kind each.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(dead_code)]
struct Given {
    /// A name.
    #[schemars(length(min = 1, max = 3))]
    name: String,
    /// A number.
    #[schemars(range(min = 1, max = 9))]
    count: Option<u32>,
    /// Whether.
    #[serde(default)]
    really: bool,
    /// Words.
    #[serde(default)]
    #[schemars(length(max = 2), inner(length(max = 3)))]
    words: Vec<String>,
}

#[test]
fn a_schema_is_plain() {
    let schema = Value::Object(of::<Given>());
    assert_eq!(schema["additionalProperties"], json!(false));
    assert_eq!(schema["required"], json!(["name"]));
    assert_eq!(schema["properties"]["count"], json!({"type": "integer", "description": "A number.", "minimum": 1, "maximum": 9}));
    assert_eq!(schema["properties"]["words"]["items"], json!({"type": "string", "maxLength": 3}));
    assert!(schema.get("title").is_none() && schema.get("$schema").is_none());
}

#[test]
fn arguments_are_held_to_what_was_listed() {
    let schema = of::<Given>();
    let said = |arguments: Value| check(&schema, arguments.as_object().unwrap()).err().map(|Wrong(text)| text).unwrap_or_default();
    assert_eq!(said(json!({"name": "äöü", "count": 9, "really": true, "words": ["a", "b"]})), "");
    for (arguments, part) in [
        (json!({}), "`name` is missing"),
        (json!({"name": ""}), "at least 1 characters"),
        (json!({"name": "abcd"}), "at most 3 characters"),
        (json!({"name": 1}), "must be a string"),
        (json!({"name": "a", "count": 10}), "at most 9"),
        (json!({"name": "a", "count": 0}), "at least 1"),
        (json!({"name": "a", "count": 1.5}), "whole number"),
        (json!({"name": "a", "count": u64::MAX}), "whole number"),
        (json!({"name": "a", "really": "yes"}), "true or false"),
        (json!({"name": "a", "words": "b"}), "must be a list"),
        (json!({"name": "a", "words": ["a", "b", "c"]}), "at most 2 items"),
        (json!({"name": "a", "words": ["abcd"]}), "each item of `words` must be at most 3"),
        (json!({"name": "a", "other": 1}), "this tool takes `count`, `name`"),
    ] {
        let found = said(arguments.clone());
        assert!(found.contains(part), "{arguments}: {found}");
    }
}
