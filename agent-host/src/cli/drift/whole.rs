//! The whole definition of a tool, as its source wrote it: what a yes to the tool pins.
//!
//! Is: every member, whether we know it or not, in the source's order. Is not: a summary; `lines` has one.
//! Clauses: CAT-5, CAT-8 (accept). Invariant: I-3 (what was shown is what is pinned).

use super::QUOTE;
use super::foreign::exact;
use agent_core::canon::Node;
use agent_core::limits::{DEFINITION_DEPTH, DEFINITION_NODES};
use agent_engine::catalog::Tool;

/// The definition, a member a line, each line quoted.
// INVARIANT: I-3 whatever the digest is of can be read here.
pub(in crate::cli) fn whole(tool: &Tool) -> Vec<String> {
    let mut lines = vec![format!("  what the server sent, {} bytes:", tool.descriptor.size)];
    if let Ok(node) = Node::parse(&tool.definition.raw, DEFINITION_DEPTH, DEFINITION_NODES) {
        let mut text = String::new();
        pretty(&node, 2, &mut text);
        lines.extend(text.lines().map(|line| format!("{QUOTE}{line}")));
    }
    lines
}

/// JSON with every member on a line of its own, in the source's order, numbers as they were written, hidden characters as
/// `\u{…}`.
fn pretty(node: &Node, depth: usize, out: &mut String) {
    let (open, close, members): (char, char, Vec<(Option<&str>, &Node)>) = match node {
        Node::Array(items) => ('[', ']', items.iter().map(|item| (None, item)).collect()),
        Node::Object(members) => ('{', '}', members.iter().map(|(key, value)| (Some(key.as_str()), value)).collect()),
        scalar => return out.push_str(&exact(&scalar.text())),
    };
    out.push(open);
    for (at, (key, value)) in members.iter().enumerate() {
        out.push_str(if at == 0 { "\n" } else { ",\n" });
        out.push_str(&" ".repeat(depth));
        if let Some(key) = key {
            out.push_str(&exact(&serde_json::Value::from(*key).to_string()));
            out.push_str(": ");
        }
        pretty(value, depth + 2, out);
    }
    if !members.is_empty() {
        out.push('\n');
        out.push_str(&" ".repeat(depth.saturating_sub(2)));
    }
    out.push(close);
}
