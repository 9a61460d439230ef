//! One tool's definition exactly as its source sent it, and the digest over it.
//!
//! Is: the raw text, checked by itself and read once into what a descriptor needs. Is not: the compact form that is
//! searched and listed (`descriptor`). Clauses: CAT-2, CAT-3, CAT-4, CAT-5, ID-2. Invariants: I-3 rests on the digest.

mod inside;
mod mend;

use crate::canon::{CanonError, Node};
use crate::digest::{Digest, Domain};
use crate::effect::Annotations;
use crate::limits::{DEFINITION_BYTES, DEFINITION_DEPTH, DEFINITION_NODES, DESCRIPTION_BYTES};
use crate::mirrored::{Mirrored, mirrored};
use crate::name::{NameError, NameKind, judge};
use crate::safety::has_hidden;
use crate::subschema::{all, reference};
use inside::{Inside, scalar};
use mend::{Notes, object};
use std::sync::Arc;

/// Why a definition is not served. Its siblings are.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DefinitionError {
    /// Larger than 128 KiB.
    #[error("the definition is larger than {DEFINITION_BYTES} bytes")]
    Size,
    /// Not JSON, a key twice, too deep or too many values.
    #[error(transparent)]
    Json(#[from] CanonError),
    /// A field is missing or of the wrong kind.
    #[error("`{0}` is missing or of the wrong kind")]
    Field(&'static str),
    /// The name breaks ID-2.
    #[error(transparent)]
    Name(#[from] NameError),
    /// The description is longer than 16 KiB.
    #[error("the description is longer than {DESCRIPTION_BYTES} bytes")]
    Description,
    /// A schema refers out of the document.
    #[error("a schema refers to `{0}`, outside of the definition")]
    Reference(String),
    /// Arguments are to stand in headers, and can't.
    #[error("`x-mcp-header`: {0}")]
    Mirrored(&'static str),
    /// The tool can only be run as a task, which is not relayed yet.
    #[error("the tool runs only as a task")]
    TaskOnly,
}

/// One parameter as a signature shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// Its name as the schema has it.
    pub name: String,
    /// Its JSON type where the schema names one.
    pub kind: Option<String>,
    /// Whether a call must have it.
    pub required: bool,
    /// Its description as the source wrote it; empty where there is none.
    pub description: String,
    /// Its enum values that are strings, numbers or booleans.
    pub values: Vec<String>,
    /// What else it says: its title where it has no description, and the names and words of what is inside of it. A title that
    /// is the name again says nothing. A reference within the definition is followed once in all of its parameters.
    pub inner: Vec<String>,
    /// The values that what is inside of it takes, and its own where one alone is allowed.
    pub inner_values: Vec<String>,
}

/// A definition that passed every check of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    /// The text as sent.
    pub raw: Arc<str>,
    /// The digest over its canonical form, every field included.
    pub digest: Digest,
    /// The upstream's name of the tool.
    pub name: String,
    /// The title, of the tool or of its annotations.
    pub title: Option<String>,
    /// The description as sent; empty where there is none.
    pub description: String,
    /// The parameters: the required ones as the schema orders them, then the others.
    pub parameters: Vec<Parameter>,
    /// The arguments that stand in headers, too.
    pub mirrored: Vec<Mirrored>,
    /// What the annotations claim.
    pub annotations: Annotations,
    /// Whether a person should look twice: hidden characters anywhere, or letters of another script in the name.
    pub flagged: bool,
    /// What was read otherwise than it was written, for the operator.
    pub notes: Vec<String>,
    schema: Node,
    output: Option<Node>,
}

impl Definition {
    /// Checks one raw definition.
    ///
    /// # Errors
    /// [`DefinitionError`] says why this tool is quarantined.
    pub fn parse(raw: &str) -> Result<Self, DefinitionError> {
        use DefinitionError::{Description, Field, Size, TaskOnly};
        if raw.len() > DEFINITION_BYTES {
            return Err(Size);
        }
        let node = Node::parse(raw, DEFINITION_DEPTH, DEFINITION_NODES)?;
        let name = node.get("name").and_then(Node::as_str).ok_or(Field("name"))?.to_owned();
        let kind = judge(&name)?;
        let description = optional_text(&node, "description")?.unwrap_or_default();
        if description.len() > DESCRIPTION_BYTES {
            return Err(Description);
        }
        let mut notes = Notes::default();
        let mut schema = object(&node, "inputSchema", &mut notes)?.ok_or(Field("inputSchema"))?;
        let mut output = object(&node, "outputSchema", &mut notes)?;
        for part in std::iter::once(&mut schema).chain(&mut output) {
            check_references(part)?;
            mend::schema(part, &mut notes);
        }
        mend::outermost(&mut schema, &mut notes)?;
        if output.as_ref().is_some_and(|output| output.get("type").and_then(Node::as_str) != Some("object")) {
            notes.add("`outputSchema` is not of an object, which strict clients refuse; no client is listed it");
        }
        let hints = object(&node, "annotations", &mut notes)?.unwrap_or(Node::Null);
        let title = optional_text(&node, "title")?;
        let title = title.or(optional_text(&hints, "title")?);
        if node.get("execution").and_then(|execution| execution.get("taskSupport")).and_then(Node::as_str) == Some("required") {
            return Err(TaskOnly);
        }
        Ok(Self {
            digest: Digest::of(Domain::Definition, &node.canonical()),
            parameters: parameters(&schema),
            mirrored: mirrored(&schema).map_err(DefinitionError::Mirrored)?,
            annotations: Annotations {
                read_only: hint(&hints, "readOnlyHint")?,
                destructive: hint(&hints, "destructiveHint")?,
                open_world: hint(&hints, "openWorldHint")?,
            },
            flagged: kind == NameKind::OtherScript || holds_hidden(&node),
            raw: raw.into(),
            name,
            title,
            description,
            notes: notes.0,
            schema,
            output,
        })
    }

    /// The input schema, its members in the source's order.
    #[must_use]
    pub const fn input(&self) -> &Node {
        &self.schema
    }

    /// The output schema.
    #[must_use]
    pub const fn output(&self) -> Option<&Node> {
        self.output.as_ref()
    }
}

fn optional_text(node: &Node, key: &'static str) -> Result<Option<String>, DefinitionError> {
    match node.get(key) {
        None | Some(Node::Null) => Ok(None),
        Some(Node::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(DefinitionError::Field(key)),
    }
}

fn hint(hints: &Node, key: &'static str) -> Result<Option<bool>, DefinitionError> {
    match hints.get(key) {
        None | Some(Node::Null) => Ok(None),
        Some(Node::Bool(value)) => Ok(Some(*value)),
        Some(_) => Err(DefinitionError::Field(key)),
    }
}

fn check_references(schema: &Node) -> Result<(), DefinitionError> {
    for (keyword, value) in all(schema).into_iter().flat_map(Node::members) {
        if let Some(target) = reference(keyword, value).filter(|target| !target.starts_with('#')) {
            return Err(DefinitionError::Reference(crate::safety::echo(target)));
        }
    }
    Ok(())
}

fn parameters(schema: &Node) -> Vec<Parameter> {
    let required: Vec<&str> = schema.get("required").map(Node::items).unwrap_or_default().iter().filter_map(Node::as_str).collect();
    let mut inside = Inside::of(schema);
    let properties = schema.get("properties").map(Node::members).unwrap_or_default();
    let parameters = properties.iter().map(|(name, schema)| {
        let (inner, inner_values) = inside.read(name, schema);
        Parameter {
            required: required.contains(&name.as_str()),
            kind: kind(schema),
            description: schema.get("description").and_then(Node::as_str).unwrap_or_default().to_owned(),
            values: schema.get("enum").map(Node::items).unwrap_or_default().iter().filter_map(scalar).collect(),
            inner,
            inner_values,
            name: name.clone(),
        }
    });
    let mut found: Vec<_> = parameters.collect();
    found.sort_by_key(|parameter| !parameter.required);
    found
}

fn kind(schema: &Node) -> Option<String> {
    match schema.get("type") {
        Some(Node::String(kind)) => Some(kind.clone()),
        Some(Node::Array(kinds)) => kinds.iter().filter_map(Node::as_str).find(|kind| *kind != "null").map(str::to_owned),
        _ => None,
    }
}

fn holds_hidden(node: &Node) -> bool {
    match node {
        Node::String(text) => has_hidden(text),
        Node::Array(items) => items.iter().any(holds_hidden),
        Node::Object(members) => members.iter().any(|(key, value)| has_hidden(key) || holds_hidden(value)),
        _ => false,
    }
}

#[cfg(test)]
mod tests;
