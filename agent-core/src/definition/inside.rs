//! What stands inside of a parameter, for those who search it: none of it is shown.
//!
//! Is: names, texts and values of the schemas within a parameter's, wherever a reference within the definition leads. Is not: a
//! validator. Each referred schema is read once for a whole definition, so that no few bytes become many. Clause: SRCH-5.

use crate::canon::Node;
use crate::limits::DEFINITION_DEPTH;
use crate::subschema::{reference, resolve};
use std::collections::BTreeSet;
use std::mem::take;

/// A definition's parameters, one after the other.
pub(super) struct Inside<'a> {
    root: &'a Node,
    /// What references led to.
    seen: BTreeSet<*const Node>,
    texts: Vec<String>,
    values: Vec<String>,
}

impl<'a> Inside<'a> {
    pub(super) const fn of(root: &'a Node) -> Self {
        Self { root, seen: BTreeSet::new(), texts: Vec::new(), values: Vec::new() }
    }

    /// A parameter's title where it has no description, and the names, texts and values inside of it.
    pub(super) fn read(&mut self, name: &str, schema: &'a Node) -> (Vec<String>, Vec<String>) {
        self.title(name, schema);
        self.schema(name, schema, DEFINITION_DEPTH);
        (take(&mut self.texts), take(&mut self.values))
    }

    /// What one schema holds. Schemas that are no references are never deeper than a definition may be.
    fn schema(&mut self, name: &str, schema: &'a Node, left: usize) {
        let Some(left) = left.checked_sub(1) else { return };
        for (key, value) in schema.members() {
            match key.as_str() {
                "properties" => value.members().iter().for_each(|(name, one)| {
                    self.texts.push(name.clone());
                    self.inner(name, one, left);
                }),
                "items" | "prefixItems" | "anyOf" | "oneOf" | "allOf" if !value.items().is_empty() => {
                    value.items().iter().for_each(|one| self.inner(name, one, left));
                }
                "items" | "additionalProperties" => self.inner(name, value, left),
                "const" => self.values.extend(scalar(value)),
                key => {
                    let target = reference(key, value).and_then(|target| resolve(self.root, target));
                    if let Some(target) = target.filter(|target| self.seen.insert(std::ptr::from_ref(*target))) {
                        self.inner(name, target, left);
                    }
                }
            }
        }
    }

    /// The same of a schema inside of a parameter's, with what it says of itself.
    fn inner(&mut self, name: &str, schema: &'a Node, left: usize) {
        self.texts.extend(said(schema, "description").map(str::to_owned));
        self.values.extend(schema.get("enum").map(Node::items).unwrap_or_default().iter().filter_map(scalar));
        self.title(name, schema);
        self.schema(name, schema, left);
    }

    fn title(&mut self, name: &str, schema: &Node) {
        let letters = |text: &str| text.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect::<String>();
        if let (Some(title), None) = (said(schema, "title"), said(schema, "description"))
            && letters(title) != letters(name)
        {
            self.texts.push(title.to_owned());
        }
    }
}

/// A text that is there and not empty.
fn said<'a>(schema: &'a Node, key: &str) -> Option<&'a str> {
    schema.get(key).and_then(Node::as_str).filter(|text| !text.is_empty())
}

/// A value as a text, where it is one that words can be: a string, a number or a boolean.
pub(super) fn scalar(node: &Node) -> Option<String> {
    match node {
        Node::String(text) | Node::Number(text) => Some(text.clone()),
        Node::Bool(value) => Some(value.to_string()),
        _ => None,
    }
}
