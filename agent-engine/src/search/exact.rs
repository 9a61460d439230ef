//! Whether a query is a tool's very name.
//!
//! Is not: resolving, which activation does by itself (ID-1). Clause: SRCH-3.

use crate::index::Index;
use agent_core::descriptor::Descriptor;
use std::collections::BTreeMap;

/// What may stand between a server's alias and a tool's name.
const BETWEEN: [char; 4] = [' ', '/', ':', '.'];
/// The same as other hosts join them, behind a word of their own.
const JOINED: (&str, &str) = ("mcp__", "__");

/// In what way a query names a tool; the last is the strongest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Exact {
    /// One of the others, but for the case of its letters.
    OtherCase,
    /// The server's alias and the tool's name, with a space or `/`, `:` or `.` between, or as `mcp__alias__name`.
    ServerAndName,
    /// The tool's name.
    Name,
    /// The wire name.
    Wire,
    /// The id.
    Id,
}

/// The tools that the query names, and how.
pub(super) fn named(index: &Index, query: &str) -> BTreeMap<usize, Exact> {
    // An alias holds none of these, so a name behind one begins after the first of them.
    let between = query.char_indices().skip_while(|(_, letter)| !BETWEEN.contains(letter));
    let behind = between.take_while(|(_, letter)| BETWEEN.contains(letter)).map(|(at, _)| at + 1);
    let names = std::iter::once(0).chain(behind).filter_map(|at| query.get(at..)).chain(pasted(query).map(|(_, name)| name));
    let tools = names.flat_map(|name| index.names().called(name));
    tools.filter_map(|doc| Some((doc, exact(&index.tools().get(doc)?.descriptor, query)?))).collect()
}

/// The alias and the name of a query that another host would call a tool by.
fn pasted(query: &str) -> Option<(&str, &str)> {
    query.strip_prefix(JOINED.0)?.split_once(JOINED.1)
}

/// Whether the query names the tool, and how.
fn exact(tool: &Descriptor, query: &str) -> Option<Exact> {
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
    let alias = tool.id.server();
    if let Some((server, name)) = pasted(query) {
        let same = server.eq_ignore_ascii_case(alias.as_str()) && name.eq_ignore_ascii_case(tool.id.name());
        return same.then(|| [JOINED.0, alias.as_str(), JOINED.1, tool.id.name()].concat());
    }
    let (before, name) = query.split_at_checked(query.len().checked_sub(tool.id.name().len())?)?;
    if !name.eq_ignore_ascii_case(tool.id.name()) {
        return None;
    }
    let between = before.trim_end_matches(BETWEEN).len();
    let (server, between) = before.split_at_checked(between)?;
    let beside = !between.is_empty() && server.eq_ignore_ascii_case(alias.as_str());
    beside.then(|| format!("{alias}{between}{}", tool.id.name()))
}
