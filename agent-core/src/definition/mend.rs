//! Schemas as servers in the field write them, read so that every client can.
//!
//! Is: a few repairs of what strict clients refuse, and with it the whole list; each leaves a note for the operator. Is not: a
//! change of the definition: its text and its digest are what was sent. Whatever needs no repair stays byte for byte.
//! Clause: CAT-4 (field). Sources: the tool schema of MCP's TypeScript SDK; PHP's JSON encoder, to which an empty object
//! is an empty list.

use super::DefinitionError;
use crate::canon::Node;

const EMPTY_LIST: &str = "an empty list stands where an object belongs, as some encoders write it; read as an empty object";
const NO_TYPE: &str = "`inputSchema` says no `type`; read as an object's";
const TYPES: &str = "`inputSchema` names several types; read as an object's";
const NO_PROPERTIES: &str = "`properties` is null; read as none";
const NO_SCHEMA: &str = "a parameter's schema is no object; read as one that allows anything, or nothing where it is `false`";
const REQUIRED: &str = "`required` is not a list of names, each once; what else it holds is left out";

/// Keywords whose members are schemas by name, and never lists.
const NAMED: [&str; 5] = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];
/// Keywords whose value is a schema, and never a list.
const ONE: [&str; 10] = [
    "additionalProperties",
    "additionalItems",
    "contains",
    "propertyNames",
    "not",
    "if",
    "then",
    "else",
    "unevaluatedItems",
    "unevaluatedProperties",
];
/// Keywords whose value is a list of schemas, or for `items` may be one.
const LISTS: [&str; 5] = ["items", "prefixItems", "allOf", "anyOf", "oneOf"];

/// The notes of one definition, each once.
#[derive(Default)]
pub(super) struct Notes(pub(super) Vec<String>);

impl Notes {
    pub(super) fn add(&mut self, note: &str) {
        if !self.0.iter().any(|known| known == note) {
            self.0.push(note.to_owned());
        }
    }
}

/// An object, or the empty list that stands for one.
pub(super) fn object(node: &Node, key: &'static str, notes: &mut Notes) -> Result<Option<Node>, DefinitionError> {
    let mut found = match node.get(key) {
        None | Some(Node::Null) => return Ok(None),
        Some(found) => found.clone(),
    };
    empty(&mut found, notes);
    if matches!(found, Node::Object(_)) { Ok(Some(found)) } else { Err(DefinitionError::Field(key)) }
}

/// A schema with every empty list that stands for an object replaced.
pub(super) fn schema(node: &mut Node, notes: &mut Notes) {
    let Node::Object(members) = node else { return };
    for (key, value) in members {
        match key.as_str() {
            key if NAMED.contains(&key) => {
                empty(value, notes);
                let Node::Object(named) = value else { continue };
                for (_, one) in named {
                    empty(one, notes);
                    schema(one, notes);
                }
            }
            key if ONE.contains(&key) => {
                empty(value, notes);
                schema(value, notes);
            }
            key if LISTS.contains(&key) => match value {
                Node::Array(items) => items.iter_mut().for_each(|item| schema(item, notes)),
                one => schema(one, notes),
            },
            _ => {}
        }
    }
}

/// The outermost members of an input schema as strict clients read them.
pub(super) fn outermost(schema: &mut Node, notes: &mut Notes) -> Result<(), DefinitionError> {
    let Node::Object(members) = schema else { return Ok(()) };
    let named = |members: &[(String, Node)], key: &str| members.iter().position(|(name, _)| name == key);
    let object = || Node::String("object".to_owned());
    match named(members, "type").and_then(|at| members.get_mut(at)) {
        Some((_, Node::String(kind))) if kind == "object" => {}
        Some((_, kind @ Node::Array(_))) if kind.items().contains(&object()) => {
            notes.add(TYPES);
            *kind = object();
        }
        Some((_, kind @ Node::Null)) => {
            notes.add(NO_TYPE);
            *kind = object();
        }
        Some(_) => return Err(DefinitionError::Field("inputSchema.type")),
        None => {
            notes.add(NO_TYPE);
            members.insert(0, ("type".to_owned(), object()));
        }
    }
    if let Some(at) = named(members, "properties") {
        match members.get_mut(at) {
            Some((_, Node::Object(properties))) => properties.iter_mut().for_each(|(_, one)| property(one, notes)),
            Some((_, Node::Null)) => {
                notes.add(NO_PROPERTIES);
                members.remove(at);
            }
            _ => return Err(DefinitionError::Field("properties")),
        }
    }
    if let Some(at) = named(members, "required") {
        let said = members.get(at).map(|(_, required)| required.clone()).unwrap_or(Node::Null);
        let mut names: Vec<Node> = Vec::new();
        for name in said.items().iter().filter(|name| name.as_str().is_some()) {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        let names = Node::Array(names);
        if names != said {
            notes.add(REQUIRED);
            members.splice(at..=at, [("required".to_owned(), names)]);
        }
    }
    Ok(())
}

fn property(schema: &mut Node, notes: &mut Notes) {
    if matches!(schema, Node::Object(_)) {
        return;
    }
    notes.add(NO_SCHEMA);
    let nothing = ("not".to_owned(), Node::Object(Vec::new()));
    *schema = Node::Object(if *schema == Node::Bool(false) { vec![nothing] } else { Vec::new() });
}

fn empty(node: &mut Node, notes: &mut Notes) {
    if matches!(node, Node::Array(items) if items.is_empty()) {
        notes.add(EMPTY_LIST);
        *node = Node::Object(Vec::new());
    }
}
