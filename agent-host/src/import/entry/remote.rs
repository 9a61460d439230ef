//! A server over HTTP: its URL, which must hold nothing to expand, and its headers, each a value or one variable.

use super::run::variable;
use super::{Kind, Node, Note};
use crate::config::{Variable, url_fits};
use crate::import::reference::{From, Part, parts};
use crate::import::words::{host, is_secret};
use agent_core::safety::has_hidden;
use std::collections::BTreeMap;

/// How a server is reached. References in it stay as written.
pub struct Remote {
    /// Its URL.
    pub url: String,
    /// What is sent with each request, as written; a value may be a secret.
    pub headers: BTreeMap<String, String>,
    /// The same, as ours has it.
    pub given: BTreeMap<String, Variable>,
    /// Why it can't be ours.
    pub why: Option<String>,
}

pub(super) const KEYS: [&str; 8] =
    ["serverUrl", "httpUrl", "bearer_token", "bearer_token_env_var", "http_headers", "env_http_headers", "scopes", "oauth_resource"];

pub(super) fn read(node: &Node, kind: Option<&str>, url: &str, from: From<'_>, notes: &mut Vec<Note>) -> Remote {
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
    if parts(url, from).iter().all(|piece| matches!(piece, Part::Text(_))) && is_secret(None, url) {
        notes.push(Note::new(Kind::SecretLiteral, "url"));
    }
    let given = headers.iter().map(|(name, value)| (name.clone(), variable("headers", name, value, from, notes))).collect();
    let why = unusable(kind, url, &headers, from);
    let mut remote = Remote { url: url.to_owned(), headers, given, why };
    if let (None, Err((what, _))) = (&remote.why, url_fits(url, remote.is_private(), &remote.given)) {
        remote.why = Some(what);
    }
    remote
}

/// Why it can't be ours.
fn unusable(kind: Option<&str>, url: &str, headers: &BTreeMap<String, String>, from: From<'_>) -> Option<String> {
    if let Some(kind @ ("sse" | "ws")) = kind {
        return Some(format!("its type is `{kind}`, a transport that agent-host does not speak: see whether it has one of type `http`"));
    }
    if let Some(piece) = parts(url, from).iter().find(|piece| !matches!(piece, Part::Text(_))) {
        let written = piece.written();
        return Some(format!("`url` refers to `{written}`, and nothing is expanded here: `agent-host add --url` takes it with the value"));
    }
    let mut texts = std::iter::once(url).chain(headers.iter().flat_map(|(name, value)| [name.as_str(), value.as_str()]));
    texts.any(has_hidden).then(|| "its URL or headers hold characters that can't be seen".to_owned())
}

impl Remote {
    /// Whether it is asked for where only a server that is `private` may be: without encryption, or on this machine.
    #[must_use]
    pub fn is_private(&self) -> bool {
        let host = host(&self.url).unwrap_or_default();
        let name = host.rsplit_once(':').map_or(host.as_str(), |(name, port)| if port.ends_with(']') { host.as_str() } else { name });
        self.url.starts_with("http://") || name == "localhost" || name.starts_with("127.") || name == "[::1]"
    }
}
