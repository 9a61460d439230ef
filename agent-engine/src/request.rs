//! From what a model wrote to exact tools: all of them known, or nothing.
//!
//! Is not: a decision about them. Clauses: ID-1, ACT-1, ACT-2. Invariant: I-5.

use crate::catalog::{Snapshot, Tool};
use agent_core::limits::IDS_PER_REQUEST;
use agent_core::refusal::Refusal;
use agent_core::safety::echo;
use agent_core::session::{Asker, Bound, SessionView};
use std::sync::Arc;

/// Exact tools, all findable by the asker, each with the digest of its definition.
#[derive(Debug)]
pub struct Resolved {
    asker: Asker,
    new: Vec<Arc<Tool>>,
    all: Vec<Bound>,
}

impl Resolved {
    /// Who asked.
    #[must_use]
    pub const fn asker(&self) -> &Asker {
        &self.asker
    }

    /// Those not usable yet, in the order asked for.
    #[must_use]
    pub fn new_tools(&self) -> &[Arc<Tool>] {
        &self.new
    }

    /// All that were asked for, once each, by id.
    #[must_use]
    pub fn all(&self) -> &[Bound] {
        &self.all
    }
}

/// Resolves ids byte for byte against one snapshot and what the asker can find in it, which `shows` tells.
///
/// # Errors
/// `arguments` for none or more than 16 ids; `unknown-ids` names every id that is not there to be found.
// INVARIANT: I-5
pub fn resolve(snapshot: &Snapshot, view: &SessionView, shows: impl Fn(&Tool) -> bool, ids: &[String]) -> Result<Resolved, Refusal> {
    if ids.is_empty() || ids.len() > IDS_PER_REQUEST {
        return Err(Refusal::Arguments(format!("`tools` takes 1 to {IDS_PER_REQUEST} exact ids")));
    }
    let mut found: Vec<Arc<Tool>> = Vec::new();
    let mut unknown = Vec::new();
    for id in ids {
        match snapshot.get(id).filter(|tool| shows(tool)) {
            Some(tool) if found.iter().any(|other| other.descriptor.id == tool.descriptor.id) => {}
            Some(tool) => found.push(tool.clone()),
            None => unknown.push(echo(id)),
        }
    }
    if !unknown.is_empty() {
        return Err(Refusal::UnknownIds(unknown));
    }
    let mut all: Vec<_> = found.iter().map(|tool| tool.bound()).collect();
    all.sort();
    found.retain(|tool| !active(view, &tool.bound()));
    Ok(Resolved { asker: view.asker.clone(), new: found, all })
}

fn active(view: &SessionView, bound: &Bound) -> bool {
    view.state.held(&bound.id).is_some_and(|held| held.usable() && held.grant.bound == *bound)
}
