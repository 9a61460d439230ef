//! Asking a server what it has, page by page, within bounds, and reading each tool by itself from the bytes that came.
//!
//! Is: every definition with every field it was sent with. Is not: a judgement of definitions (the engine's
//! `catalog::assemble`). Clauses: CAT-3 (raw listing), CAT-4 (listing). Invariant: I-3. Neighbours: `wire` keeps the bytes.

pub(super) mod page;

#[cfg(test)]
mod tests;

use super::abandoned::Abandoned;
use super::gate::Lists;
use super::{LISTING, StartError};
use agent_core::definition::Definition;
use agent_core::digest::Digest;
use agent_core::limits::TOOLS_PER_SOURCE;
use page::{Entry, Page};
use rmcp::model::{ClientRequest, ListToolsRequest, PaginatedRequestParams, RequestId, ServerResult};
use rmcp::service::{PeerRequestOptions, ServiceError};
use rmcp::{Peer, RoleClient};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// Pages of one listing (CAT-4).
const PAGES: usize = 256;
/// Bytes of one listing (CAT-4).
const BYTES: usize = 64 * 1024 * 1024;

/// What a server said of itself and its tools, once: what a lock file keeps of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Listed {
    /// The version of MCP that was spoken, such as `2025-11-25`.
    pub protocol: Option<String>,
    /// The name and the version that it gives itself. Nothing is decided by them.
    pub claims: Option<(String, String)>,
    /// Each definition that can be read as JSON of its own, without white space, every field kept. By name.
    pub definitions: Vec<String>,
    /// Tools that can't be read, each by its name, as far as it has one, with the reason.
    pub refused: Vec<(String, String)>,
    /// Why the listing is not whole, where it isn't.
    pub cut: Option<String>,
    /// The digests by the server's own names, of names that stand for one tool.
    pub(super) live: BTreeMap<String, Digest>,
}

/// Lists all of a server's tools.
///
/// # Errors
/// Why there is no listing; none of a listing that broke off is used.
pub(super) async fn list(peer: &Peer<RoleClient>, lists: &Lists) -> Result<Listed, StartError> {
    let late = |_| Err(StartError::other(format!("its list of tools was not whole within {LISTING:?}")));
    let mut listed = tokio::time::timeout(LISTING, pages(peer, lists)).await.unwrap_or_else(late)?;
    if let Some(info) = peer.peer_info() {
        listed.protocol = Some(info.protocol_version.to_string());
        listed.claims = info.server_info.as_ref().map(|said| (said.name.clone(), said.version.clone()));
    }
    Ok(listed)
}

async fn pages(peer: &Peer<RoleClient>, lists: &Lists) -> Result<Listed, StartError> {
    let (mut entries, mut cut) = (Vec::new(), None);
    let (mut bytes, mut cursor, mut seen) = (0, None::<String>, BTreeSet::new());
    for number in 1.. {
        let text = ask(peer, lists, cursor).await?;
        bytes += text.len();
        // Reading can take long, and holds up nobody else.
        let page = tokio::task::spawn_blocking(move || Page::read(&text)).await;
        let page = page.unwrap_or_else(|_| Err("its list could not be read".to_owned())).map_err(StartError::other)?;
        entries.extend(page.entries);
        cut = match &page.next {
            _ if page.more || entries.len() > TOOLS_PER_SOURCE => Some(format!("it lists more than {TOOLS_PER_SOURCE} tools")),
            Some(_) if bytes > BYTES => Some(format!("its list is longer than {BYTES} bytes")),
            Some(_) if number == PAGES => Some(format!("its list has more than {PAGES} pages")),
            Some(next) if !seen.insert(next.clone()) => Some("it names a page that it named before".to_owned()),
            _ => None,
        };
        cursor = page.next;
        if cursor.is_none() || cut.is_some() {
            break;
        }
    }
    entries.truncate(TOOLS_PER_SOURCE);
    let read = tokio::task::spawn_blocking(|| Listed::of(entries)).await;
    let read = read.map_err(|_| StartError::other("its list could not be read".to_owned()))?;
    Ok(Listed { cut, ..read })
}

/// One page's result as it was sent.
async fn ask(peer: &Peer<RoleClient>, lists: &Lists, cursor: Option<String>) -> Result<String, StartError> {
    let params = cursor.map(|cursor| PaginatedRequestParams::default().with_cursor(Some(cursor)));
    let request = ClientRequest::ListToolsRequest(ListToolsRequest { method: Default::default(), params, extensions: Default::default() });
    let refused = |error| StartError::of_service("it would not list its tools", &error);
    let (id, _) = send(peer, request, LISTING).await.map_err(refused)?;
    let text = lists.take(&id).ok_or_else(|| StartError::other("its answer is not a list of tools".to_owned()))?;
    Ok(Box::<str>::from(text).into_string())
}

/// Sends a request and waits for its answer. Where this is given up the server is told, and nothing of a late answer is kept.
pub(super) async fn send(
    peer: &Peer<RoleClient>,
    request: ClientRequest,
    patience: Duration,
) -> Result<(RequestId, ServerResult), ServiceError> {
    let sent = peer.send_cancellable_request(request, PeerRequestOptions::with_timeout(patience)).await?;
    let id = sent.id.clone();
    let mut abandoned = Abandoned::new(peer.clone(), id.clone(), "nobody waits any more");
    let answer = sent.await_response().await?;
    abandoned.answered();
    Ok((id, answer))
}

impl Listed {
    /// Whether both say the same of the tools.
    pub(super) fn agrees(&self, other: &Self) -> bool {
        (&self.definitions, &self.refused, &self.cut) == (&other.definitions, &other.refused, &other.cut)
    }

    /// By name, so that a server's order changes nothing; with a digest for each name that exactly one well-formed
    /// definition has.
    fn of(entries: Vec<Entry>) -> Self {
        let mut listed = Self::default();
        let mut named = Vec::new();
        for entry in entries {
            match entry {
                Entry::Read { name, text } => named.push((name, text)),
                Entry::Refused { name, why } => listed.refused.push((name, why)),
            }
        }
        named.sort();
        listed.refused.sort();
        listed.definitions = named.into_iter().map(|(_, text)| text).collect();
        let mut twice = BTreeSet::new();
        for definition in listed.definitions.iter().filter_map(|text| Definition::parse(text).ok()) {
            if listed.live.insert(definition.name.clone(), definition.digest).is_some() {
                twice.insert(definition.name);
            }
        }
        listed.live.retain(|name, _| !twice.contains(name));
        listed
    }
}
