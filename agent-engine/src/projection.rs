//! Every text and neutral shape that a model sees.
//!
//! Is: pure rendering of values. Is not: a wire format (`shape`), nor a decision: what is listed is what the gate admits.
//! Clauses: BLT-1, BLT-3, BLT-4, SRCH-2, ACT-3, ACT-6, CAT-5, GATE-2.

mod answer;
pub mod text;

pub use answer::{Detail, Found, activated, details, found};

use crate::catalog::Tool;
use crate::gate::usable;
use crate::view::Frame;
use agent_core::canon::Node;
use agent_core::effect::{Capability, Effect};
use agent_core::request::Covers;
use agent_core::safety::visible_lines;
use agent_core::session::Listing;
use agent_core::subschema::each_mut;
use serde_json::Value;

/// One tool as a model is shown it, whatever the wire.
#[derive(Debug, Clone, PartialEq)]
pub struct Face {
    /// The name it is called by.
    pub name: String,
    /// A title for people.
    pub title: Option<String>,
    /// What it does.
    pub description: String,
    /// JSON Schema of its arguments.
    pub input: Value,
    /// JSON Schema of its structured result, where there is one. MCP's list leaves it out (CAT-4).
    pub output: Option<Value>,
    /// What a call can change.
    pub effect: Effect,
    /// Whether it reaches beyond this host.
    pub open_world: bool,
}

/// What one client is served under.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Terms {
    /// What it is listed, and so what it may call by name.
    pub listing: Listing,
    /// For whom the yes holds that it asks for.
    pub covers: Covers,
    /// Whether each call names its session by a handle, for want of anything else that tells conversations apart (SES-2).
    pub handles: bool,
}

/// What one session is listed: builtins, then its tools in activation order. A removal reorders nothing.
#[derive(Debug, Clone, PartialEq)]
pub struct Surface {
    /// The builtins.
    pub builtins: Vec<Face>,
    /// The tools, presets first as they were activated.
    pub tools: Vec<Face>,
}

/// Lists a session: exactly what its gate would admit by name (ACT-6).
pub(crate) fn surface(frame: &Frame, builtins: Vec<Face>, listing: Listing) -> Surface {
    let mut tools = if listing.names() { usable(frame) } else { Vec::new() };
    tools.sort_by_key(|(_, held)| !held.grant.preset);
    Surface { builtins, tools: tools.into_iter().map(|(tool, _)| face(&tool)).collect() }
}

/// An active tool in full: its source's own text, with everything hidden made visible.
#[must_use]
pub fn face(tool: &Tool) -> Face {
    let definition = &tool.definition;
    Face {
        name: tool.descriptor.wire.to_string(),
        title: tool.descriptor.title.clone(),
        description: visible_lines(&definition.description),
        input: input(tool),
        output: definition.output().map(schema),
        effect: tool.descriptor.safety.effect,
        open_world: tool.descriptor.safety.capabilities.iter().any(|leg| *leg != Capability::PrivateData),
    }
}

/// An active tool's input schema, as its face has it.
fn input(tool: &Tool) -> Value {
    schema(tool.definition.input())
}

// INVARIANT: I-3 the hashed tree, not its text read again
fn schema(schema: &Node) -> Value {
    let mut schema = schema.clone();
    each_mut(&mut schema, &show);
    schema.value().unwrap_or_default()
}

/// Makes a schema's prose visible; names, enum and const values stay as they are (CAT-5).
fn show(members: &mut Vec<(String, Node)>) {
    for (keyword, value) in members {
        if let ("description" | "title" | "$comment", Node::String(text)) = (keyword.as_str(), value) {
            *text = visible_lines(text);
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn cat_5_hidden_text_is_shown_under_every_name() {
        for named in ["properties", "$defs", "definitions", "patternProperties", "dependentSchemas"] {
            for name in ["default", "enum", "const", "examples", "title", "a"] {
                let text =
                    format!(r#"{{"{named}":{{"{name}":{{"title":"a\u200bb","enum":["c\u200bd"],"default":{{"title":"e\u200bf"}}}}}}}}"#);
                let seen = schema(&Node::parse(&text, 8, 64).unwrap()).to_string();
                assert!(seen.contains(r"a\\u{200b}b") && seen.contains("c\u{200b}d") && seen.contains("e\u{200b}f"), "{seen}");
            }
        }
    }
}
