//! One server as a client has it: how it is run or reached, and what there is to know of it.
//!
//! Is: the keys of all five clients, since people paste from one into another. Is not: a check that the program is there.
//! Clauses: UP-2 (project files), ID-2 (names). A server of which something can't be ours is told of, and left.

mod limits;
mod remote;
mod run;

pub use remote::Remote;
pub use run::Run;

use super::client::{Client, Shelf};
use super::find::{Machine, Scope};
use super::note::{Kind, Note};
use super::reference::From;
use super::tree::{Member, Node, Place};
use std::time::Duration;

/// A server of a client.
pub struct Entry {
    /// Its name there.
    pub name: String,
    /// For whom it is there.
    pub scope: Scope,
    /// How it is had.
    pub how: How,
    /// Whether it is switched on there.
    pub enabled: bool,
    /// How long it has to start.
    pub start: Option<Duration>,
    /// How long a call of it may take.
    pub timeout: Option<Duration>,
    /// The only tools of it that are used there.
    pub allow: Option<Vec<String>>,
    /// Tools of it that are not used there.
    pub deny: Vec<String>,
    /// What there is to know.
    pub notes: Vec<Note>,
}

/// How a server is had.
pub enum How {
    /// As a process of ours.
    Run(Run),
    /// Over HTTP.
    Remote(Remote),
    /// It can't be told, or can't be ours, for this reason.
    Unusable(String),
}

/// What an entry is read on.
pub(super) struct Ground<'a> {
    pub(super) client: Client,
    pub(super) machine: &'a Machine,
    pub(super) text: &'a str,
}

/// Keys that are read elsewhere in here.
const READ: [&str; 13] = [
    "type",
    "transport",
    "command",
    "args",
    "env",
    "env_vars",
    "cwd",
    "working_directory",
    "envFile",
    "url",
    "headers",
    "enabled",
    "disabled",
];
/// Keys that decide nothing here.
const IGNORED: [&str; 7] = ["required", "description", "dev", "gallery", "version", "oauth", "auth"];

pub(super) fn read(member: &Member, shelf: &Shelf<'_>, ground: &Ground<'_>) -> Entry {
    let (node, scope) = (&member.node, shelf.scope.clone());
    let mut notes = Vec::new();
    if let Scope::Local(project) = &scope {
        notes.push(Note::new(Kind::ScopeLocal, project.display().to_string()));
    }
    twice(node, ground, &mut notes);
    let how = how(node, &scope, ground, &mut notes);
    let mut says = |key, word: &str| {
        let value = node.get(key).filter(|value| !matches!(value, Node::Null))?;
        if value.bool().is_none() {
            notes.push(Note::new(Kind::WrongType, key));
        }
        Some(value.word()? == word)
    };
    let off = says("enabled", "false") == Some(true) || says("disabled", "true") == Some(true) || shelf.off.contains(&member.name);
    if off {
        notes.push(Note::new(Kind::DisabledKept, ""));
    }
    let limits = limits::read(node, ground.client, &mut notes);
    for key in node.members().iter().map(|member| member.name.as_str()) {
        match key {
            _ if READ.contains(&key) || limits::KEYS.contains(&key) || remote::KEYS.contains(&key) => {}
            "sandbox" | "sandboxEnabled" => notes.push(Note::new(Kind::SandboxDropped, key)),
            _ if IGNORED.contains(&key) => notes.push(Note::new(Kind::Ignored, key)),
            _ => notes.push(Note::new(Kind::UnknownKey, key)),
        }
    }
    let limits::Limits { start, timeout, allow, deny } = limits;
    Entry { name: member.name.clone(), scope, how, enabled: !off, start, timeout, allow, deny, notes }
}

/// How many keys that stand twice in one table are told of.
const TWICE: usize = 20;

/// Keys that stand twice in a server, or in its variables.
fn twice(node: &Node, ground: &Ground<'_>, notes: &mut Vec<Note>) {
    let tables = [("", Some(node)), ("env.", node.get("env")), ("headers.", node.get("headers"))];
    for (under, dropped) in tables.into_iter().filter_map(|(under, table)| Some((under, table?.twice().0))) {
        notes.extend(
            dropped
                .into_iter()
                .take(TWICE)
                .map(|member| Note::new(Kind::DupKey, format!("{under}{}", member.name)).at(Place::of(ground.text, member.at))),
        );
    }
}

fn how(node: &Node, scope: &Scope, ground: &Ground<'_>, notes: &mut Vec<Note>) -> How {
    if !matches!(node, Node::Table(_)) {
        return How::Unusable("it is no table".to_owned());
    }
    let kind = node.get("type").or_else(|| node.get("transport")).and_then(Node::text);
    let url = ["url", "serverUrl", "httpUrl"].into_iter().find_map(|key| node.get(key).and_then(Node::text));
    let command = node.get("command").filter(|command| !matches!(command, Node::Null));
    let from = From { home: &ground.machine.home, project: scope.folder(), names: ground.client.expands_names() };
    match (kind, command, url) {
        (None, Some(_), Some(_)) => How::Unusable("it has a command and a URL, and no `type` says which counts".to_owned()),
        (None | Some("stdio" | "local"), Some(command), _) => match run::read(node, command, scope, from, notes) {
            Ok(run) => How::Run(run),
            Err(why) => How::Unusable(why),
        },
        (None | Some("http" | "sse" | "streamable-http" | "streamableHttp" | "streamable_http" | "ws" | "remote"), _, Some(url)) => {
            How::Remote(remote::read(node, kind, url, from, notes))
        }
        (Some(kind @ ("stdio" | "local")), None, _) => How::Unusable(format!("its type is `{kind}`, and it has no command")),
        (Some(kind), _, None) if kind != "stdio" => How::Unusable(format!("its type is `{kind}`, and it has no URL")),
        (Some(kind), ..) => How::Unusable(format!("its type `{kind}` is not known")),
        (None, None, None) => How::Unusable("it has neither a command nor a URL".to_owned()),
    }
}
