//! Cursor: `mcpServers`, one file of the user's and one of a project's. Source: cursor.com/docs, "Model Context Protocol".
//!
//! References are `${env:NAME}`, `${userHome}`, `${workspaceFolder}`, `${workspaceFolderBasename}` and `${pathSeparator}`.

use crate::import::find::Machine;
use std::path::PathBuf;

pub(super) const PROJECT: [&str; 1] = [".cursor/mcp.json"];

pub(super) fn user(machine: &Machine) -> Vec<PathBuf> {
    vec![machine.home.join(".cursor/mcp.json")]
}
