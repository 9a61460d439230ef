//! Asking a server what it has, page by page, within bounds.
//!
//! Is: the definitions as JSON, and the digest of each that can be served. Is not: a judgement of them beside their
//! siblings (the engine's `catalog::assemble`). What rmcp's types don't carry is lost here; raw listings come with A2.
//! Clauses: CAT-4, ID-2. Invariant: I-3.

use super::LISTING;
use agent_core::definition::Definition;
use agent_core::digest::Digest;
use agent_core::limits::TOOLS_PER_SOURCE;
use agent_core::safety::echo;
use rmcp::model::{ClientRequest, ListToolsRequest, PaginatedRequestParams};
use rmcp::service::PeerRequestOptions;
use rmcp::{Peer, RoleClient};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

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
/// The text says why there is no listing; none of a listing that broke off is used.
pub(super) async fn list(peer: &Peer<RoleClient>) -> Result<Listed, String> {
    let pages = pages(peer);
    tokio::time::timeout(LISTING, pages).await.unwrap_or_else(|_| Err(format!("its list of tools was not whole within {LISTING:?}")))
}

async fn pages(peer: &Peer<RoleClient>) -> Result<Listed, String> {
    let mut listed = Listed::default();
    let (mut bytes, mut cursor, mut seen) = (0, None::<String>, BTreeSet::new());
    for _ in 0..PAGES {
        let page = page(peer, cursor).await?;
        let Some(tools) = page.get("tools").and_then(Value::as_array) else { return Err("its answer is not a list of tools".to_owned()) };
        for tool in tools {
            let definition = tool.to_string();
            bytes += definition.len();
            if listed.definitions.len() == TOOLS_PER_SOURCE {
                return Ok(listed.cut(format!("it lists more than {TOOLS_PER_SOURCE} tools; the first of them are served")));
            }
            if bytes > BYTES {
                return Ok(listed.cut(format!("its list is longer than {BYTES} bytes; its beginning is served")));
            }
            listed.definitions.push(definition);
        }
        cursor = page.get("nextCursor").and_then(Value::as_str).map(str::to_owned);
        match &cursor {
            None => return Ok(listed.digested()),
            Some(next) if !seen.insert(next.clone()) => {
                return Ok(listed.cut("it names a page that it named before; the pages up to there are served".to_owned()));
            }
            Some(_) => {}
        }
    }
    Ok(listed.cut(format!("its list has more than {PAGES} pages; the first of them are served")))
}

/// One page as JSON, also where a tool of it is malformed: each is judged by itself, later.
async fn page(peer: &Peer<RoleClient>, cursor: Option<String>) -> Result<Value, String> {
    let params = cursor.map(|cursor| PaginatedRequestParams::default().with_cursor(Some(cursor)));
    let request = ClientRequest::ListToolsRequest(ListToolsRequest { method: Default::default(), params, extensions: Default::default() });
    let options = PeerRequestOptions::with_timeout(LISTING);
    let sent = peer.send_cancellable_request(request, options).await.map_err(|error| echo(&error.to_string()))?;
    let result = sent.await_response().await.map_err(|error| format!("it would not list its tools: {}", echo(&error.to_string())))?;
    serde_json::to_value(result).map_err(|error| echo(&error.to_string()))
}

impl Listed {
    fn cut(mut self, why: String) -> Self {
        self.cut = Some(why);
        self.digested()
    }

    /// With a digest for each name that exactly one well-formed definition has.
    fn digested(mut self) -> Self {
        let mut twice = BTreeSet::new();
        for definition in self.definitions.iter().filter_map(|raw| Definition::parse(raw).ok()) {
            if self.live.insert(definition.name.clone(), definition.digest).is_some() {
                twice.insert(definition.name);
            }
        }
        self.live.retain(|name, _| !twice.contains(name));
        self
    }
}
