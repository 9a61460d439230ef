//! Values against a definition's own schemas, within bounds.
//!
//! Is: compiled once per definition, nothing read from anywhere. Is not: a promise; a schema or pattern that can't be
//! compiled is not enforced, and the tool is flagged. Clauses: GATE-1, GATE-6, UP-4. Attack 53.

use agent_core::definition::{Definition, is_data};
use agent_core::digest::Digest;
use agent_core::limits::{ARGUMENT_BYTES, ARGUMENT_DEPTH, ARGUMENT_NODES};
use agent_core::safety::{echo, prose};
use jsonschema::{PatternOptions, Validator};
use parking_lot::Mutex;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Schemas kept compiled at one time; past it all are compiled anew.
const KEPT: usize = 256;
/// Errors told of one call.
const TOLD: usize = 3;
/// Patterns of one definition that are compiled to see whether they can be.
const PATTERNS: usize = 64;
/// Nodes of a schema with its references unfolded, up to which it is enforced.
const UNFOLDED: u64 = 100_000;
/// Bytes that one compiled pattern may take.
const PATTERN_BYTES: usize = 1024 * 1024;

/// The compiled schemas of the tools called so far.
#[derive(Default)]
pub struct Schemas(Mutex<BTreeMap<(Digest, Part), Compiled>>);

/// A compiled schema; none where it can't be.
type Compiled = Arc<Option<Validator>>;

/// Which schema of a definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Input,
    Output,
}

impl Schemas {
    /// Checks a call's arguments.
    ///
    /// # Errors
    /// The bound they break, or the first few places where they don't satisfy the schema.
    pub fn check(&self, definition: &Definition, arguments: &Map<String, Value>) -> Result<(), String> {
        let mut left = ARGUMENT_NODES;
        if !arguments.values().all(|value| bounded(value, ARGUMENT_DEPTH, &mut left)) {
            return Err(format!("the arguments are nested deeper than {ARGUMENT_DEPTH} or hold more than {ARGUMENT_NODES} values"));
        }
        let arguments = Value::Object(arguments.clone());
        if arguments.to_string().len() > ARGUMENT_BYTES {
            return Err(format!("the arguments are larger than {ARGUMENT_BYTES} bytes"));
        }
        told(&self.compiled(definition, Part::Input), &arguments)
    }

    /// Checks a result's structured content, where the definition says what it is.
    ///
    /// # Errors
    /// The first few places where it doesn't satisfy the schema.
    pub fn check_output(&self, definition: &Definition, structured: &Value) -> Result<(), String> {
        told(&self.compiled(definition, Part::Output), structured)
    }

    fn compiled(&self, definition: &Definition, part: Part) -> Compiled {
        let key = (definition.digest, part);
        if let Some(compiled) = self.0.lock().get(&key) {
            return compiled.clone();
        }
        let schema = if part == Part::Input { Some(definition.input_schema()) } else { definition.output_schema() };
        let compiled = Arc::new(schema.and_then(|schema| compile(&definition.name, &schema)));
        let mut kept = self.0.lock();
        if kept.len() >= KEPT {
            kept.clear();
        }
        kept.insert(key, compiled.clone());
        compiled
    }
}

fn told(compiled: &Option<Validator>, value: &Value) -> Result<(), String> {
    let Some(validator) = compiled else { return Ok(()) };
    let told: Vec<_> = validator
        .iter_errors(value)
        .take(TOLD)
        .map(|error| format!("at `{}`: {}", prose(&error.instance_path().to_string(), 80), prose(&error.to_string(), 160)))
        .collect();
    if told.is_empty() { Ok(()) } else { Err(told.join("; ")) }
}

/// A schema holds what can't be read as a JSON value, so it could be neither shown nor enforced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unreadable;

/// Whether a definition's schemas can be enforced whole, as far as that can be told without compiling them; one that can't
/// is enforced in part or not at all, and the tool flagged.
///
/// # Errors
/// [`Unreadable`] where a schema holds a number past a double's range.
pub fn enforceable(definition: &Definition) -> Result<bool, Unreadable> {
    let schemas = std::iter::once(definition.input_schema()).chain(definition.output_schema());
    let schemas: Vec<Value> = schemas.map(|schema| serde_json::from_str(&schema)).collect::<Result<_, _>>().map_err(|_| Unreadable)?;
    let patterns = definition.patterns();
    Ok(patterns.len() <= PATTERNS
        && schemas.iter().all(affordable)
        && patterns.iter().all(|pattern| build(&json!({"pattern": pattern})).is_ok()))
}

/// Whether checking a value against a schema costs no more than a bound for each of its parts: the schema with every
/// `$ref` unfolded has at most [`UNFOLDED`] nodes. One that refers to itself has no such number.
fn affordable(schema: &Value) -> bool {
    unfolded(schema, schema, &mut BTreeMap::new()).is_some_and(|nodes| nodes <= UNFOLDED)
}

fn unfolded(node: &Value, root: &Value, known: &mut BTreeMap<String, Option<u64>>) -> Option<u64> {
    let mut nodes: u64 = 1;
    match node {
        Value::Array(items) => {
            for item in items {
                nodes = nodes.saturating_add(unfolded(item, root, known)?);
            }
        }
        Value::Object(members) => {
            for (key, value) in members {
                nodes = nodes.saturating_add(match (key.as_str(), value) {
                    ("$ref" | "$dynamicRef" | "$recursiveRef", Value::String(target)) => referred(target, root, known)?,
                    (keyword, _) if is_data(keyword) => 1,
                    (_, value) => unfolded(value, root, known)?,
                });
            }
        }
        _ => {}
    }
    Some(nodes)
}

/// The nodes behind a reference; none while they are being counted, or where it leads nowhere.
fn referred(target: &str, root: &Value, known: &mut BTreeMap<String, Option<u64>>) -> Option<u64> {
    if let Some(nodes) = known.get(target) {
        return *nodes;
    }
    known.insert(target.to_owned(), None);
    let nodes = unfolded(root.pointer(target.strip_prefix('#')?)?, root, known);
    known.insert(target.to_owned(), nodes);
    nodes
}

fn build(schema: &Value) -> Result<Validator, jsonschema::ValidationError<'static>> {
    jsonschema::options().with_pattern_options(PatternOptions::regex().size_limit(PATTERN_BYTES)).build(schema)
}

/// Compiles with every pattern, else without any, else not at all.
fn compile(name: &str, schema: &str) -> Option<Validator> {
    let schema: Value = serde_json::from_str(schema).ok()?;
    if !affordable(&schema) {
        tracing::warn!(tool = echo(name), "a schema is not enforced: it refers to itself, or unfolds past the bound");
        return None;
    }
    build(&schema)
        .or_else(|error| {
            tracing::warn!(tool = echo(name), %error, "a schema is enforced without its patterns");
            build(&without_patterns(schema))
        })
        .inspect_err(|error| tracing::warn!(tool = echo(name), %error, "a schema is not enforced"))
        .ok()
}

/// The schema without its patterns; what only looks like one, a property's name or data, stays.
fn without_patterns(schema: Value) -> Value {
    match schema {
        Value::Object(members) => Value::Object(
            members
                .into_iter()
                .filter(|(key, value)| key != "patternProperties" && !(key == "pattern" && value.is_string()))
                .map(|(key, value)| match (key.as_str(), value) {
                    ("properties", Value::Object(named)) => {
                        let named = named.into_iter().map(|(name, schema)| (name, without_patterns(schema)));
                        (key, Value::Object(named.collect()))
                    }
                    (keyword, value) if is_data(keyword) => (key, value),
                    (_, value) => (key, without_patterns(value)),
                })
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

    fn define(schema: Value, output: Value) -> Definition {
        Definition::parse(&json!({"name": "t", "inputSchema": schema, "outputSchema": output}).to_string()).unwrap()
    }

    fn enforceable(definition: &Definition) -> bool {
        super::enforceable(definition).unwrap()
    }

    fn check(schema: Value, arguments: Value) -> Result<(), String> {
        Schemas::default().check(&define(schema, Value::Null), arguments.as_object().unwrap())
    }

    #[test]
    fn gate_1_a_pattern_that_cannot_be_compiled_flags_the_tool() {
        let define = |pattern: &str| define(json!({"properties": {"a": {"pattern": pattern}, "pattern": {"type": "string"}}}), Value::Null);
        assert!(enforceable(&define("^[a-z]+$")));
        assert!(!enforceable(&define("(?<=x)y\\1")));
    }

    #[test]
    fn gate_1_only_patterns_are_left_out() {
        let data =
            json!({"const": {"pattern": "x"}, "properties": {"patternProperties": {"type": "integer", "pattern": "y"}}, "pattern": "z"});
        let left = json!({"const": {"pattern": "x"}, "properties": {"patternProperties": {"type": "integer"}}});
        assert_eq!(without_patterns(data), left);
    }

    #[test]
    fn up_4_structured_content_satisfies_its_schema() {
        let definition = define(json!({}), json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}));
        let schemas = Schemas::default();
        assert!(schemas.check_output(&definition, &json!({"n": 1})).is_ok());
        assert!(schemas.check_output(&definition, &json!({"n": "1"})).is_err());
        assert!(schemas.check_output(&define(json!({}), Value::Null), &json!([1])).is_ok());
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
    fn attack_53_a_schema_that_unfolds_without_end_is_not_enforced_and_flagged() {
        let level = |at: usize| json!({"anyOf": [{"$ref": format!("#/$defs/x{at}")}, {"$ref": format!("#/$defs/x{at}")}]});
        let mut defs: Map<String, Value> = (1..60).map(|at| (format!("x{at}"), level(at - 1))).collect();
        defs.insert("x0".to_owned(), json!({"type": "integer"}));
        let bomb = json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/x59"}}, "$defs": defs});
        assert!(!enforceable(&define(bomb.clone(), Value::Null)) && check(bomb.clone(), json!({"a": "no integer"})).is_ok());
        let output = define(json!({}), bomb);
        assert!(!enforceable(&output) && Schemas::default().check_output(&output, &json!({"a": "no integer"})).is_ok());
        let itself = json!({"properties": {"a": {"anyOf": [{"$ref": "#"}, {"$ref": "#"}]}}});
        assert!(!enforceable(&define(itself, Value::Null)));
        let shared = json!({"properties": {"a": {"$ref": "#/$defs/s"}, "b": {"$ref": "#/$defs/s"}}, "$defs": {"s": {"type": "string"}}});
        assert!(enforceable(&define(shared.clone(), Value::Null)) && check(shared, json!({"a": 1})).is_err());
        assert!(!enforceable(&define(json!({"properties": {"a": {"$ref": "#/nowhere"}}}), Value::Null)));
    }

    #[test]
    fn gate_6_arguments_are_bounded() {
        let deep = (0..80).fold(json!(1), |inner, _| json!([inner]));
        assert!(check(json!({}), json!({"a": deep})).is_err());
        assert!(check(json!({}), json!({"a": "x".repeat(ARGUMENT_BYTES)})).is_err());
        assert!(check(json!({}), json!({"a": vec![0; ARGUMENT_NODES]})).is_err());
    }
}
