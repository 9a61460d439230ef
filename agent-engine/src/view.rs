//! One round's frame: catalog, policy, host, principal and session, each loaded once and used throughout.
//!
//! Is: the only maker of `Visibility` and `SessionView`. Is not: a decision, but for the one of what is there to be
//! found. Clauses: CAT-6, CAT-8, POL-2, POL-3, SRCH-4.

use crate::catalog::{Catalog, Snapshot, Tool, mentioned};
use crate::ledger::Folded;
use crate::policy::{Policy, Ruling, Verdict};
use crate::session::Cell;
use crate::standing::Standing;
use agent_core::digest::Digest;
use agent_core::id::ToolId;
use agent_core::refusal::Refusal;
use agent_core::session::{Asker, PrincipalId, ProfileId, SessionView, Visibility};
use agent_core::state::{HostState, PrincipalState, SessionState};
use agent_core::time::{Clock, Instant};
use agent_core::transition::{Stream, Version};
use arc_swap::ArcSwap;
use parking_lot::Mutex;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A policy in force, with the digest that records name it by.
#[derive(Debug)]
pub struct InForce {
    /// The policy.
    pub policy: Policy,
    /// Its digest.
    pub digest: Digest,
}

impl InForce {
    pub(crate) fn new(policy: Policy) -> Arc<Self> {
        Arc::new(Self { digest: policy.digest(), policy })
    }
}

/// What one round sees.
pub struct Frame {
    /// The catalog.
    pub catalog: Arc<Snapshot>,
    /// The policy.
    pub policy: Arc<InForce>,
    /// The host's state.
    pub host: Arc<HostState>,
    /// The principal's state.
    pub principal: Arc<PrincipalState>,
    /// Who asks.
    pub asker: Asker,
    /// The session's state.
    pub state: Arc<SessionState>,
    /// When.
    pub now: Instant,
    /// Whether something that a call or a widening rests on is not recorded or in doubt.
    pub closed: bool,
    host_at: Version,
    principal_at: Version,
    session_at: Version,
}

impl Frame {
    /// The session's version that a plan is made against.
    pub(crate) const fn at(&self) -> Version {
        self.session_at
    }

    pub(crate) const fn host_at(&self) -> Version {
        self.host_at
    }

    pub(crate) const fn principal_at(&self) -> Version {
        self.principal_at
    }

    /// What must still hold of the host and the principal when a plan is committed.
    pub(crate) fn seen(&self) -> Vec<(Stream, Version)> {
        vec![(Stream::Host, self.host_at), (Stream::Principal(self.asker.principal.clone()), self.principal_at)]
    }

    /// Whether anything can be widened or called in this session at all.
    ///
    /// # Errors
    /// What stands against all of it.
    pub(crate) fn open(&self) -> Result<(), Refusal> {
        match () {
            () if !self.runs() => Err(Refusal::Stopped),
            () if !self.lasts() => Err(Refusal::SessionEnded),
            () if !self.recorded() => Err(Refusal::SessionClosed),
            () => Ok(()),
        }
    }

    /// Whether nobody stopped everything.
    pub(crate) fn runs(&self) -> bool {
        self.host.stopped.is_none()
    }

    /// Whether the session has not ended.
    pub(crate) fn lasts(&self) -> bool {
        !self.state.ended
    }

    /// Whether all that a call or a widening rests on is on record.
    pub(crate) const fn recorded(&self) -> bool {
        !self.closed
    }

    /// Whether a tool's definition is another than the one that was accepted.
    #[must_use]
    pub fn drifted(&self, tool: &Tool) -> bool {
        self.host.pins.get(&tool.descriptor.id).is_some_and(|pin| *pin != tool.descriptor.digest)
    }

    /// What the policy in force says of a tool.
    #[must_use]
    pub fn verdict(&self, tool: &Tool) -> Verdict {
        self.ruling(tool).verdict
    }

    /// The same, with the rule that says it.
    pub(crate) fn ruling(&self, tool: &Tool) -> Ruling {
        let known = self.host.accepted(&tool.descriptor.id, &tool.descriptor.digest);
        self.policy.policy.decide(&self.asker, &tool.descriptor, known)
    }

    /// Whether the policy in force asks a person for a tool, and takes a strong answer alone.
    pub(crate) fn demands_strength(&self, tool: &Tool) -> bool {
        let ruling = self.ruling(tool);
        ruling.verdict == Verdict::Prompt && ruling.strong
    }

    /// The session as request and authority are given it.
    #[must_use]
    pub fn session(&self) -> SessionView {
        SessionView { asker: self.asker.clone(), state: self.state.clone() }
    }

    /// Tools of other servers that the words of a tool name, of those that are there to be found by this asker.
    pub(crate) fn mentioned(&self, id: &ToolId) -> Vec<ToolId> {
        let tool = self.catalog.get(id.as_str());
        tool.map(|tool| mentioned(&self.catalog, tool, |other| self.shows(other))).unwrap_or_default()
    }

    /// Whether a tool is there to be found by this asker.
    #[must_use]
    pub fn shows(&self, tool: &Tool) -> bool {
        self.policy.policy.within(&self.asker, &tool.descriptor.id) && !self.drifted(tool) && self.verdict(tool) != Verdict::Hide
    }
}

/// What a visibility depends on.
type Key = (u64, Digest, Arc<BTreeSet<ToolId>>, PrincipalId, Option<ProfileId>);

/// What drifted under a generation of the catalog and a version of the host.
type Drift = ((u64, Version), Arc<BTreeSet<ToolId>>);

/// Visibilities kept at one time; past it all are made anew.
const KEPT: usize = 64;

/// The maker of frames.
pub struct Views {
    pub(crate) catalog: Arc<Catalog>,
    pub(crate) policy: ArcSwap<InForce>,
    pub(crate) standing: Standing,
    pub(crate) clock: Arc<dyn Clock>,
    made: Mutex<BTreeMap<Key, Visibility>>,
    drift: Mutex<Option<Drift>>,
}

impl Views {
    pub(crate) fn new(standing: Standing, policy: Policy, clock: Arc<dyn Clock>) -> Self {
        Self {
            catalog: Arc::default(),
            policy: ArcSwap::new(InForce::new(policy)),
            standing,
            clock,
            made: Mutex::default(),
            drift: Mutex::default(),
        }
    }

    /// A session's frame now.
    #[must_use]
    pub fn frame(&self, cell: &Cell) -> Frame {
        cell.locked(|folded, _| self.within(cell, folded))
    }

    /// The frame from inside of the session's lock: everything else is loaded after it was taken (POL-2, REV-4).
    pub(crate) fn within(&self, cell: &Cell, folded: &Folded<SessionState>) -> Frame {
        let asker = cell.asker().clone();
        let host = self.standing.host();
        let principal = self.standing.principal(&asker.principal);
        Frame {
            catalog: self.catalog.current(),
            policy: self.policy.load_full(),
            closed: folded.closed() || host.closed || principal.closed,
            host: host.state,
            host_at: host.version,
            principal: principal.state,
            principal_at: principal.version,
            asker,
            state: folded.state().clone(),
            session_at: folded.version(),
            now: self.clock.now(),
        }
    }

    /// Whether anything can be given outside of a session: nobody stopped everything, and all that it rests on is on record.
    pub(crate) fn open_to(&self, asker: &Asker) -> bool {
        let (host, principal) = (self.standing.host(), self.standing.principal(&asker.principal));
        host.state.stopped.is_none() && !host.closed && !principal.closed
    }

    /// All that the asker can find, as search is given it.
    #[must_use]
    pub fn visibility(&self, frame: &Frame) -> Visibility {
        let asker = &frame.asker;
        let drifted = self.drifted(frame);
        let key = (frame.catalog.generation(), frame.policy.digest, drifted, asker.principal.clone(), asker.profile.clone());
        if let Some(made) = self.made.lock().get(&key) {
            return made.clone();
        }
        let hidden: BTreeSet<_> =
            frame.catalog.tools().iter().filter(|tool| !frame.shows(tool)).map(|tool| tool.descriptor.id.clone()).collect();
        let visible = Visibility { digest: frame.catalog.visible(&hidden), hidden: Arc::new(hidden) };
        let mut made = self.made.lock();
        if made.len() >= KEPT {
            made.clear();
        }
        made.insert(key, visible.clone());
        visible
    }

    /// What drifted, of all that was ever accepted: the one thing of the host's state that a visibility depends on.
    fn drifted(&self, frame: &Frame) -> Arc<BTreeSet<ToolId>> {
        let at = (frame.catalog.generation(), frame.host_at);
        if let Some((_, drifted)) = self.drift.lock().as_ref().filter(|(seen, _)| *seen == at) {
            return drifted.clone();
        }
        let moved = |id: &&ToolId| frame.catalog.get(id.as_str()).is_some_and(|tool| frame.drifted(tool));
        let drifted = Arc::new(frame.host.pins.keys().filter(moved).cloned().collect::<BTreeSet<_>>());
        *self.drift.lock() = Some((at, drifted.clone()));
        drifted
    }
}
