//! From a schema's text to what checks values, as far as it can be had.
//!
//! Is: by the draft that a schema names, else by an older one whose words it uses, else without its patterns, else not at
//! all. Is not: a check of formats; `format` is for people, in every draft, since the field's words for it (`uint64`,
//! `google-datetime`) are nobody's. Clauses: GATE-1, UP-4, CAT-4 (field). Attack 53.

use agent_core::canon::Node;
use agent_core::definition::{Definition, is_data};
use agent_core::safety::prose;
use jsonschema::{Draft, PatternOptions, Validator};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Patterns of one definition that are compiled to see whether they can be.
const PATTERNS: usize = 64;
/// Nodes of a schema with its references unfolded, up to which it is enforced.
const UNFOLDED: u64 = 100_000;
/// Bytes that one compiled pattern may take.
const PATTERN_BYTES: usize = 1024 * 1024;
/// Bytes of a reason.
const REASON_BYTES: usize = 200;
/// Drafts tried where a schema does not hold by its own, with their names.
const OLDER: [(Draft, &str); 2] = [(Draft::Draft7, "draft-07"), (Draft::Draft4, "draft-04")];

/// A schema holds what can't be read as a JSON value, so it could be neither shown nor enforced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unreadable;

/// Whether a definition's schemas can be enforced whole, as far as that can be told without compiling them; one that can't
/// is enforced in part or not at all, and the tool flagged.
///
/// # Errors
/// [`Unreadable`] where a schema holds a number past a double's range.
pub fn enforceable(definition: &Definition) -> Result<bool, Unreadable> {
    let schemas = std::iter::once(definition.input()).chain(definition.output());
    let schemas: Vec<Value> = schemas.map(Node::value).collect::<Option<_>>().ok_or(Unreadable)?;
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

type Built = Result<Validator, jsonschema::ValidationError<'static>>;

fn build(schema: &Value) -> Built {
    built(jsonschema::options(), schema)
}

fn built(options: jsonschema::ValidationOptions, schema: &Value) -> Built {
    let patterns = PatternOptions::regex().size_limit(PATTERN_BYTES);
    options.with_pattern_options(patterns).should_validate_formats(false).build(schema)
}

/// Compiles a schema, and says what its checking lacks, in words that follow "a schema is".
pub(super) fn compile(schema: &Node) -> (Option<Validator>, Option<String>) {
    let none = |why: &str| (None, Some(format!("not enforced: {why}")));
    let Some(schema) = schema.value() else { return none("it can't be read") };
    if !affordable(&schema) {
        return none("it refers to itself or to nowhere, or unfolds past the bound");
    }
    let error = match build(&schema) {
        Ok(validator) => return (Some(validator), None),
        Err(error) => prose(&error.to_string(), REASON_BYTES),
    };
    if let Some((validator, draft)) = older(&schema) {
        return (Some(validator), Some(format!("enforced by the words of {draft}, since by its own draft it does not hold: {error}")));
    }
    let plain = without_patterns(schema);
    let found = build(&plain).ok().or_else(|| older(&plain).map(|(validator, _)| validator));
    match found {
        Some(validator) => (Some(validator), Some(format!("enforced without its patterns: {error}"))),
        None => none(&error),
    }
}

/// By the first older draft by which it holds.
fn older(schema: &Value) -> Option<(Validator, &'static str)> {
    let mut schema = schema.clone();
    schema.as_object_mut()?.remove("$schema");
    OLDER.into_iter().find_map(|(draft, name)| Some((built(jsonschema::options().with_draft(draft), &schema).ok()?, name)))
}

/// What an operator should know of how a definition's schemas are enforced. Compiles them: not for every tool of a catalog
/// at once.
#[must_use]
pub fn notes(definition: &Definition) -> Vec<String> {
    let input = ("the arguments' schema", Some(definition.input()));
    let output = ("the result's schema", definition.output());
    let note = |(which, schema): (&str, Option<&Node>)| Some(format!("{which} is {}", compile(schema?).1?));
    [input, output].into_iter().filter_map(note).collect()
}

/// The schema without its patterns; what only looks like one, a property's name or data, stays.
pub(super) fn without_patterns(schema: Value) -> Value {
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
