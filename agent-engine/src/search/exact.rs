//! Whether a query is a tool's very name.
//!
//! Is not: resolving, which activation does byte for byte by itself (ID-1). Clause: SRCH-3.

use agent_core::descriptor::Descriptor;

/// In what way a query names a tool; the last is the strongest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Exact {
    /// The server's alias and the tool's name.
    ServerAndName,
    /// The tool's name.
    Name,
    /// The wire name.
    Wire,
    /// The id.
    Id,
}

/// Whether the query names the tool. Case does not count, but for the id.
pub(super) fn exact(tool: &Descriptor, query: &str) -> Option<Exact> {
    let name = tool.id.name();
    if query == tool.id.as_str() {
        Some(Exact::Id)
    } else if query.eq_ignore_ascii_case(tool.wire.as_str()) {
        Some(Exact::Wire)
    } else if query.eq_ignore_ascii_case(name) {
        Some(Exact::Name)
    } else {
        let before = query.len().checked_sub(name.len()).and_then(|at| query.split_at_checked(at));
        let (server, _) = before.filter(|(_, tail)| tail.eq_ignore_ascii_case(name))?;
        let server = server.trim_end_matches([' ', '/', ':', '.']);
        let known = server.len() < query.len() - name.len() && server.eq_ignore_ascii_case(tool.id.server().as_str());
        known.then_some(Exact::ServerAndName)
    }
}
