//! From what servers said to the text of the file.
//!
//! Is: two spaces a level, servers by alias, tools by name and then by digest, members as the server had them, numbers as
//! it wrote them. A character that can't be seen is written as `\uXXXX`, so that a reviewer sees it, and so is white space
//! that would push the rest out of view.

use super::{Lock, digest, form};
use crate::upstream::Listed;
use agent_core::canon::Node;
use agent_core::digest::Digest;
use agent_core::limits::{DEFINITION_DEPTH, DEFINITION_NODES};
use agent_core::safety::is_hidden;

/// Levels that are told by their indent; what is nested deeper stands as far in as the last of them, so that a file is not
/// made of white space.
const LEVELS: usize = 16;
/// What a definition is called that names nothing.
const NAMELESS: &str = "(no name)";

/// The whole file.
pub(super) fn lock(lock: &Lock) -> String {
    let servers = lock.servers.iter().map(|(alias, listed)| (alias.as_str().to_owned(), server(listed)));
    let file = Node::Object(vec![member("version", Node::Number("1".to_owned())), member("servers", Node::Object(servers.collect()))]);
    let mut out = String::new();
    print(&file, 0, &mut out);
    out.push('\n');
    out
}

fn member(key: &str, value: Node) -> (String, Node) {
    (key.to_owned(), value)
}

fn text(text: &str) -> Node {
    Node::String(text.to_owned())
}

fn server(listed: &Listed) -> Node {
    let mut refused = listed.refused.clone();
    let mut tools: Vec<(String, Digest, Node)> = Vec::new();
    for raw in &listed.definitions {
        match Node::parse(raw, DEFINITION_DEPTH, DEFINITION_NODES) {
            Ok(node) => tools.push((name(&node).to_owned(), digest(&node), node)),
            Err(error) => refused.push((NAMELESS.to_owned(), error.to_string())),
        }
    }
    tools.sort_by(|a, b| (&a.0, a.1).cmp(&(&b.0, b.1)));
    refused.sort();
    let mut members = Vec::new();
    if let Some(protocol) = &listed.protocol {
        members.push(member("protocol", text(protocol)));
    }
    if let Some((name, version)) = &listed.claims {
        members.push(member("claims", Node::Object(vec![member("name", text(name)), member("version", text(version))])));
    }
    if let Some(why) = &listed.cut {
        members.push(member("cut", text(why)));
    }
    members.push(member("tools", Node::Array(tools.into_iter().map(tool).collect())));
    if !refused.is_empty() {
        let refused = refused.iter().map(|(name, why)| Node::Object(vec![member("name", text(name)), member("why", text(why))]));
        members.push(member("refused", Node::Array(refused.collect())));
    }
    Node::Object(members)
}

/// Bytes that a server's tools take in the file, at the most: told without writing them.
pub(super) fn at_most(listed: &Listed) -> usize {
    let breaks = |text: &str| text.bytes().filter(|byte| b",[]{}".contains(byte)).count();
    listed.definitions.iter().map(|text| text.len() + breaks(text) * (2 * LEVELS + 2)).sum()
}

fn tool((name, digest, definition): (String, Digest, Node)) -> Node {
    Node::Object(vec![member("name", Node::String(name)), member("digest", text(&digest.to_string())), member("definition", definition)])
}

/// The name of a definition, as the file has it above the definition.
pub(super) fn name(definition: &Node) -> &str {
    definition.get("name").and_then(Node::as_str).unwrap_or_default()
}

fn print(node: &Node, level: usize, out: &mut String) {
    match node {
        Node::String(text) => string(text, out),
        Node::Array(items) if !items.is_empty() => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                line(at, level + 1, out);
                print(item, level + 1, out);
            }
            end(level, ']', out);
        }
        Node::Object(members) if !members.is_empty() => {
            out.push('{');
            for (at, (key, value)) in members.iter().enumerate() {
                line(at, level + 1, out);
                string(key, out);
                out.push_str(": ");
                print(value, level + 1, out);
            }
            end(level, '}', out);
        }
        plain => out.push_str(&plain.text()),
    }
}

fn line(at: usize, level: usize, out: &mut String) {
    out.push_str(if at == 0 { "\n" } else { ",\n" });
    out.extend(std::iter::repeat_n("  ", level.min(LEVELS)));
}

fn end(level: usize, bracket: char, out: &mut String) {
    line(0, level, out);
    out.push(bracket);
}

/// As `serde_json` writes it, and every hidden character beyond ASCII's controls by its UTF-16 units.
fn string(text: &str, out: &mut String) {
    form::counted(&seen(serde_json::Value::from(text).to_string()), out);
}

/// JSON in which no character is hidden. It is the same value; the line feeds between its parts stay.
pub(crate) fn seen(json: String) -> String {
    let hides = |character| is_hidden(character) && character != '\n';
    if !json.chars().any(hides) {
        return json;
    }
    let mut out = String::with_capacity(json.len());
    for character in json.chars() {
        if hides(character) {
            form::units(character, &mut out);
        } else {
            out.push(character);
        }
    }
    out
}
