//! What every client is told of this server, and its list of tools as an era reads it.
//!
//! Is not: whose the list is (`list`). Clauses: SES-2, UP-6 (prompts, resources). Source: MCP specification, basic/lifecycle and server/tools.

use super::era::Era;
use super::relayed::Relays;
use agent_engine::projection::text::instructions;
use agent_engine::projection::{Surface, Terms};
use agent_engine::shape::mcp::tools;
use rmcp::ErrorData;
use rmcp::model::{CacheScope, Implementation, ListToolsResult, ProtocolVersion, ServerCapabilities, ServerConfig};

/// What a client is told of this server.
pub(crate) fn described(terms: &Terms, relays: Relays) -> ServerConfig {
    let mut capabilities = ServerCapabilities::builder().enable_tools().enable_tool_list_changed().enable_tasks().build();
    if relays.prompts {
        capabilities.prompts.get_or_insert_default().list_changed = Some(true);
    }
    if relays.resources {
        capabilities.resources.get_or_insert_default().list_changed = Some(true);
    }
    capabilities.completions = (relays != Relays::default()).then(Default::default);
    let me = Implementation::new("agent-host", env!("CARGO_PKG_VERSION"));
    ServerConfig::new(capabilities).with_server_info(me).with_instructions(instructions(terms))
}

/// A list as a client of an era reads it. A modern one never keeps it, nor shows it to anybody else.
pub(crate) fn listed(surface: &Surface, era: Era) -> Result<ListToolsResult, ErrorData> {
    let tools = tools(surface).into_iter().map(serde_json::from_value);
    let list = tools.collect::<Result<_, _>>().map(ListToolsResult::with_all_items);
    let list = list.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
    Ok(match era {
        Era::Legacy => list,
        Era::Modern => list.with_ttl_ms(0).with_cache_scope(CacheScope::Private),
    })
}

/// The versions that are spoken.
pub(crate) fn versions() -> &'static [ProtocolVersion] {
    ProtocolVersion::known_up_to(&ProtocolVersion::V_2026_07_28)
}
