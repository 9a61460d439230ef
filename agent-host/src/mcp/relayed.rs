//! Prompts and resources of servers, as a client is given them.
//!
//! Is: whose somebody may use, in a session or outside of any, the names and URIs by which clients know them, words made visible.
//! Where no server's may be used they are not there at all: not declared, unknown methods. Is not: a way to ask a server
//! (`upstream`), nor a decision (`Front::relays`). Clauses: UP-6 (prompts, resources), CAT-5. Source: MCP, server/prompts,
//! server/resources and server/utilities/completion.

use super::era::Era;
use crate::upstream::{Kind, Referred, URI_BYTES, Unrelayed, Upstreams, uri_at, uri_of};
use agent_core::canon::Node;
use agent_core::id::{Alias, SourceClass, ToolId};
use agent_core::name::judge;
use agent_core::safety::{has_hidden, prose};
use agent_engine::engine::{Front, Reader};
use rmcp::ErrorData;
use rmcp::model::{
    CacheScope, CompleteRequestParams, CompleteResult, GetPromptRequestParams, GetPromptResult, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, Prompt, PromptArgument, ReadResourceRequestParams, ReadResourceResult, Reference,
    Resource, ResourceTemplate,
};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::timeout;

/// How long a client waits for the lists of all servers, a start among them; those that take longer are left out.
const LISTS: Duration = Duration::from_secs(40);
/// Bytes of a title, of a description, of a media type.
const SAID: (usize, usize, usize) = (80, 1024, 128);
/// Arguments of a prompt, and bytes of the name of one.
const ARGUMENTS: (usize, usize) = (32, 128);

/// What of servers a client is told it can ask for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Relays {
    pub(crate) prompts: bool,
    pub(crate) resources: bool,
}

/// What of servers one client is given.
#[derive(Clone)]
pub(crate) struct Relayed {
    front: Front,
    reader: Reader,
    upstreams: Servers,
}

impl Relayed {
    pub(crate) const fn new(front: Front, reader: Reader, upstreams: Servers) -> Self {
        Self { front, reader, upstreams }
    }

    /// What the client may use of what is relayed, by now.
    pub(crate) fn relays(&self) -> Relays {
        Relays { prompts: !self.of(Kind::Prompts).is_empty(), resources: !self.of(Kind::Resources).is_empty() }
    }

    /// The servers whose such things the client may use.
    fn of(&self, kind: Kind) -> Vec<Alias> {
        let relaying = self.upstreams.as_ref().map(|upstreams| upstreams.relaying(kind)).unwrap_or_default();
        relaying.into_iter().filter(|alias| self.front.relays(&self.reader, alias)).collect()
    }

    /// Whether what changed of a server is for this client.
    pub(super) fn concerns(&self, alias: &Alias, kind: Kind) -> bool {
        self.of(kind).contains(alias)
    }

    /// The servers, wherever there are some.
    pub(super) const fn upstreams(&self) -> &Servers {
        &self.upstreams
    }

    /// Records what is asked of a server for the client, before it is.
    pub(super) fn note(&self, alias: &Alias, method: &str, about: &str) {
        self.front.relayed(&self.reader, alias, method, about);
    }

    /// The servers' lists, each asked for at the same time; nothing of one that can't be asked.
    async fn entries(&self, servers: Vec<Alias>, kind: Kind) -> Vec<(Alias, Vec<Node>)> {
        let mut tasks = JoinSet::new();
        for alias in servers {
            let (upstreams, principal) = (self.upstreams.clone(), self.reader.principal().clone());
            tasks.spawn(async move {
                let listed = timeout(LISTS, upstreams?.entries(&principal, &alias, kind)).await;
                match listed {
                    Ok(Ok(entries)) => return Some((alias, entries)),
                    Ok(Err(why)) => tracing::warn!(server = %alias, ?why, "what it has besides tools could not be listed"),
                    Err(_) => tracing::warn!(server = %alias, "it did not list what it has besides tools in time"),
                }
                None
            });
        }
        let mut listed: Vec<_> = tasks.join_all().await.into_iter().flatten().collect();
        listed.sort_by(|a, b| a.0.cmp(&b.0));
        listed
    }

    /// The prompts of servers, by the names under which clients know them.
    pub(crate) async fn prompts(&self, era: Era) -> Result<ListPromptsResult, ErrorData> {
        let servers = present::<rmcp::model::ListPromptsRequestMethod>(self.of(Kind::Prompts))?;
        let listed = self.entries(servers, Kind::Prompts).await;
        let prompts = listed.iter().flat_map(|(alias, entries)| named(alias, entries)).map(|(wire, entry)| prompt(wire, entry));
        let list = ListPromptsResult::with_all_items(prompts.collect());
        Ok(if era == Era::Modern { list.with_ttl_ms(0).with_cache_scope(CacheScope::Private) } else { list })
    }

    /// The resources of servers.
    pub(crate) async fn resources(&self, era: Era) -> Result<ListResourcesResult, ErrorData> {
        let servers = present::<rmcp::model::ListResourcesRequestMethod>(self.of(Kind::Resources))?;
        let listed = self.entries(servers, Kind::Resources).await;
        let resources = listed.iter().flat_map(|(alias, entries)| entries.iter().filter_map(|entry| resource(alias, entry)));
        let list = ListResourcesResult::with_all_items(resources.collect());
        Ok(if era == Era::Modern { list.with_ttl_ms(0).with_cache_scope(CacheScope::Private) } else { list })
    }

    /// The templates by which URIs of resources are made.
    pub(crate) async fn templates(&self, era: Era) -> Result<ListResourceTemplatesResult, ErrorData> {
        let servers = present::<rmcp::model::ListResourceTemplatesRequestMethod>(self.of(Kind::Templates))?;
        let listed = self.entries(servers, Kind::Templates).await;
        let templates = listed.iter().flat_map(|(alias, entries)| entries.iter().filter_map(|entry| template(alias, entry)));
        let list = ListResourceTemplatesResult::with_all_items(templates.collect());
        Ok(if era == Era::Modern { list.with_ttl_ms(0).with_cache_scope(CacheScope::Private) } else { list })
    }

    /// Whose prompt a name is, and that server's own name of it. The server's list says so; a name goes to no other server than the
    /// one that has it.
    async fn prompt_at(&self, name: &str) -> Result<Option<(Alias, String)>, ErrorData> {
        let mut servers = present::<rmcp::model::GetPromptRequestMethod>(self.of(Kind::Prompts))?;
        servers.retain(|alias| name.starts_with(begin(alias)));
        // Of two that a name could begin with, the longer one is meant, unless it has no such prompt.
        servers.sort_by_key(|alias| std::cmp::Reverse(alias.as_str().len()));
        for alias in servers {
            let listed = self.entries(vec![alias], Kind::Prompts).await;
            let Some((alias, entries)) = listed.into_iter().next() else { continue };
            let own = named(&alias, &entries).remove(name).and_then(|entry| Some(entry.get("name")?.as_str()?.to_owned()));
            if let Some(own) = own {
                return Ok(Some((alias, own)));
            }
        }
        Ok(None)
    }

    /// One prompt.
    pub(crate) async fn prompt(&self, request: GetPromptRequestParams) -> Result<GetPromptResult, ErrorData> {
        let (Some((alias, own)), Some(upstreams)) = (self.prompt_at(&request.name).await?, &self.upstreams) else {
            return Err(unknown_prompt(None));
        };
        self.admit(&alias, "prompts/get", &own).map_err(|()| unknown_prompt(None))?;
        let got = upstreams.prompt(self.reader.principal(), &alias, own, request.arguments).await;
        got.map_err(|why| match why {
            Unrelayed::Absent(said) => unknown_prompt(said.map(|said| of(&alias, &said))),
            Unrelayed::Failed(why) => ErrorData::internal_error(of(&alias, &why), None),
        })
    }

    /// What an argument of a prompt or a template could be completed to.
    pub(crate) async fn complete(&self, request: CompleteRequestParams) -> Result<CompleteResult, ErrorData> {
        let unknown = || ErrorData::invalid_params("Unknown prompt or resource", None);
        if self.relays() == Relays::default() {
            return Err(ErrorData::method_not_found::<rmcp::model::CompleteRequestMethod>());
        }
        let found = match request.r#ref {
            Reference::Prompt(prompt) if self.relays().prompts => {
                self.prompt_at(&prompt.name).await?.map(|(alias, own)| (alias, Referred::Prompt(own)))
            }
            Reference::Resource(template) => uri_at(&template.uri)
                .filter(|(alias, _)| self.concerns(alias, Kind::Templates))
                .map(|(alias, own)| (alias, Referred::Template(own.to_owned()))),
            _ => None,
        };
        let (Some((alias, referred)), Some(upstreams)) = (found, &self.upstreams) else { return Err(unknown()) };
        self.admit(&alias, "completion/complete", referred.own()).map_err(|()| unknown())?;
        match upstreams.complete(self.reader.principal(), &alias, referred, request.argument, request.context).await {
            Ok(completion) => Ok(CompleteResult::new(completion)),
            Err(Unrelayed::Absent(_)) => Err(unknown()),
            Err(Unrelayed::Failed(why)) => Err(ErrorData::internal_error(of(&alias, &why), None)),
        }
    }

    /// One resource.
    pub(crate) async fn read(&self, request: &ReadResourceRequestParams, era: Era) -> Result<ReadResourceResult, ErrorData> {
        let servers = present::<rmcp::model::ReadResourceRequestMethod>(self.of(Kind::Resources))?;
        let absent = |said: Option<String>| {
            ErrorData::resource_not_found(said.unwrap_or_else(|| "Resource not found".to_owned()), Some(json!({"uri": request.uri})))
        };
        let found = uri_at(&request.uri).filter(|(alias, _)| servers.contains(alias));
        let (Some((alias, own)), Some(upstreams)) = (found, &self.upstreams) else { return Err(absent(None)) };
        self.admit(&alias, "resources/read", own).map_err(|()| absent(None))?;
        match upstreams.read(self.reader.principal(), &alias, own).await {
            Ok(mut read) => {
                if era == Era::Modern {
                    (read.ttl_ms, read.cache_scope) = (Some(0), Some(CacheScope::Private));
                }
                Ok(read)
            }
            Err(Unrelayed::Absent(said)) => Err(absent(said.map(|said| of(&alias, &said)))),
            Err(Unrelayed::Failed(why)) => Err(ErrorData::internal_error(of(&alias, &why), None)),
        }
    }

    /// Looks once more whether the client may, right before the server is asked, and records that it is.
    fn admit(&self, alias: &Alias, method: &str, about: &str) -> Result<(), ()> {
        if !self.front.relays(&self.reader, alias) {
            return Err(());
        }
        self.note(alias, method, about);
        Ok(())
    }
}

/// The servers, where there is one; else there is no such method.
fn present<M: rmcp::model::ConstString>(servers: Vec<Alias>) -> Result<Vec<Alias>, ErrorData> {
    if servers.is_empty() { Err(ErrorData::method_not_found::<M>()) } else { Ok(servers) }
}

fn of(alias: &Alias, said: &str) -> String {
    format!("server `{alias}`: {said}")
}

fn unknown_prompt(said: Option<String>) -> ErrorData {
    ErrorData::invalid_params(said.unwrap_or_else(|| "Unknown prompt".to_owned()), None)
}

/// What every wire name of an alias begins with.
fn begin(alias: &Alias) -> &str {
    alias.as_str().get(..16).unwrap_or(alias.as_str())
}

/// A server's prompts by their wire names, which are made as those of tools. Two of one name are both left out, and so is
/// one whose name a tool could not have.
fn named<'a>(alias: &Alias, entries: &'a [Node]) -> BTreeMap<String, &'a Node> {
    let (mut named, mut twice) = (BTreeMap::new(), BTreeSet::new());
    for entry in entries {
        let Some(name) = entry.get("name").and_then(Node::as_str).filter(|name| judge(name).is_ok()) else { continue };
        let Ok(id) = ToolId::new(SourceClass::Mcp, alias, name) else { continue };
        let wire = id.wire().to_string();
        if named.insert(wire.clone(), entry).is_some() {
            twice.insert(wire);
        }
    }
    named.retain(|wire, _| !twice.contains(wire));
    named
}

/// A stranger's words on one line.
fn said(entry: &Node, key: &str, bytes: usize) -> Option<String> {
    entry.get(key).and_then(Node::as_str).map(|text| prose(text, bytes)).filter(|text| !text.is_empty())
}

fn prompt(wire: String, entry: &Node) -> Prompt {
    let arguments = entry.get("arguments").map(Node::items).unwrap_or_default();
    let argument = |node: &Node| {
        // A model has to send it back as it is.
        let name = node.get("name").and_then(Node::as_str).filter(|name| name.len() <= ARGUMENTS.1 && !has_hidden(name))?;
        let mut argument = PromptArgument::new(name);
        argument.title = said(node, "title", SAID.0);
        argument.description = said(node, "description", SAID.1);
        argument.required = matches!(node.get("required"), Some(Node::Bool(true))).then_some(true);
        Some(argument)
    };
    let arguments: Vec<_> = arguments.iter().take(ARGUMENTS.0).filter_map(argument).collect();
    let mut prompt = Prompt::new(wire, said(entry, "description", SAID.1), (!arguments.is_empty()).then_some(arguments));
    prompt.title = said(entry, "title", SAID.0);
    prompt
}

/// A URI, or a template of one, that a client can send back.
fn own_uri<'a>(entry: &'a Node, key: &str) -> Option<&'a str> {
    entry.get(key).and_then(Node::as_str).filter(|uri| !uri.is_empty() && uri.len() <= URI_BYTES && !has_hidden(uri))
}

fn resource(alias: &Alias, entry: &Node) -> Option<Resource> {
    let own = own_uri(entry, "uri")?;
    let mut resource = Resource::new(uri_of(alias, own), said(entry, "name", SAID.0).unwrap_or_else(|| prose(own, SAID.0)));
    resource.title = said(entry, "title", SAID.0);
    resource.description = said(entry, "description", SAID.1);
    resource.mime_type = said(entry, "mimeType", SAID.2);
    resource.size = match entry.get("size") {
        Some(Node::Number(size)) => size.parse().ok(),
        _ => None,
    };
    Some(resource)
}

fn template(alias: &Alias, entry: &Node) -> Option<ResourceTemplate> {
    let own = own_uri(entry, "uriTemplate")?;
    let mut template = ResourceTemplate::new(uri_of(alias, own), said(entry, "name", SAID.0).unwrap_or_else(|| prose(own, SAID.0)));
    template.title = said(entry, "title", SAID.0);
    template.description = said(entry, "description", SAID.1);
    template.mime_type = said(entry, "mimeType", SAID.2);
    Some(template)
}

/// The way to the servers, where there is one.
pub(crate) type Servers = Option<Arc<Upstreams>>;

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing)]
    use super::*;
    use serde_json::Value;

    fn entries(list: &Value) -> Vec<Node> {
        list.as_array().unwrap().iter().map(|entry| Node::parse(&entry.to_string(), 16, 512).unwrap()).collect()
    }

    #[test]
    fn up_6_prompts_are_named_as_tools_are_and_two_of_one_name_are_none() {
        let alias = Alias::parse("a-long-alias-of-a-server-indeed").unwrap();
        let list =
            entries(&json!([{"name": "ask"}, {"name": "twice"}, {"name": "twice"}, {"name": "a\u{202e}b"}, {"name": "x".repeat(64)}, {}]));
        let named = named(&alias, &list);
        assert_eq!(named.len(), 2);
        assert!(named.keys().all(|wire| wire.len() <= 47 && wire.starts_with(begin(&alias))), "{named:?}");
    }

    #[test]
    fn cat_5_words_of_a_prompt_and_a_resource_are_made_visible() {
        let alias = Alias::parse("a").unwrap();
        let list = entries(&json!([{"name": "n", "title": "t\u{200b}", "description": "d\u{1b}[2J\n", "arguments": [
            {"name": "ok", "description": "\u{202e}x", "required": true}, {"name": "h\u{200b}"}, {"name": 1}], "icons": [{"src": "javascript:x"}]}]));
        let shown = serde_json::to_string(&prompt("a__n".to_owned(), &list[0])).unwrap();
        assert_eq!(
            shown,
            r#"{"name":"a__n","title":"t\\u{200b}","description":"d\\u{1b}[2J","arguments":[{"name":"ok","description":"\\u{202e}x","required":true}]}"#
        );
        let list = entries(&json!([{"uri": "x:y", "name": "n\u{200b}", "_meta": {"a": 1}, "size": 3}, {"uri": "x:\u{200b}"}, {"uri": 1}]));
        let shown: Vec<_> = list.iter().filter_map(|entry| resource(&alias, entry)).collect();
        assert_eq!(serde_json::to_value(&shown).unwrap(), json!([{"uri": "mcp+a:x:y", "name": "n\\u{200b}", "size": 3}]));
    }
}
