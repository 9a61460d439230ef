//! Codex: TOML, a table for each server under `mcp_servers`. Source: developers.openai.com/codex, "Model Context Protocol".
//!
//! It names variables instead of expanding them: `env_vars`, `bearer_token_env_var`, `env_http_headers`. A project's file is
//! read by it once the project is trusted; here each of its servers is asked about.

use crate::import::find::Machine;
use std::path::PathBuf;

pub(super) const PROJECT: [&str; 1] = [".codex/config.toml"];

pub(super) fn user(machine: &Machine) -> Vec<PathBuf> {
    vec![machine.codex.clone().unwrap_or_else(|| machine.home.join(".codex")).join("config.toml")]
}
