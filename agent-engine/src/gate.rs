//! The execution gate: whether one call may run, asked twice by the same function.
//!
//! Is: `decide`, pure; `admit`, which checks arguments and guards; `permit`, which decides again under the session's lock
//! and lists the call as running; `explain`, which says why to an operator. Is not: a list filter; what is listed is decided here too, never the other way round.
//! Can't see search. Clauses: ACT-6, GATE-1, GATE-2, GATE-3, GATE-5, GATE-6, POL-2, POL-3. Invariants: I-3, I-5, I-7.

mod condition;
mod why;

pub use condition::Condition;
pub use why::{Explanation, Facts};

pub(crate) use why::explain;

use crate::catalog::Tool;
use crate::schema::Schemas;
use crate::session::Cell;
use crate::view::{Frame, Views};
use agent_core::definition::Definition;
use agent_core::digest::{Digest, Domain};
use agent_core::grant::Suspended;
use agent_core::id::ToolId;
use agent_core::limits::{NAMES_IN_REFUSAL, RUNNING};
use agent_core::refusal::{Absent, Refusal};
use agent_core::session::{Asker, Bound, CallId, Listing, RequestId};
use agent_core::state::Held;
use condition::Case;
use serde_json::{Map, Value};
use std::sync::Arc;
use tokio::sync::watch;

/// What a call names.
#[derive(Debug, Clone, Copy)]
pub enum Target<'a> {
    /// The name that the model was shown, and what its list holds.
    Wire(&'a str, Listing),
    /// The exact id, through `call_tool`.
    Id(&'a str),
}

impl<'a> Target<'a> {
    /// The name as written.
    #[must_use]
    pub const fn text(&self) -> &'a str {
        match self {
            Self::Wire(text, _) | Self::Id(text) => text,
        }
    }

    /// The list that it has to be on, where it is a name.
    const fn listing(&self) -> Option<Listing> {
        match self {
            Self::Wire(_, listing) => Some(*listing),
            Self::Id(_) => None,
        }
    }
}

/// A host's own check round every call, in code. Asked once, at admission.
pub trait Guard: Send + Sync {
    /// Whether the call may go on.
    ///
    /// # Errors
    /// The reason, as the model is told it.
    fn check(&self, asker: &Asker, tool: &Bound, arguments: &Map<String, Value>) -> Result<(), String>;
}

/// A call that may run by everything known before anything is reserved for it. The gate asks again before it does.
#[derive(Debug)]
pub struct Admission {
    tool: Arc<Tool>,
    request: RequestId,
    arguments: Map<String, Value>,
    digest: Digest,
}

impl Admission {
    /// The exact definition.
    #[must_use]
    pub fn bound(&self) -> Bound {
        self.tool.bound()
    }

    /// What its source says it is.
    #[must_use]
    pub fn definition(&self) -> &Definition {
        &self.tool.definition
    }

    /// Whether the operator declared a call of it repeatable.
    #[must_use]
    pub fn repeatable(&self) -> bool {
        self.tool.descriptor.safety.repeatable
    }

    pub(crate) const fn request(&self) -> RequestId {
        self.request
    }

    pub(crate) const fn digest(&self) -> Digest {
        self.digest
    }
}

/// Leave for one message. Made here alone, consumed by `call`.
#[derive(Debug)]
pub struct Permit {
    call: CallId,
    id: ToolId,
    arguments: Map<String, Value>,
    cancel: watch::Receiver<bool>,
}

impl Permit {
    pub(crate) fn into_parts(self) -> (CallId, ToolId, Map<String, Value>, watch::Receiver<bool>) {
        (self.call, self.id, self.arguments, self.cancel)
    }
}

/// Decides one call by one frame. `own` counts a start of this very call that is recorded already.
///
/// # Errors
/// The first condition of GATE-1 that doesn't hold.
// INVARIANT: I-5
pub(crate) fn decide<'a>(frame: &'a Frame, target: Target<'_>, own: u32) -> Result<(Arc<Tool>, &'a Held), Refusal> {
    let tool = match target {
        Target::Wire(name, _) => frame.catalog.by_wire(name),
        Target::Id(id) => frame.catalog.get(id),
    };
    let id = match (tool, target) {
        (Some(tool), _) => Some(tool.descriptor.id.clone()),
        (None, Target::Id(id)) => ToolId::parse(id).ok(),
        (None, Target::Wire(name, _)) => once_held(frame, name),
    };
    let listing = target.listing();
    let Some(id) = id else {
        // A name of nothing is told what any other would be.
        if !listing.is_none_or(Listing::names) {
            return Err(Refusal::NotListed);
        }
        frame.open()?;
        return Err(not_active(frame, None));
    };
    let held = frame.state.held(&id);
    if let Some(refusal) = (Case { frame, id: &id, listing, tool, held, own }).refused() {
        return Err(refusal);
    }
    // Both are conditions of their own.
    tool.cloned().zip(held).ok_or_else(|| not_active(frame, tool))
}

/// Why what is held is not to be used under this frame, whatever was recorded.
pub(crate) fn suspension(frame: &Frame, held: &Held, tool: Option<&Arc<Tool>>) -> Option<Suspended> {
    Case::held(frame, held, tool).suspended()
}

/// A tool by a wire name that the catalog no longer knows, if this session holds or held it.
fn once_held(frame: &Frame, name: &str) -> Option<ToolId> {
    let held = frame.state.active.iter().map(|held| &held.grant.bound.id);
    held.chain(frame.state.former.keys()).find(|id| id.wire().as_str() == name).cloned()
}

/// The tools that may be called now, in activation order: what a list that names them shows is what the gate admits (ACT-6).
#[must_use]
pub fn usable(frame: &Frame) -> Vec<(Arc<Tool>, &Held)> {
    if frame.open().is_err() {
        return Vec::new();
    }
    let usable = |held: &Held| {
        let tool = frame.catalog.get(held.grant.bound.id.as_str());
        tool.filter(|_| Case::held(frame, held, tool).refused().is_none()).cloned()
    };
    frame.state.active.iter().filter_map(|held| Some((usable(held)?, held))).collect()
}

/// The same answer whether the tool is unknown, hidden or never activated; the record alone tells them apart (GATE-2).
fn not_active(frame: &Frame, tool: Option<&Arc<Tool>>) -> Refusal {
    let really = match tool {
        None => Absent::Unknown,
        Some(tool) if !frame.shows(tool) => Absent::Hidden,
        Some(_) => Absent::Inactive,
    };
    let named = usable(frame).into_iter().map(|(tool, _)| (tool.descriptor.id.clone(), tool.descriptor.wire.clone()));
    let callable = named.take(NAMES_IN_REFUSAL).collect();
    Refusal::NotActive { callable, really }
}

/// Admits a call: everything that can be known with nothing reserved, started or sent.
///
/// # Errors
/// Why it may not run.
pub(crate) fn admit(
    views: &Views,
    schemas: &Schemas,
    guards: &[Arc<dyn Guard>],
    cell: &Cell,
    target: Target<'_>,
    arguments: Map<String, Value>,
) -> Result<Admission, Refusal> {
    let frame = views.frame(cell);
    let (tool, held) = decide(&frame, target, 0)?;
    schemas.check(&tool.definition, &arguments).map_err(Refusal::Schema)?;
    let bound = tool.bound();
    guards.iter().try_for_each(|guard| guard.check(&frame.asker, &bound, &arguments)).map_err(Refusal::Guard)?;
    let digest = Digest::of(Domain::Arguments, &serde_json::to_vec(&arguments).unwrap_or_default());
    Ok(Admission { request: held.grant.request, tool, arguments, digest })
}

/// Permits an admitted call to start: decides again under the session's lock, with everything loaded inside of it, and
/// lists the call as running in that same lock.
///
/// # Errors
/// What has changed since it was admitted, or a definition at the server other than the granted one.
// INVARIANT: I-7
pub(crate) fn permit(views: &Views, cell: &Cell, admission: &Admission, call: CallId, live: Option<Digest>) -> Result<Permit, Refusal> {
    cell.locked(|folded, running| {
        let frame = views.within(cell, folded);
        let id = &admission.tool.descriptor.id;
        // Its own start was counted against the grant that it was admitted by, and against no later one.
        let own = frame.state.held(id).is_some_and(|held| held.grant.request == admission.request);
        let (tool, held) = decide(&frame, Target::Id(id.as_str()), u32::from(own))?;
        let other = held.grant.request != admission.request || tool.descriptor.digest != admission.tool.descriptor.digest;
        if other || live.is_some_and(|live| live != tool.descriptor.digest) {
            return Err(Refusal::Suspended(id.clone(), Suspended::Drifted));
        }
        if running.len() >= RUNNING {
            return Err(Refusal::Busy);
        }
        let cancel = running.list(call, admission.bound());
        Ok(Permit { call, id: id.clone(), arguments: admission.arguments.clone(), cancel })
    })
}
