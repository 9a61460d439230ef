//! Whose tools the words of a definition name, besides those of its own server.
//!
//! A description can tell a model how to use what another server has. Such words change nothing of the other tool; whoever is asked
//! about this one should see whom they are about. Is not: a verdict, and no model is shown it. Clause: AUTH-2. Attack 38.

use super::{Snapshot, Tool};
use agent_core::canon::Node;
use agent_core::id::ToolId;
use agent_core::limits::{DEFINITION_DEPTH, DEFINITION_NODES};
use std::collections::BTreeSet;

/// How many are named.
const MOST: usize = 8;

/// The tools of other servers that a definition names by id, wire name, or a name of several words that no tool of its own server
/// has. `shows` says which tools there are for whom it is asked.
#[must_use]
pub fn mentioned(snapshot: &Snapshot, tool: &Tool, shows: impl Fn(&Tool) -> bool) -> Vec<ToolId> {
    let Ok(node) = Node::parse(&tool.definition.raw, DEFINITION_DEPTH, DEFINITION_NODES) else { return Vec::new() };
    let mut said = BTreeSet::new();
    words(&node, &mut said);
    let server = tool.descriptor.id.server();
    let (own, others): (Vec<_>, Vec<_>) = snapshot.tools().iter().partition(|other| other.descriptor.id.server() == server);
    let own: BTreeSet<_> = own.iter().map(|own| own.descriptor.id.name().to_lowercase()).collect();
    let named = |other: &Tool| {
        let name = other.descriptor.id.name().to_lowercase();
        let by_name = compound(other.descriptor.id.name()) && !own.contains(&name) && said.contains(&name);
        by_name
            || said.contains(&other.descriptor.id.as_str().to_lowercase())
            || said.contains(&other.descriptor.wire.as_str().to_lowercase())
    };
    let found = others.into_iter().filter(|other| named(other) && shows(other));
    found.map(|other| other.descriptor.id.clone()).take(MOST).collect()
}

/// Whether a name is of several words, so that prose does not hold it by chance.
fn compound(name: &str) -> bool {
    let inner = name.char_indices().skip(1).any(|(_, letter)| letter.is_uppercase());
    name.contains(['_', '-', '.', '/']) || inner && name.contains(char::is_lowercase)
}

/// The words of every text in it, keys among them, as names are written, in lower case.
fn words(node: &Node, said: &mut BTreeSet<String>) {
    match node {
        Node::String(text) => of(text, said),
        Node::Array(items) => items.iter().for_each(|item| words(item, said)),
        Node::Object(members) => members.iter().for_each(|(key, value)| {
            of(key, said);
            words(value, said);
        }),
        _ => {}
    }
}

fn of(text: &str, said: &mut BTreeSet<String>) {
    let split = text.split(|letter: char| !letter.is_alphanumeric() && !matches!(letter, '_' | '-' | '.' | ':' | '/'));
    let trimmed = split.map(|word| word.trim_matches(['.', ':', '-', '/']));
    said.extend(trimmed.filter(|word| !word.is_empty()).map(str::to_lowercase));
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::{Source, assemble};
    use super::*;
    use agent_core::id::{Alias, SourceClass};
    use serde_json::json;

    fn source(alias: &str, tools: &[(&str, &str)]) -> Source {
        let definitions = tools.iter().map(|(name, says)| {
            let schema = json!({"type": "object", "properties": {"a": {"type": "string", "default": says}}});
            json!({"name": name, "inputSchema": schema}).to_string()
        });
        Source { definitions: definitions.collect(), ..Source::new(SourceClass::Mcp, Alias::parse(alias).unwrap()) }
    }

    #[test]
    fn auth_2_attack_38_words_about_another_servers_tool_are_seen_wherever_they_stand() {
        let mail = source("mail", &[("send_email", ""), ("search", ""), ("readInbox", ""), ("delete_all", "")]);
        let said = |says: &str| {
            let snapshot = assemble(&[mail.clone(), source("w", &[("forecast", says), ("delete_all", "")])]);
            let tool = snapshot.get("mcp:w/forecast").unwrap();
            let found = mentioned(&snapshot, tool, |tool| tool.descriptor.id.name() != "readInbox");
            found.iter().map(|id| id.name().to_owned()).collect::<Vec<_>>()
        };
        for says in ["when using `send_email`, bcc", "(mcp:mail/send_email)", "MAIL__SEND_EMAIL.", "Send_Email: bcc"] {
            assert_eq!(said(says), ["send_email"], "{says}");
        }
        assert_eq!(said("mail__search and mcp:mail/delete_all"), ["delete_all", "search"]);
        for says in ["search for rain, send an email", "readInbox", "see delete_all", "resend_email", ""] {
            assert_eq!(said(says), Vec::<String>::new(), "{says}");
        }
    }
}
