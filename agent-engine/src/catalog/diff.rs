//! What moved between two definitions of one tool, part by part.
//!
//! Is: pure; two spellings of one value are the same, as they are to the digest. Is not: a judgement of what moved, nor
//! words on a screen: every text here is a stranger's, as it was sent. Clause: CAT-8 (diff).

mod words;

#[cfg(test)]
mod tests;

pub use words::{Piece, words};

use agent_core::canon::{CanonError, Node};
use agent_core::limits::{DEFINITION_DEPTH, DEFINITION_NODES};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// A part of a definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Part {
    /// `description`
    Description,
    /// `inputSchema`
    Arguments,
    /// `outputSchema`
    Output,
    /// `annotations`
    Annotations,
    /// Every other field, known to us or not.
    Other,
}

impl Part {
    /// The word for people.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Description => "description",
            Self::Arguments => "arguments",
            Self::Output => "output",
            Self::Annotations => "annotations",
            Self::Other => "other",
        }
    }

    fn of(field: &str) -> Self {
        match field {
            "description" => Self::Description,
            "inputSchema" => Self::Arguments,
            "outputSchema" => Self::Output,
            "annotations" => Self::Annotations,
            _ => Self::Other,
        }
    }
}

/// One thing that moved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Moved {
    /// In which part.
    pub part: Part,
    /// Where in it, from the outside in. Among the arguments a parameter's name comes first; empty is the part itself.
    pub at: Vec<String>,
    /// What was there: a text where text became other text, else JSON. None where it is new.
    pub old: Option<String>,
    /// What is there now. None where it is gone.
    pub new: Option<String>,
}

/// Everything that moved, in the order of the parts.
///
/// # Errors
/// [`CanonError`] where one is no definition that a catalog would hold.
pub fn moved(old: &str, new: &str) -> Result<Vec<Moved>, CanonError> {
    let parse = |raw| Node::parse(raw, DEFINITION_DEPTH, DEFINITION_NODES);
    let (old, new) = (parse(old)?, parse(new)?);
    let mut found = Vec::new();
    for field in keys(&old, &new) {
        let part = Part::of(field);
        let at = if part == Part::Other { vec![field.to_owned()] } else { Vec::new() };
        let mut walk = Walk { part, at, found: &mut found };
        match (part, old.get(field), new.get(field)) {
            (Part::Arguments, Some(old), Some(new)) => walk.arguments(old, new),
            (Part::Description, None, Some(Node::String(new))) if !new.is_empty() => walk.push(Some(String::new()), Some(new.clone())),
            (Part::Description, Some(Node::String(old)), None) if !old.is_empty() => walk.push(Some(old.clone()), Some(String::new())),
            (_, old, new) => walk.value(old, new),
        }
    }
    found.sort_by_key(|moved| moved.part);
    Ok(found)
}

/// The keys of two objects, each once: the old ones in their order, then those that are new.
fn keys<'a>(old: &'a Node, new: &'a Node) -> Vec<&'a str> {
    let mut seen = BTreeSet::new();
    let all = old.members().iter().chain(new.members()).map(|(key, _)| key.as_str());
    all.filter(|key| seen.insert(*key)).collect()
}

struct Walk<'a> {
    part: Part,
    at: Vec<String>,
    found: &'a mut Vec<Moved>,
}

impl Walk<'_> {
    /// A parameter that is there on both sides is compared by itself, whether it is required included.
    fn arguments(&mut self, old: &Node, new: &Node) {
        let nothing = Node::Null;
        let (was, is) = (old.get("properties").unwrap_or(&nothing), new.get("properties").unwrap_or(&nothing));
        let (needed, needs) = (required(old), required(new));
        let mut names = keys(was, is);
        names.extend(needed.union(&needs).filter(|name| was.get(name).or(is.get(name)).is_none()));
        for name in names {
            self.below(name, |walk| {
                let (before, after) = (was.get(name), is.get(name));
                walk.value(before, after);
                if needed.contains(name) != needs.contains(name) {
                    let word = |needed| if needed { "required" } else { "optional" }.to_owned();
                    // A parameter that is only on one side is neither on the other.
                    let was = (before.is_some() || after.is_none()).then(|| word(needed.contains(name)));
                    let is = (after.is_some() || before.is_none()).then(|| word(needs.contains(name)));
                    walk.push(was, is);
                }
            });
        }
        let properties = match (old.get("properties"), new.get("properties")) {
            (Some(Node::Object(_)), Some(Node::Object(_))) => true,
            (Some(Node::Object(some)), None) | (None, Some(Node::Object(some))) => !some.is_empty(),
            _ => false,
        };
        let told = |key: &str| (key == "properties" && properties) || (key == "required" && needed != needs && names_only(old, new));
        let rest = |schema: &Node| match schema {
            Node::Object(members) => Node::Object(members.iter().filter(|(key, _)| !told(key)).cloned().collect()),
            other => other.clone(),
        };
        self.value(Some(&rest(old)), Some(&rest(new)));
    }

    fn value(&mut self, old: Option<&Node>, new: Option<&Node>) {
        match (old, new) {
            (Some(old), Some(new)) if old.canonical() == new.canonical() => {}
            (Some(old @ Node::Object(_)), Some(new @ Node::Object(_))) => {
                for key in keys(old, new) {
                    self.below(key, |walk| walk.value(old.get(key), new.get(key)));
                }
            }
            (Some(Node::String(old)), Some(Node::String(new))) => self.push(Some(old.clone()), Some(new.clone())),
            (None, None) => {}
            (old, new) => self.push(old.map(Node::text), new.map(Node::text)),
        }
    }

    fn below(&mut self, key: &str, look: impl FnOnce(&mut Self)) {
        self.at.push(key.to_owned());
        look(self);
        self.at.pop();
    }

    fn push(&mut self, old: Option<String>, new: Option<String>) {
        self.found.push(Moved { part: self.part, at: self.at.clone(), old, new });
    }
}

/// The parameters that a call must have.
fn required(schema: &Node) -> BTreeSet<&str> {
    schema.get("required").map(Node::items).unwrap_or_default().iter().filter_map(Node::as_str).collect()
}

/// Whether what must be there is said by names alone, on both sides.
fn names_only(old: &Node, new: &Node) -> bool {
    let mut said = [old, new].into_iter().filter_map(|schema| schema.get("required"));
    said.all(|names| matches!(names, Node::Array(names) if names.iter().all(|name| name.as_str().is_some())))
}
