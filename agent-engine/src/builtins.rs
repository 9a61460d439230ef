//! The five tools that every session has: parse the arguments, call one operation, render.
//!
//! Is: never waiting for a person; `Waiting` is a value. Is not: in the catalog; none of these can be searched,
//! activated, granted, revoked or shadowed. Clauses: BLT-1, BLT-2, BLT-3, SRCH-1, SRCH-6, ACT-1, ACT-3, ACT-7, GATE-3.

mod faces;
mod servers;

pub use faces::{Builtin, SESSION, faces};

use crate::activation::{Asked, Asking};
use crate::call::{Calls, Progress, Ran};
use crate::catalog::{Snapshot, Tool};
use crate::gate::Target;
use crate::ledger::Journal;
use crate::projection::{Terms, activated, details, face, found, text};
use crate::revocation::Revocation;
use crate::search::Search;
use crate::session::Cell;
use crate::view::Views;
use agent_core::id::WireName;
use agent_core::limits::{HITS_DEFAULT, HITS_MAX, IDS_PER_REQUEST, QUERY_BYTES};
use agent_core::refusal::Refusal;
use agent_core::request::Question;
use agent_core::safety::echo;
use agent_core::session::Listing;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::sync::Arc;
use std::time::Duration;

/// What a model is answered.
#[derive(Debug, Clone, PartialEq)]
pub enum Reply {
    /// A builtin's answer.
    Done {
        /// JSON, whole in itself.
        text: String,
        /// The tools it made active, for wires that can carry references.
        references: Vec<WireName>,
    },
    /// No; the text says what to do next.
    Refused {
        /// Why, for programs.
        refusal: Refusal,
        /// Why, for a model.
        text: String,
    },
    /// A person is asked. The adapter at the asker's side asks, or waits, or says `pending`.
    Waiting(Box<Question>),
    /// A tool ran, or could not be reached.
    Ran(Ran),
}

impl Reply {
    fn refused(refusal: Refusal, listing: Listing) -> Self {
        Self::Refused { text: text::refusal(&refusal, listing), refusal }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SearchArguments {
    query: String,
    limit: Option<usize>,
    server: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct IdsArguments {
    tools: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct IdArguments {
    id: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CallArguments {
    id: String,
    #[serde(default)]
    arguments: Map<String, Value>,
}

/// The builtins' operations.
pub(crate) struct Builtins {
    pub(crate) views: Arc<Views>,
    pub(crate) journal: Arc<Journal>,
    pub(crate) search: Arc<Search>,
    pub(crate) asking: Asking,
    pub(crate) calls: Arc<Calls>,
    pub(crate) revocation: Arc<Revocation>,
    /// What this host offers; search and activate together or neither.
    pub(crate) offered: Vec<Builtin>,
}

impl Builtins {
    /// Answers a call by the name a model used, a builtin's or a tool's.
    pub(crate) async fn call(
        &self,
        cell: &Arc<Cell>,
        name: &str,
        arguments: Map<String, Value>,
        terms: &Terms,
        progress: &Progress,
    ) -> Reply {
        let listing = terms.listing;
        let Some(builtin) = Builtin::named(name) else {
            return self.run(cell, Target::Wire(name, listing), arguments, listing, progress).await;
        };
        if !self.offered.contains(&builtin) {
            return self.refuse(cell, Refusal::Unavailable, name, listing);
        }
        let arguments = Value::Object(arguments);
        let done = match builtin {
            Builtin::SearchTools => self.search(cell, arguments).await,
            Builtin::ActivateTools => self.activate(cell, arguments, terms).await,
            Builtin::CallTool => match parse::<CallArguments>(arguments) {
                Ok(call) if Builtin::named(&call.id).is_some() || call.id.starts_with("builtin:") => Err(Refusal::Builtin(echo(&call.id))),
                Ok(call) => return self.run(cell, Target::Id(&call.id), call.arguments, listing, progress).await,
                Err(refusal) => Err(refusal),
            },
            Builtin::DeactivateTools => self.deactivate(cell, arguments).await,
            Builtin::ToolDetails => self.details(cell, arguments),
        };
        done.unwrap_or_else(|refusal| self.refuse(cell, refusal, name, listing))
    }

    /// Waits until a question is answered, at most so long; then it is still waiting.
    pub(crate) async fn wait(&self, cell: &Arc<Cell>, question: &Question, at_most: Duration, listing: Listing) -> Reply {
        let asked = self.asking.wait(cell, question.id, at_most).await;
        let ids: Vec<_> = question.what.iter().map(|asked| asked.bound.id.to_string()).collect();
        self.asked(&ids, asked, listing).unwrap_or_else(|refusal| Reply::refused(refusal, listing))
    }

    /// A no on record, in words that fit the listing.
    pub(crate) fn refuse(&self, cell: &Cell, refusal: Refusal, about: &str, listing: Listing) -> Reply {
        self.journal.refused(cell.stream(), &refusal, about);
        Reply::refused(refusal, listing)
    }

    async fn run(
        &self,
        cell: &Arc<Cell>,
        target: Target<'_>,
        arguments: Map<String, Value>,
        listing: Listing,
        progress: &Progress,
    ) -> Reply {
        let ran = self.calls.call(cell, target, arguments, progress).await;
        ran.map_or_else(|refusal| Reply::refused(refusal, listing), Reply::Ran)
    }

    async fn search(&self, cell: &Cell, arguments: Value) -> Result<Reply, Refusal> {
        let arguments: SearchArguments = parse(arguments)?;
        let query = arguments.query.trim();
        if query.is_empty() || query.len() > QUERY_BYTES {
            return Err(Refusal::Arguments(format!("`query` takes 1 to {QUERY_BYTES} bytes")));
        }
        let limit = arguments.limit.unwrap_or(HITS_DEFAULT);
        if !(1..=HITS_MAX).contains(&limit) {
            return Err(Refusal::Arguments(format!("`limit` takes 1 to {HITS_MAX}")));
        }
        let frame = self.views.frame(cell);
        let visible = self.views.visibility(&frame);
        let server = arguments.server.map(|asked| servers::named(&frame.catalog, &visible, &asked)).transpose()?;
        let page = self.search.find(&frame.catalog, &visible, query, limit, server.as_ref()).await;
        let page = page.map_err(|error| {
            tracing::error!(%error, "a search could not be run");
            Refusal::Unavailable
        })?;
        self.journal.searched(cell.stream(), page.hits.len());
        let all = if page.hits.is_empty() { servers::visible(&frame.catalog, &visible) } else { Vec::new() };
        let meant = if server.is_none() { servers::meant(&all, query) } else { Vec::new() };
        let down = if page.hits.is_empty() && server.is_none() { servers::down(self.calls.absent(), &frame, query) } else { Vec::new() };
        Ok(done(&found(page, &meant, &down, &frame.state), Vec::new()))
    }

    async fn activate(&self, cell: &Arc<Cell>, arguments: Value, terms: &Terms) -> Result<Reply, Refusal> {
        let arguments: IdsArguments = parse(arguments)?;
        let asked = self.asking.request(cell, &arguments.tools, &terms.covers).await;
        self.asked(&arguments.tools, asked, terms.listing)
    }

    fn asked(&self, ids: &[String], asked: Asked, listing: Listing) -> Result<Reply, Refusal> {
        match asked {
            Asked::Waiting(question) => Ok(Reply::Waiting(question)),
            Asked::Refused(refusal) => Err(refusal),
            Asked::Active { set, added } => {
                let tools = tools(&self.views.catalog.current(), ids);
                let references = tools.iter().map(|tool| tool.descriptor.wire.clone()).collect();
                Ok(done(&activated(&tools, set, added, listing), references))
            }
        }
    }

    async fn deactivate(&self, cell: &Cell, arguments: Value) -> Result<Reply, Refusal> {
        let arguments: IdsArguments = parse(arguments)?;
        if arguments.tools.is_empty() || arguments.tools.len() > IDS_PER_REQUEST {
            return Err(Refusal::Arguments(format!("`tools` takes 1 to {IDS_PER_REQUEST} exact ids")));
        }
        let state = cell.state();
        let held = state.active.iter().map(|held| held.grant.bound.id.clone());
        let ids: Vec<_> = held.filter(|id| arguments.tools.iter().any(|named| named == id.as_str())).collect();
        let removed = if ids.is_empty() { Vec::new() } else { self.revocation.deactivate(cell, ids).await.removed };
        Ok(done(&json!({"deactivated": removed, "set": cell.state().set}), Vec::new()))
    }

    fn details(&self, cell: &Cell, arguments: Value) -> Result<Reply, Refusal> {
        let arguments: IdArguments = parse(arguments)?;
        let frame = self.views.frame(cell);
        let found = frame.catalog.get(&arguments.id).filter(|tool| frame.shows(tool));
        let tool = found.ok_or_else(|| Refusal::UnknownIds(vec![echo(&arguments.id)]))?;
        let active = crate::gate::decide(&frame, Target::Id(&arguments.id), 0).is_ok();
        let mut answer = json!(details(tool, active));
        if active && let Some(members) = answer.as_object_mut() {
            let face = face(tool);
            members.remove("parameters");
            members.insert("description".to_owned(), face.description.into());
            members.insert("input_schema".to_owned(), face.input);
        }
        Ok(done(&answer, Vec::new()))
    }
}

/// The tools of exact ids, once each.
fn tools(catalog: &Snapshot, ids: &[String]) -> Vec<Arc<Tool>> {
    let mut ids: Vec<_> = ids.iter().collect();
    ids.sort();
    ids.dedup();
    ids.into_iter().filter_map(|id| catalog.get(id).cloned()).collect()
}

fn parse<T: DeserializeOwned>(arguments: Value) -> Result<T, Refusal> {
    serde_json::from_value(arguments).map_err(|error| Refusal::Arguments(echo(&error.to_string())))
}

fn done(answer: &impl Serialize, references: Vec<WireName>) -> Reply {
    Reply::Done { text: serde_json::to_string(answer).unwrap_or_default(), references }
}
