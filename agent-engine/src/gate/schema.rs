//! A call's arguments against the tool's own input schema, within bounds.
//!
//! Is: compiled once per definition, nothing read from anywhere. Is not: a promise; a schema or pattern that can't be
//! compiled is not enforced, and said so in the log. Clauses: GATE-1, GATE-6. Attack 53.

use crate::catalog::Tool;
use agent_core::digest::Digest;
use agent_core::limits::{ARGUMENT_BYTES, ARGUMENT_DEPTH, ARGUMENT_NODES};
use agent_core::safety::prose;
use jsonschema::{PatternOptions, Validator};
use parking_lot::Mutex;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Schemas kept compiled at one time; past it all are compiled anew.
const KEPT: usize = 256;
/// Errors told of one call.
const TOLD: usize = 3;
/// Bytes that one compiled pattern may take.
const PATTERN_BYTES: usize = 1024 * 1024;

/// The compiled schemas of the tools called so far.
#[derive(Default)]
pub struct Schemas(Mutex<BTreeMap<Digest, Arc<Option<Validator>>>>);

impl Schemas {
    /// Checks a call's arguments.
    ///
    /// # Errors
    /// The bound they break, or the first few places where they don't satisfy the schema.
    pub fn check(&self, tool: &Tool, arguments: &Map<String, Value>) -> Result<(), String> {
        let mut left = ARGUMENT_NODES;
        if !arguments.values().all(|value| bounded(value, ARGUMENT_DEPTH, &mut left)) {
            return Err(format!("the arguments are nested deeper than {ARGUMENT_DEPTH} or hold more than {ARGUMENT_NODES} values"));
        }
        let arguments = Value::Object(arguments.clone());
        if arguments.to_string().len() > ARGUMENT_BYTES {
            return Err(format!("the arguments are larger than {ARGUMENT_BYTES} bytes"));
        }
        let compiled = self.compiled(tool);
        let Some(validator) = compiled.as_ref() else { return Ok(()) };
        let told: Vec<_> = validator
            .iter_errors(&arguments)
            .take(TOLD)
            .map(|error| format!("at `{}`: {}", prose(&error.instance_path().to_string(), 80), prose(&error.to_string(), 160)))
            .collect();
        if told.is_empty() { Ok(()) } else { Err(told.join("; ")) }
    }

    fn compiled(&self, tool: &Tool) -> Arc<Option<Validator>> {
        let digest = tool.descriptor.digest;
        if let Some(compiled) = self.0.lock().get(&digest) {
            return compiled.clone();
        }
        let compiled = Arc::new(compile(tool));
        let mut kept = self.0.lock();
        if kept.len() >= KEPT {
            kept.clear();
        }
        kept.insert(digest, compiled.clone());
        compiled
    }
}

/// Compiles with every pattern, else without any, else not at all.
fn compile(tool: &Tool) -> Option<Validator> {
    let schema: Value = serde_json::from_str(&tool.definition.input_schema()).ok()?;
    let patterns = || PatternOptions::regex().size_limit(PATTERN_BYTES);
    let build = |schema: &Value| jsonschema::options().with_pattern_options(patterns()).build(schema);
    build(&schema)
        .or_else(|error| {
            tracing::warn!(tool = ?tool.descriptor.id, %error, "a schema is enforced without its patterns");
            build(&without_patterns(schema))
        })
        .inspect_err(|error| tracing::warn!(tool = ?tool.descriptor.id, %error, "a schema is not enforced"))
        .ok()
}

fn without_patterns(schema: Value) -> Value {
    match schema {
        Value::Object(members) => Value::Object(
            members
                .into_iter()
                .filter(|(key, value)| key != "patternProperties" && !(key == "pattern" && value.is_string()))
                .map(|(key, value)| (key, without_patterns(value)))
                .collect(),
        ),
        Value::Array(items) => Value::Array(items.into_iter().map(without_patterns).collect()),
        other => other,
    }
}

fn bounded(value: &Value, depth: usize, left: &mut usize) -> bool {
    let Some(rest) = left.checked_sub(1) else { return false };
    *left = rest;
    match value {
        Value::Array(items) => depth > 0 && items.iter().all(|item| bounded(item, depth - 1, left)),
        Value::Object(members) => depth > 0 && members.values().all(|member| bounded(member, depth - 1, left)),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing)]
    use super::*;
    use crate::catalog::{Source, assemble};
    use agent_core::effect::Declared;
    use agent_core::id::{Alias, SourceClass};
    use serde_json::json;

    fn check(schema: Value, arguments: Value) -> Result<(), String> {
        let definition = json!({"name": "t", "inputSchema": schema}).to_string();
        let source = Source {
            class: SourceClass::Mcp,
            alias: Alias::parse("s").unwrap(),
            declared: Declared::default(),
            tags: Vec::new(),
            description: String::new(),
            definitions: vec![definition],
        };
        Schemas::default().check(&assemble(&[source]).tools()[0], arguments.as_object().unwrap())
    }

    #[test]
    fn gate_1_arguments_satisfy_the_schema() {
        let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]});
        assert!(check(schema.clone(), json!({"n": 1})).is_ok());
        assert!(check(schema.clone(), json!({"n": "x"})).unwrap_err().contains("`/n`"));
        assert!(check(schema, json!({})).unwrap_err().contains("required"));
    }

    #[test]
    fn attack_53_schema_bombs_cost_nothing() {
        let reference = json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/x"}}, "$defs": {"x": {"anyOf": [{"type": "string"}, {"$ref": "#/$defs/x"}]}}});
        assert!(check(reference, json!({"a": "s"})).is_ok());
        let catastrophic = json!({"type": "object", "properties": {"a": {"pattern": "^(a+)+$"}}});
        assert!(check(catastrophic, json!({"a": format!("{}b", "a".repeat(5000))})).is_err());
        let unknown = json!({"type": "object", "properties": {"a": {"type": "string", "pattern": "(?<=x)y\\1"}}});
        assert!(check(unknown.clone(), json!({"a": "anything"})).is_ok());
        assert!(check(unknown, json!({"a": 1})).is_err());
    }

    #[test]
    fn gate_6_arguments_are_bounded() {
        let deep = (0..80).fold(json!(1), |inner, _| json!([inner]));
        assert!(check(json!({}), json!({"a": deep})).is_err());
        assert!(check(json!({}), json!({"a": "x".repeat(ARGUMENT_BYTES)})).is_err());
        assert!(check(json!({}), json!({"a": vec![0; ARGUMENT_NODES]})).is_err());
    }
}
