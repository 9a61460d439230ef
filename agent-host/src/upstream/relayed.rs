//! What a server has besides tools: its prompts, resources and templates, where the operator says that they are relayed.
//!
//! Is: lists within bounds, each entry read by itself from the bytes that came; one prompt, one resource; the URIs under which
//! clients know them. Is not: who may ask (the engine's `Front::relays`), nor a client's words (`mcp`). Nothing is asked of a
//! server that did not say it has such a thing. Clauses: UP-6 (prompts, resources), CAT-4. Source: MCP, server/prompts and
//! server/resources.

use super::Upstreams;
use super::connection::Connection;
use super::line::Taken;
use super::listing::send;
use super::server::Server;
use super::server_lease::cleaned;
use super::start_error::StartError;
use agent_core::canon::Node;
use agent_core::id::Alias;
use agent_core::safety::{has_hidden, prose};
use agent_core::session::PrincipalId;
use rmcp::model::{
    ArgumentInfo, ClientRequest, CompleteRequest, CompleteRequestParams, CompletionContext, CompletionInfo, ErrorCode, GetPromptRequest,
    GetPromptRequestParams, GetPromptResult, ListPromptsRequest, ListResourceTemplatesRequest, ListResourcesRequest,
    PaginatedRequestParams, PromptMessage, ReadResourceRequest, ReadResourceRequestParams, ReadResourceResult, Reference, ResourceContents,
    ServerResult,
};
use rmcp::service::ServiceError;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

/// Entries of one list that are relayed; later ones are left out.
const ENTRIES: usize = 1024;
/// Pages of one list.
const PAGES: usize = 32;
/// Bytes, levels and values of one entry.
const ENTRY: (usize, usize, usize) = (16 * 1024, 16, 512);
/// Bytes of a resource's URI, or of a template of one.
pub(crate) const URI_BYTES: usize = 2048;
/// How long one page of a list may take.
const PAGE: Duration = Duration::from_secs(10);
/// What a URI of a server's begins with here, before its alias and a colon.
const SCHEME: &str = "mcp+";

/// A list that a server may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Prompts,
    Resources,
    Templates,
}

/// What an argument belongs to, by the server's own name of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Referred {
    Prompt(String),
    Template(String),
}

impl Referred {
    pub(crate) fn own(&self) -> &str {
        match self {
            Self::Prompt(own) | Self::Template(own) => own,
        }
    }
}

/// Why nothing was relayed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Unrelayed {
    /// The server says that there is no such thing, in its words; none where it said nothing.
    Absent(Option<String>),
    /// The server can't be asked, or did not answer as it should.
    Failed(String),
}

/// The URI by which clients know a resource of a server's.
pub(crate) fn uri_of(server: &Alias, uri: &str) -> String {
    format!("{SCHEME}{}:{uri}", server.as_str())
}

/// The server and its own URI, of one that [`uri_of`] made.
pub(crate) fn uri_at(uri: &str) -> Option<(Alias, &str)> {
    let (alias, own) = uri.strip_prefix(SCHEME)?.split_once(':')?;
    Alias::parse(alias).ok().filter(|_| !own.is_empty() && own.len() <= URI_BYTES).map(|alias| (alias, own))
}

impl Kind {
    const fn key(self) -> &'static str {
        match self {
            Self::Prompts => "prompts",
            Self::Resources => "resources",
            Self::Templates => "resourceTemplates",
        }
    }

    fn request(self, cursor: Option<String>) -> ClientRequest {
        let params = cursor.map(|cursor| PaginatedRequestParams::default().with_cursor(Some(cursor)));
        macro_rules! list {
            ($request:ident) => {
                ClientRequest::$request($request { method: Default::default(), params, extensions: Default::default() })
            };
        }
        match self {
            Self::Prompts => list!(ListPromptsRequest),
            Self::Resources => list!(ListResourcesRequest),
            Self::Templates => list!(ListResourceTemplatesRequest),
        }
    }

    /// Whether a server says that it has such a list.
    fn is_of(self, connection: &Connection) -> bool {
        let info = connection.peer().peer_info();
        info.is_some_and(|info| match self {
            Self::Prompts => info.capabilities.prompts.is_some(),
            Self::Resources | Self::Templates => info.capabilities.resources.is_some(),
        })
    }
}

impl Upstreams {
    /// The servers of which the operator says that such a thing is relayed.
    pub(crate) fn relaying(&self, kind: Kind) -> Vec<Alias> {
        self.servers().iter().filter(|(_, server)| relays(server, kind)).map(|(alias, _)| alias.clone()).collect()
    }

    /// A server's list, as far as it is within bounds. It is started where it does not run.
    ///
    /// # Errors
    /// [`Unrelayed`].
    pub(crate) async fn entries(&self, principal: &PrincipalId, alias: &Alias, kind: Kind) -> Result<Vec<Node>, Unrelayed> {
        let (server, taken) = self.taken(principal, alias, kind).await?;
        if !kind.is_of(&taken.connection) {
            return Ok(Vec::new());
        }
        let (mut entries, mut cursor, mut seen) = (Vec::new(), None, BTreeSet::new());
        for _ in 0..PAGES {
            let (id, _) = send(taken.connection.peer(), kind.request(cursor), PAGE).await.map_err(|error| failed(&server, error))?;
            let text = taken.connection.lists().take(&id).ok_or_else(|| Unrelayed::Failed("its answer is no list".to_owned()))?;
            let read = tokio::task::spawn_blocking(move || page(kind, text.get())).await;
            let (page, next) = read.ok().flatten().ok_or_else(|| Unrelayed::Failed("its answer is no list".to_owned()))?;
            entries.extend(page);
            cursor = next.filter(|next| entries.len() < ENTRIES && seen.insert(next.clone()));
            if cursor.is_none() {
                break;
            }
        }
        entries.truncate(ENTRIES);
        Ok(entries)
    }

    /// One prompt, by the server's own name of it.
    ///
    /// # Errors
    /// [`Unrelayed`].
    pub(crate) async fn prompt(
        &self,
        principal: &PrincipalId,
        alias: &Alias,
        name: String,
        arguments: Option<Map<String, Value>>,
    ) -> Result<GetPromptResult, Unrelayed> {
        let (server, taken) = self.taken(principal, alias, Kind::Prompts).await?;
        let mut params = GetPromptRequestParams::new(name);
        params.arguments = arguments;
        let request = ClientRequest::GetPromptRequest(GetPromptRequest::new(params));
        let answer = send(taken.connection.peer(), request, server.patience()).await.map_err(|error| failed(&server, error))?.1;
        let ServerResult::GetPromptResult(said) = answer else { return Err(malformed("a prompt")) };
        let links = server.links();
        let message = |message: PromptMessage| {
            let content = serde_json::from_value(cleaned(&message.content, links)?).ok()?;
            Some(PromptMessage::new(message.role, content))
        };
        let messages = said.messages.into_iter().map(message).collect::<Option<_>>().ok_or_else(|| malformed("a prompt"))?;
        let mut result = GetPromptResult::new(messages);
        result.description = said.description.map(|text| prose(&text, 1024));
        Ok(result)
    }

    /// One resource, by the server's own URI of it.
    ///
    /// # Errors
    /// [`Unrelayed`].
    pub(crate) async fn read(&self, principal: &PrincipalId, alias: &Alias, uri: &str) -> Result<ReadResourceResult, Unrelayed> {
        let (server, taken) = self.taken(principal, alias, Kind::Resources).await?;
        let request = ClientRequest::ReadResourceRequest(ReadResourceRequest::new(ReadResourceRequestParams::new(uri)));
        let answer = send(taken.connection.peer(), request, server.patience()).await.map_err(|error| failed(&server, error))?.1;
        let ServerResult::ReadResourceResult(said) = answer else { return Err(malformed("a resource")) };
        if said.contents.is_empty() {
            return Err(Unrelayed::Absent(None));
        }
        let contents = said.contents.into_iter().map(|content| renamed(alias, content)).collect::<Option<_>>();
        contents.map(ReadResourceResult::new).ok_or_else(|| malformed("a resource"))
    }

    /// What an argument could be completed to; nothing where the server completes none. A value that hides something is left out.
    ///
    /// # Errors
    /// [`Unrelayed`].
    pub(crate) async fn complete(
        &self,
        principal: &PrincipalId,
        alias: &Alias,
        referred: Referred,
        argument: ArgumentInfo,
        context: Option<CompletionContext>,
    ) -> Result<CompletionInfo, Unrelayed> {
        let (kind, reference) = match referred {
            Referred::Prompt(own) => (Kind::Prompts, Reference::for_prompt(own)),
            Referred::Template(own) => (Kind::Templates, Reference::for_resource(own)),
        };
        let (server, taken) = self.taken(principal, alias, kind).await?;
        if taken.connection.peer().peer_info().is_none_or(|info| info.capabilities.completions.is_none()) {
            return Ok(CompletionInfo::default());
        }
        let mut params = CompleteRequestParams::new(reference, argument);
        params.context = context;
        let request = ClientRequest::CompleteRequest(CompleteRequest::new(params));
        let answer = send(taken.connection.peer(), request, server.patience()).await.map_err(|error| failed(&server, error))?.1;
        let ServerResult::CompleteResult(said) = answer else { return Err(malformed("a completion")) };
        let mut completion = said.completion;
        completion.values.retain(|value| value.len() <= URI_BYTES && !has_hidden(value));
        completion.values.truncate(CompletionInfo::MAX_VALUES);
        Ok(completion)
    }

    /// A server that relays such a thing, with room for one request on a principal's connection.
    async fn taken(&self, principal: &PrincipalId, alias: &Alias, kind: Kind) -> Result<(Arc<Server>, Taken), Unrelayed> {
        let server = self.servers().get(alias).filter(|server| relays(server, kind)).cloned().ok_or(Unrelayed::Absent(None))?;
        let taken = server.taken(principal).await.map_err(|error| told(&server, &error))?;
        Ok((server, taken))
    }
}

fn relays(server: &Server, kind: Kind) -> bool {
    match kind {
        Kind::Prompts => server.settings().prompts,
        Kind::Resources | Kind::Templates => server.settings().resources,
    }
}

/// One page: its entries that are JSON of their own within bounds, and where the next one is.
fn page(kind: Kind, text: &str) -> Option<(Vec<Node>, Option<String>)> {
    let members: BTreeMap<String, Box<RawValue>> = serde_json::from_str(text).ok()?;
    let entries: Vec<&RawValue> = serde_json::from_str(members.get(kind.key())?.get()).ok()?;
    let (bytes, depth, nodes) = ENTRY;
    let read = |entry: &&RawValue| Node::parse(entry.get(), depth, nodes).ok().filter(|_| entry.get().len() <= bytes);
    let next = members.get("nextCursor").and_then(|next| serde_json::from_str::<Option<String>>(next.get()).ok().flatten());
    Some((entries.iter().take(ENTRIES).filter_map(read).collect(), next))
}

/// A content under the URI by which clients know it, without `_meta`.
fn renamed(alias: &Alias, content: ResourceContents) -> Option<ResourceContents> {
    let mut value = serde_json::to_value(content).ok()?;
    let members = value.as_object_mut()?;
    members.remove("_meta");
    let uri = uri_of(alias, members.get("uri")?.as_str()?);
    members.insert("uri".to_owned(), uri.into());
    serde_json::from_value(value).ok()
}

fn malformed(what: &str) -> Unrelayed {
    Unrelayed::Failed(format!("its answer is not {what}"))
}

fn told(server: &Server, error: &StartError) -> Unrelayed {
    Unrelayed::Failed(server.target().told_to_model(error))
}

fn failed(server: &Server, error: ServiceError) -> Unrelayed {
    match error {
        ServiceError::McpError(error) => match StartError::of_login(&error) {
            Some(login) => told(server, &login),
            None if matches!(error.code, ErrorCode::RESOURCE_NOT_FOUND | ErrorCode::INVALID_PARAMS) => {
                Unrelayed::Absent(Some(prose(&error.message, 400)))
            }
            None => Unrelayed::Failed(prose(&error.message, 400)),
        },
        error => Unrelayed::Failed(prose(&error.to_string(), 200)),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn up_6_a_relayed_uri_says_whose_it_is_and_leads_back() {
        let alias = Alias::parse("my-notes").unwrap();
        for uri in ["test://a/b?c#d", "mcp+other:x:y", "%41 \u{e9}", "a"] {
            assert_eq!(uri_at(&uri_of(&alias, uri)), Some((alias.clone(), uri)));
        }
        let long = format!("mcp+a:{}", "x".repeat(URI_BYTES + 1));
        for none in ["test://a", "mcp+:a", "mcp+A:b", "mcp+a", "mcp+a:", "MCP+a:b", &long] {
            assert_eq!(uri_at(none), None, "{none}");
        }
    }

    #[test]
    fn cat_4_an_entry_that_cannot_be_read_costs_no_other() {
        let deep = format!("{}1{}", "[".repeat(40), "]".repeat(40));
        let text = format!(r#"{{"prompts":[{{"name":"a"}},{{"name":"b","name":"c"}},{deep},{{"name":"d"}}],"nextCursor":"n"}}"#);
        let (entries, next) = page(Kind::Prompts, &text).unwrap();
        let names: Vec<_> = entries.iter().filter_map(|entry| entry.get("name")?.as_str()).collect();
        assert_eq!((names, next.as_deref()), (vec!["a", "d"], Some("n")));
        assert_eq!(page(Kind::Resources, &text), None);
    }
}
