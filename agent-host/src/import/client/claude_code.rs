//! Claude Code: `~/.claude.json` of the user, whole and by project; `.mcp.json` of a project; and settings that switch a
//! project's servers on and off. Source: code.claude.com/docs, "Connect Claude Code to tools via MCP" and "Settings".
//!
//! `${NAME}` and `${NAME:-default}` are references in `command`, `args`, `env`, `url` and `headers`. That a project's servers
//! are allowed there counts for nothing here; that one is switched off does.

use super::{Shelf, wrapped};
use crate::import::Client;
use crate::import::file::File;
use crate::import::find::{Machine, Scope, Source};
use crate::import::note::{Kind, Note};
use crate::import::tree::Node;
use std::path::PathBuf;

pub(super) const PROJECT: [&str; 3] = [".mcp.json", ".claude/settings.json", ".claude/settings.local.json"];

pub(super) fn user(machine: &Machine) -> Vec<PathBuf> {
    let state = machine.claude.as_ref().unwrap_or(&machine.home).join(".claude.json");
    let settings = machine.claude.clone().unwrap_or_else(|| machine.home.join(".claude")).join("settings.json");
    vec![state, settings]
}

pub(super) fn shelves<'a>(source: &Source, root: &'a Node, file: &mut File) -> Vec<Shelf<'a>> {
    let name = source.path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    if name.starts_with("settings") {
        switches(root, source.scope.folder().map(PathBuf::from), file);
        return Vec::new();
    }
    if matches!(source.scope, Scope::Project(_)) {
        return wrapped(Client::ClaudeCode, source, root, &["mcpServers"], file);
    }
    let shelf = |node: &'a Node, scope| {
        let servers = node.get("mcpServers")?;
        Some(Shelf { servers, scope, off: node.get("disabledMcpServers").map(Node::texts).unwrap_or_default() })
    };
    let mut shelves: Vec<_> = shelf(root, source.scope.clone()).into_iter().collect();
    for project in root.get("projects").map(Node::members).unwrap_or_default() {
        switches(&project.node, Some(project.name.clone().into()), file);
        shelves.extend(shelf(&project.node, Scope::Local(project.name.clone().into())));
    }
    shelves
}

/// What settings say of the servers of a project, or of every one.
fn switches(node: &Node, project: Option<PathBuf>, file: &mut File) {
    for name in node.get("disabledMcpjsonServers").map(Node::texts).unwrap_or_default() {
        file.notes.push(Note::new(Kind::DisabledKept, name.as_str()));
        file.off.push((project.clone(), name));
    }
    let some = |node: Option<&Node>| node.is_some_and(|node| node.bool() == Some(true) || !node.texts().is_empty());
    let tools = node.under(&["permissions", "allow"]).map(Node::texts).unwrap_or_default();
    for (key, allowed) in [
        ("enableAllProjectMcpServers", some(node.get("enableAllProjectMcpServers"))),
        ("enabledMcpjsonServers", some(node.get("enabledMcpjsonServers"))),
        ("permissions.allow", tools.iter().any(|tool| tool.starts_with("mcp__"))),
    ] {
        if allowed {
            file.notes.push(Note::new(Kind::ApprovalNotImported, key));
        }
    }
}
