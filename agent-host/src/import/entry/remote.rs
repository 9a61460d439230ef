//! A server over HTTP, as far as it can be shown: none is served yet.

use super::{Kind, Node, Note};
use crate::config::looks_secret;
use crate::import::reference::{From, Part, parts};
use crate::import::words::is_secret;
use std::collections::BTreeMap;

/// How a server is reached. References in it stay as written.
pub struct Remote {
    /// Its URL.
    pub url: String,
    /// What is sent with each request; a value may be a secret.
    pub headers: BTreeMap<String, String>,
}

pub(super) const KEYS: [&str; 8] =
    ["serverUrl", "httpUrl", "bearer_token", "bearer_token_env_var", "http_headers", "env_http_headers", "scopes", "oauth_resource"];

pub(super) fn read(node: &Node, url: &str, from: From<'_>, notes: &mut Vec<Note>) -> Remote {
    let from = From { names: true, ..from };
    let mut headers = BTreeMap::new();
    for table in ["headers", "http_headers"].into_iter().filter_map(|key| node.get(key)) {
        headers.extend(table.members().iter().filter_map(|member| Some((member.name.clone(), member.node.word()?))));
    }
    for member in node.get("env_http_headers").map(Node::members).unwrap_or_default() {
        headers.extend(member.node.text().map(|name| (member.name.clone(), format!("${{{name}}}"))));
    }
    if let Some(name) = node.get("bearer_token_env_var").and_then(Node::text) {
        headers.insert("Authorization".to_owned(), format!("Bearer ${{{name}}}"));
    }
    if let Some(token) = node.get("bearer_token").and_then(Node::text) {
        headers.insert("Authorization".to_owned(), format!("Bearer {token}"));
    }
    for (name, value) in [("url", url)].into_iter().chain(headers.iter().map(|(name, value)| (name.as_str(), value.as_str()))) {
        let pieces = parts(value, from);
        for piece in &pieces {
            match piece {
                Part::Variable { name, default: None } => notes.push(Note::new(Kind::UnresolvedRef, name.as_str())),
                Part::Input(_) => notes.push(Note::new(Kind::PromptRef, piece.written())),
                Part::Variable { .. } | Part::Text(_) | Part::Folder(_) => {}
            }
        }
        let plain = pieces.iter().all(|piece| matches!(piece, Part::Text(_)));
        if plain && name == "url" && is_secret(None, value) {
            notes.push(Note::new(Kind::SecretLiteral, "url"));
        }
        if plain && name != "url" && looks_secret(None, &format!("{name}:{value}")) {
            notes.push(Note::new(Kind::SecretLiteral, format!("headers.{name}")));
        }
    }
    Remote { url: url.to_owned(), headers }
}
