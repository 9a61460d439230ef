//! Whether a query is a tool's very name.
//!
//! Is not: resolving, which activation does by itself (ID-1). Clause: SRCH-3.

use agent_core::descriptor::Descriptor;

/// In what way a query names a tool; the last is the strongest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Exact {
    /// One of the others, but for the case of its letters.
    OtherCase,
    /// The server's alias and the tool's name, with a space or `/`, `:` or `.` between.
    ServerAndName,
    /// The tool's name.
    Name,
    /// The wire name.
    Wire,
    /// The id.
    Id,
}

/// Whether the query names the tool, and how.
pub(super) fn exact(tool: &Descriptor, query: &str) -> Option<Exact> {
    let named = [(tool.id.as_str(), Exact::Id), (tool.wire.as_str(), Exact::Wire), (tool.id.name(), Exact::Name)];
    let same = named.into_iter().find(|(name, _)| query.eq_ignore_ascii_case(name));
    let (name, how) = match same {
        Some((name, how)) => (name.to_owned(), how),
        None => (beside_server(tool, query)?, Exact::ServerAndName),
    };
    Some(if query == name { how } else { Exact::OtherCase })
}

/// The server's alias and the tool's name, joined as the query joins them, where it does.
fn beside_server(tool: &Descriptor, query: &str) -> Option<String> {
    let (before, name) = query.split_at_checked(query.len().checked_sub(tool.id.name().len())?)?;
    if !name.eq_ignore_ascii_case(tool.id.name()) {
        return None;
    }
    let between = before.trim_end_matches([' ', '/', ':', '.']).len();
    let (server, between) = before.split_at_checked(between)?;
    let alias = tool.id.server();
    let beside = !between.is_empty() && server.eq_ignore_ascii_case(alias.as_str());
    beside.then(|| format!("{alias}{between}{}", tool.id.name()))
}
