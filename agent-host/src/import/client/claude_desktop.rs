//! Claude Desktop: one file, `mcpServers` in it. Source: modelcontextprotocol.io, "Connect to local MCP servers".
//!
//! It is read strictly: one comma too many, and the application shows no server.

use crate::import::find::Machine;
use std::path::PathBuf;

pub(super) fn user(machine: &Machine) -> Vec<PathBuf> {
    vec![machine.settings.join("Claude/claude_desktop_config.json")]
}
