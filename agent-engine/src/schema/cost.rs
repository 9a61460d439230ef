//! What checking a value against a schema costs at the most.
//!
//! Is: a bound that holds for whatever is checked, told from the schema alone and multiplied by the value's size. Is not:
//! a measure of time; a unit is about one small step of a validator. Clauses: GATE-1, GATE-6, UP-4. Attack 53.

use super::pattern::Weights;
use agent_core::canon::Node;
use agent_core::subschema::{Holds, all, holds, inside, reference, resolve};
use serde_json::Value;
use std::collections::BTreeMap;

/// Nodes of a schema with its references unfolded, up to which it is enforced.
const UNFOLDED: u64 = 100_000;
/// References within references, up to which they are followed.
const HOPS: usize = 64;
/// Keywords that make a part of a document one of its own, or name it otherwise than by its path.
const NAMING: [&str; 4] = ["$id", "id", "$anchor", "$dynamicAnchor"];
/// Steps of one check at the most. A step was seen to take 3 to 33 ns in a release build: 50 ms or so.
const STEPS: u64 = 4_000_000;
/// Steps up to which it is told where a value does not satisfy its schema; errors take memory.
const TOLD: u64 = 100_000;

/// Bytes of text that one state of a pattern reads in a step.
const BYTES_PER_STEP: u64 = 16;

/// How a check goes, by what it may cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bill {
    /// It is made, and every error told.
    Small,
    /// It is made, and its outcome told.
    Large,
    /// It is not made.
    TooLarge,
}

/// What a check of a value costs for each of its parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Cost {
    /// For each key and value in it.
    nodes: u64,
    /// For each byte of text in it.
    patterns: u64,
}

impl Cost {
    /// Of a schema with its patterns' weights; none where there is no bound: it refers to itself, to nowhere or too far, names parts of itself, or unfolds
    /// past [`UNFOLDED`].
    pub(super) fn of(schema: &Node, weights: &Weights<'_>) -> Option<Self> {
        let inner = all(schema).into_iter().filter(|part| !std::ptr::eq(*part, schema));
        let named = inner.flat_map(Node::members).any(|(key, value)| NAMING.contains(&key.as_str()) && value.as_str().is_some());
        if named {
            return None;
        }
        let cost = Unfolding { root: schema, weights, known: BTreeMap::new() }.of(schema, HOPS)?;
        (cost.nodes <= UNFOLDED).then_some(cost)
    }

    /// What checking this value comes to.
    pub(super) fn bill(self, value: &Value) -> Bill {
        let mut left = STEPS;
        match self.paid(value, &mut left) {
            None => Bill::TooLarge,
            Some(()) if STEPS - left > TOLD => Bill::Large,
            Some(()) => Bill::Small,
        }
    }

    /// Takes off what a value costs; none once there is not enough, without a look at the rest.
    fn paid(self, value: &Value, left: &mut u64) -> Option<()> {
        self.pay(if let Value::String(text) = value { text.len() } else { 0 }, left)?;
        match value {
            Value::Array(items) => items.iter().try_for_each(|item| self.paid(item, left)),
            Value::Object(members) => members.iter().try_for_each(|(key, value)| {
                self.pay(key.len(), left)?;
                self.paid(value, left)
            }),
            _ => Some(()),
        }
    }

    /// For one key or value. A byte of it is a small part of a step to each state of a pattern.
    fn pay(self, bytes: usize, left: &mut u64) -> Option<()> {
        let cost = self.nodes.saturating_add(self.patterns.saturating_mul(size(bytes)) / BYTES_PER_STEP);
        *left = left.checked_sub(cost)?;
        Some(())
    }

    fn and(self, other: Self) -> Self {
        Self { nodes: self.nodes.saturating_add(other.nodes), patterns: self.patterns.saturating_add(other.patterns) }
    }
}

struct Unfolding<'a> {
    root: &'a Node,
    weights: &'a Weights<'a>,
    /// What references lead to; none while it is counted.
    known: BTreeMap<*const Node, Option<Cost>>,
}

impl<'a> Unfolding<'a> {
    fn of(&mut self, schema: &'a Node, hops: usize) -> Option<Cost> {
        let mut cost = Cost { nodes: 1, patterns: 0 };
        let mut twice = false;
        for (keyword, value) in schema.members() {
            cost = cost.and(match (keyword.as_str(), value) {
                ("pattern", Node::String(pattern)) => Cost { nodes: 1, patterns: self.weight(pattern) },
                ("patternProperties", _) => Cost {
                    nodes: size(value.members().len()),
                    patterns: value.members().iter().map(|(name, _)| self.weight(name)).fold(0, u64::saturating_add),
                },
                // Of fractions, by exact arithmetic.
                ("multipleOf", _) => Cost { nodes: 16, patterns: 0 },
                _ if holds(keyword) == Holds::Data => Cost { nodes: values(value), patterns: 0 },
                _ => Cost { nodes: 1, patterns: 0 },
            });
            if let Some(target) = reference(keyword, value) {
                cost = cost.and(self.referred(target, hops)?);
            }
            // What these leave over is known once everything beside them was checked, which is then done again.
            twice |= matches!(keyword.as_str(), "unevaluatedProperties" | "unevaluatedItems");
        }
        for part in inside(schema) {
            cost = cost.and(self.of(part, hops)?);
        }
        Some(if twice { cost.and(cost).and(cost) } else { cost })
    }

    /// Of a pattern; nothing where none is enforced.
    fn weight(&self, pattern: &str) -> u64 {
        self.weights.get(pattern).copied().unwrap_or_default()
    }

    fn referred(&mut self, target: &str, hops: usize) -> Option<Cost> {
        let led_to = resolve(self.root, target)?;
        let key = std::ptr::from_ref(led_to);
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        self.known.insert(key, None);
        let cost = self.of(led_to, hops.checked_sub(1)?);
        self.known.insert(key, cost);
        cost
    }
}

fn size(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

/// Every value in one.
fn values(node: &Node) -> u64 {
    let inner = node.items().iter().chain(node.members().iter().map(|(_, value)| value));
    inner.map(values).fold(1, u64::saturating_add)
}
