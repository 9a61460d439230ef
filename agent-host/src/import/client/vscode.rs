//! VS Code: `servers` in an `mcp.json`, of the user, of each profile, and of a workspace. Source: code.visualstudio.com/docs,
//! "MCP configuration reference".
//!
//! Until mid-2025 they stood in `settings.json` under `mcp`. Comments are read. `inputs` are questions to the user, named by
//! `${input:id}`; their answers lie in the editor's own store and are not read.

use super::{Shelf, wrapped};
use crate::import::Client;
use crate::import::file::File;
use crate::import::find::{Machine, Source};
use crate::import::note::{Kind, Note};
use crate::import::tree::Node;
use std::path::PathBuf;

pub(super) const PROJECT: [&str; 2] = [".vscode/mcp.json", ".vscode/settings.json"];

/// The editor, its preview, and its free build.
const EDITORS: [&str; 3] = ["Code", "Code - Insiders", "VSCodium"];

pub(super) fn editors(machine: &Machine) -> Vec<PathBuf> {
    EDITORS.iter().map(|editor| machine.settings.join(editor).join("User")).collect()
}

pub(super) fn user(machine: &Machine) -> Vec<PathBuf> {
    let folders = editors(machine).into_iter().chain(machine.profiles.iter().cloned());
    folders.flat_map(|folder| ["mcp.json", "settings.json"].map(|file| folder.join(file))).collect()
}

pub(super) fn shelves<'a>(source: &Source, root: &'a Node, file: &mut File) -> Vec<Shelf<'a>> {
    if !source.path.ends_with("settings.json") {
        return wrapped(Client::VsCode, source, root, &["servers"], file);
    }
    let Some(servers) = root.under(&["mcp", "servers"]) else { return Vec::new() };
    file.notes.push(Note::new(Kind::LegacyLocation, "mcp.servers"));
    vec![Shelf { servers, scope: source.scope.clone(), off: Vec::new() }]
}
