//! A short name for a server that was found under another, by the rules of ours.
//!
//! Is: a proposal, unlike any that is taken, also to the eye. Clause: ID-2.

use super::Scope;
use agent_core::id::Alias;
use agent_core::name::skeleton;
use std::collections::BTreeSet;

/// Bytes of a proposal before a number is added.
const BYTES: usize = 24;

/// Names that are taken, as they look.
pub(super) struct Taken(BTreeSet<String>);

impl Taken {
    pub(super) fn new<'a>(aliases: impl Iterator<Item = &'a Alias>) -> Self {
        Self(aliases.map(|alias| skeleton(alias.as_str())).collect())
    }

    /// Takes a name that somebody chose, where it is free.
    pub(super) fn take(&mut self, alias: &Alias) -> bool {
        self.0.insert(skeleton(alias.as_str()))
    }

    /// Proposes a name and takes it. None where even numbers have run out.
    pub(super) fn propose(&mut self, name: &str, scope: &Scope) -> Option<Alias> {
        let short = short(name);
        let project = scope.folder().and_then(|folder| folder.file_name()).map(|name| plain(&name.to_string_lossy()));
        let beside = project.filter(|project| !project.is_empty()).map(|project| cut(&format!("{short}-{project}")));
        let numbered = (2..10_000).map(|number| format!("{short}-{number}"));
        let all = std::iter::once(short.clone()).chain(beside).chain(numbered);
        all.filter_map(|text| Alias::parse(&text).ok()).find(|alias| self.take(alias))
    }
}

/// Without the words that every server's name has.
fn short(name: &str) -> String {
    let name = name.rsplit('/').next().unwrap_or(name);
    let whole = plain(name);
    let mut text = whole.as_str();
    for affix in ["mcp-server-", "server-", "mcp-"] {
        text = text.strip_prefix(affix).unwrap_or(text);
    }
    for affix in ["-mcp-server", "-server", "-mcp"] {
        text = text.strip_suffix(affix).unwrap_or(text);
    }
    let text = cut(text);
    match text.as_str() {
        "" | "mcp" | "server" => "server".to_owned(),
        _ if Alias::parse(&text).is_ok() => text,
        _ if text.starts_with(|c: char| c.is_ascii_lowercase()) => format!("{text}-server"),
        _ => format!("s-{text}"),
    }
}

fn plain(name: &str) -> String {
    let words = name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_ascii_lowercase).collect::<Vec<_>>().join("-")
}

fn cut(text: &str) -> String {
    text.get(..BYTES.min(text.len())).unwrap_or_default().trim_end_matches('-').to_owned()
}
