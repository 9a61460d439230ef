//! What a person puts into a client's file so that the client uses agent-host.
//!
//! Is: text to paste. Is not: a writer; no client's file is changed.

use super::Client;
use crate::shell::quoted;
use serde_json::Value;
use std::path::Path;

/// Lines for one client: what to paste, and where. `flags` stand behind `serve`.
#[must_use]
pub fn paste(client: Client, program: &Path, flags: &[String]) -> Vec<String> {
    let program = program.to_string_lossy();
    let args: Vec<String> = std::iter::once("serve".to_owned()).chain(flags.iter().cloned()).collect();
    let kind = if client == Client::VsCode { r#""type": "stdio", "# } else { "" };
    let words: Vec<String> = args.iter().map(|word| Value::from(word.as_str()).to_string()).collect();
    let server = format!(r#"{{ {kind}"command": {}, "args": [{}] }}"#, Value::from(&*program), words.join(", "));
    let line = || std::iter::once(&*program).chain(args.iter().map(String::as_str)).map(quoted).collect::<Vec<_>>().join(" ");
    let inside = |key: &str| vec![format!("  under `{key}`:"), format!("    \"agent-host\": {server}")];
    let (place, lines) = match client {
        Client::ClaudeDesktop => ("Settings, Developer, Edit Config", inside("mcpServers")),
        Client::Cursor => ("~/.cursor/mcp.json", inside("mcpServers")),
        Client::VsCode => ("`MCP: Open User Configuration`", inside("servers")),
        Client::ClaudeCode => ("a command", vec![format!("    claude mcp add --scope user agent-host -- {}", line())]),
        Client::Codex => ("a command", vec![format!("    codex mcp add agent-host -- {}", line())]),
        Client::Other => ("its configuration", inside("mcpServers")),
    };
    std::iter::once(format!("{} ({place}):", client.name())).chain(lines).collect()
}
