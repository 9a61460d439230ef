//! Values against a definition's own schemas, within bounds.
//!
//! Is: compiled once per definition, nothing read from anywhere. Is not: a promise; what can't be compiled (`compile`) is
//! not enforced, and [`notes`] says so. Clauses: GATE-1, GATE-6, UP-4. Attack 53.

mod compile;
mod cost;
mod pattern;

pub use compile::{Unreadable, enforceable, notes};

use compile::Check;
use cost::Bill;

use agent_core::definition::Definition;
use agent_core::digest::Digest;
use agent_core::limits::{ARGUMENT_BYTES, ARGUMENT_DEPTH, ARGUMENT_NODES};
use agent_core::safety::{echo, prose};
use parking_lot::Mutex;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Schemas kept compiled at one time; past it all are compiled anew.
const KEPT: usize = 256;
/// Errors told of one call.
const TOLD: usize = 3;

/// The compiled schemas of the tools called so far.
#[derive(Default)]
pub struct Schemas(Mutex<BTreeMap<(Digest, Part), Compiled>>);

/// A compiled schema; none where it can't be.
type Compiled = Arc<Option<Check>>;

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
        told(definition, &self.compiled(definition, Part::Input), &arguments)
    }

    /// Checks a result's structured content, where the definition says what it is.
    ///
    /// # Errors
    /// The first few places where it doesn't satisfy the schema.
    pub fn check_output(&self, definition: &Definition, structured: &Value) -> Result<(), String> {
        told(definition, &self.compiled(definition, Part::Output), structured)
    }

    fn compiled(&self, definition: &Definition, part: Part) -> Compiled {
        let key = (definition.digest, part);
        if let Some(compiled) = self.0.lock().get(&key) {
            return compiled.clone();
        }
        let schema = if part == Part::Input { Some(definition.input()) } else { definition.output() };
        let (check, lacks) = schema.map(compile::compile).unwrap_or_default();
        if let Some(lacks) = lacks {
            tracing::warn!(tool = echo(&definition.name), "a schema is {lacks}");
        }
        let compiled = Arc::new(check);
        let mut kept = self.0.lock();
        if kept.len() >= KEPT {
            kept.clear();
        }
        kept.insert(key, compiled.clone());
        compiled
    }
}

/// Holds a value against a schema, where that is one and the check has a bound.
fn told(definition: &Definition, compiled: &Option<Check>, value: &Value) -> Result<(), String> {
    let Some(Check { validator, cost, said }) = compiled else { return Ok(()) };
    match cost.bill(value) {
        Bill::TooLarge => {
            if !said.swap(true, Ordering::Relaxed) {
                tracing::warn!(tool = echo(&definition.name), "a value is too large for its schema, and was not held against it");
            }
            return Ok(());
        }
        _ if validator.is_valid(value) => return Ok(()),
        Bill::Large => return Err("somewhere in it; it is too large to say where".to_owned()),
        Bill::Small => {}
    }
    let told: Vec<_> = validator
        .iter_errors(value)
        .take(TOLD)
        .map(|error| format!("at `{}`: {}", prose(&error.instance_path().to_string(), 80), prose(&error.to_string(), 160)))
        .collect();
    if told.is_empty() { Ok(()) } else { Err(told.join("; ")) }
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
mod tests;
