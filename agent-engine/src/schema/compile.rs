//! From a schema's text to what checks values, as far as it can be had.
//!
//! Is: by the draft that a schema names, else by an older one whose words it uses, else without its patterns, else not at
//! all. Is not: a check of formats; `format` is for people, in every draft, since the field's words for it (`uint64`,
//! `google-datetime`) are nobody's. Clauses: GATE-1, UP-4, CAT-4 (field). Attack 53.

use super::cost::Cost;
use super::pattern::{COMPILED_BYTES, Weights, weights};
use agent_core::canon::Node;
use agent_core::definition::Definition;
use agent_core::safety::prose;
use agent_core::subschema::each_mut;
use jsonschema::{Draft, PatternOptions, Validator};
use serde_json::Value;
use std::sync::atomic::AtomicBool;

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
    let schemas: Vec<&Node> = std::iter::once(definition.input()).chain(definition.output()).collect();
    if schemas.iter().any(|schema| schema.value().is_none()) {
        return Err(Unreadable);
    }
    Ok(schemas.iter().all(|schema| weights(schema).is_ok_and(|weights| Cost::of(schema, &weights).is_some())))
}

type Built = Result<Validator, jsonschema::ValidationError<'static>>;

pub(super) fn build(schema: &Value) -> Built {
    built(jsonschema::options(), schema)
}

fn built(options: jsonschema::ValidationOptions, schema: &Value) -> Built {
    let patterns = PatternOptions::regex().size_limit(COMPILED_BYTES);
    options.with_pattern_options(patterns).should_validate_formats(false).build(schema)
}

/// What checks values against one schema.
pub(super) struct Check {
    pub(super) validator: Validator,
    pub(super) cost: Cost,
    /// Whether it was said that a value was too large for it.
    pub(super) said: AtomicBool,
}

impl Check {
    fn new(validator: Validator, cost: Cost) -> Self {
        Self { validator, cost, said: AtomicBool::new(false) }
    }
}

/// Compiles a schema, and says what its checking lacks, in words that follow "a schema is".
pub(super) fn compile(schema: &Node) -> (Option<Check>, Option<String>) {
    let none = |why: &str| (None, Some(format!("not enforced: {why}")));
    let (weights, unmatched) = match weights(schema) {
        Ok(weights) => (weights, None),
        Err(why) => (Weights::new(), Some(format!("enforced without its patterns: {}", prose(&why, REASON_BYTES)))),
    };
    let Some(cost) = Cost::of(schema, &weights) else {
        return none("it refers to itself or to nowhere, names parts of itself, or unfolds past the bound");
    };
    let whole = if unmatched.is_some() { without_patterns(schema).value() } else { schema.value() };
    let Some(whole) = whole else { return none("it can't be read") };
    let error = match build(&whole) {
        Ok(validator) => return (Some(Check::new(validator, cost)), unmatched),
        Err(error) => prose(&error.to_string(), REASON_BYTES),
    };
    match older(&whole) {
        Some((validator, draft)) => {
            let drafted = format!("enforced by the words of {draft}, since by its own draft it does not hold: {error}");
            let lacks = [Some(drafted), unmatched].into_iter().flatten().collect::<Vec<_>>().join("; and ");
            (Some(Check::new(validator, cost)), Some(lacks))
        }
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
pub(super) fn without_patterns(schema: &Node) -> Node {
    let mut plain = schema.clone();
    each_mut(&mut plain, &|members| {
        members.retain(|(key, value)| key != "patternProperties" && !(key == "pattern" && value.as_str().is_some()));
    });
    plain
}
