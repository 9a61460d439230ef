//! State is the fold of its transitions: what each stream's records add up to.
//!
//! Is: three pure folds, total over every transition; what doesn't concern a stream changes nothing. Is not: the lock or
//! the order in which records arrive (engine `ledger`). Clauses: STO-1, ACT-2, ACT-4, ACT-6, AUTH-6, POL-4, AUTH-8, SES-4 (tokens).

mod inquiries;
mod principal;

pub use inquiries::Inquiries;
pub use principal::{PrincipalState, StandingApproval};

use crate::digest::Digest;
use crate::grant::{Gone, GrantRecord, Suspended};
use crate::id::ToolId;
use crate::limits::{FORMER, SETTLED};
use crate::outcome::End;
use crate::request::Question;
use crate::session::{Asker, Bound, CallId, RequestId};
use crate::time::Instant;
use crate::token::TokenRecord;
use crate::transition::{Stream, Transition, Withdrawal};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A state that transitions fold onto.
pub trait Fold: Clone + Default + Send + Sync + 'static {
    /// Folds one transition.
    fn apply(&mut self, at: Instant, what: &Transition);
}

/// The host's stream.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostState {
    /// Who stopped everything, while it is stopped.
    pub stopped: Option<String>,
    /// Since when, where its record says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped_since: Option<Instant>,
    /// The definition last accepted of each tool.
    pub pins: BTreeMap<ToolId, Digest>,
    /// The policy in force.
    pub policy: Option<Digest>,
    /// The bearer tokens, each by the digest of its secret. One that came to its end stays until the next change of any.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tokens: BTreeMap<Digest, Arc<TokenRecord>>,
}

impl HostState {
    /// Whether this very definition is the one last accepted.
    #[must_use]
    pub fn accepted(&self, id: &ToolId, digest: &Digest) -> bool {
        self.pins.get(id) == Some(digest)
    }
}

impl Fold for HostState {
    fn apply(&mut self, at: Instant, what: &Transition) {
        match what {
            Transition::Stopped { by, since } => (self.stopped, self.stopped_since) = (Some(by.clone()), *since),
            Transition::Resumed { .. } => (self.stopped, self.stopped_since) = (None, None),
            Transition::Pinned { bounds } => {
                self.pins.extend(bounds.iter().map(|bound| (bound.id.clone(), bound.digest)));
            }
            Transition::PolicySet { policy } => self.policy = Some(*policy),
            Transition::TokenMade { token, .. } => {
                self.tokens.retain(|_, held| !held.over(at));
                self.tokens.insert(token.digest, token.clone());
            }
            Transition::TokenRevoked { id, .. } => self.tokens.retain(|_, held| held.id != *id && !held.over(at)),
            _ => {}
        }
    }
}

/// One tool a session holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Held {
    /// Its grant.
    pub grant: Arc<GrantRecord>,
    /// Calls started under it.
    pub used: u32,
    /// Why it is not to be used for now.
    pub suspended: Option<Suspended>,
}

impl Held {
    /// Whether it can be used as far as the session alone knows: not suspended, and calls are left.
    #[must_use]
    pub fn usable(&self) -> bool {
        self.suspended.is_none() && self.grant.max_calls.is_none_or(|most| self.used < most)
    }
}

/// How a request ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Settlement {
    /// Granted; the set version of exactly this batch, and how many it added.
    Active(u64, usize),
    /// A person said no to these.
    Denied(Vec<ToolId>),
    /// Ended without an answer.
    Withdrawn(Withdrawal),
}

/// A call recorded as starting and not yet as ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Started {
    /// The exact definition.
    pub bound: Bound,
    /// The grant it counts against.
    pub request: RequestId,
}

/// A session's stream.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionState {
    /// For whom it was opened, once it was.
    pub asker: Option<Asker>,
    /// What is kept of its key.
    pub key: Option<Digest>,
    /// The credential that it was opened under, where that was over HTTP.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub credential: Option<Digest>,
    /// Whether it ended.
    pub ended: bool,
    /// The set's version: one advance for each batch that changed what is held.
    pub set: u64,
    /// What is held, in activation order.
    pub active: Vec<Held>,
    /// The one request that waits for a person.
    pub waiting: Option<Box<Question>>,
    /// How the last requests ended.
    pub settled: Vec<(RequestId, Settlement)>,
    /// What a person denied in this session.
    pub denied: Vec<Bound>,
    /// What was held once, and how it went.
    pub former: BTreeMap<ToolId, Gone>,
    /// Calls that started and did not end.
    pub running: BTreeMap<CallId, Started>,
    /// The questions that are about no permission.
    #[serde(default, skip_serializing_if = "Inquiries::is_empty")]
    pub inquiries: Inquiries,
    /// When the last record was made.
    pub last: Option<Instant>,
}

impl SessionState {
    /// What is held of a tool.
    #[must_use]
    pub fn held(&self, id: &ToolId) -> Option<&Held> {
        self.active.iter().find(|held| held.grant.bound.id == *id)
    }

    /// How a request ended, if it is among the last.
    #[must_use]
    pub fn settlement(&self, request: RequestId) -> Option<&Settlement> {
        self.settled.iter().rev().find(|(id, _)| *id == request).map(|(_, settlement)| settlement)
    }

    /// The tools of a kind of grant, for a cap or a display.
    #[must_use]
    pub fn count(&self, preset: bool) -> usize {
        self.active.iter().filter(|held| held.grant.preset == preset).count()
    }

    fn lose(&mut self, ids: &[ToolId], gone: Gone) {
        let before = self.active.len();
        let mut lost = Vec::new();
        self.active.retain(|held| {
            let goes = ids.contains(&held.grant.bound.id);
            if goes {
                lost.push(held.grant.bound.id.clone());
            }
            !goes
        });
        self.former.extend(lost.into_iter().map(|id| (id, gone)));
        while self.former.len() > FORMER {
            self.former.pop_first();
        }
        self.set += u64::from(self.active.len() != before);
    }

    fn waits(&self, request: RequestId) -> bool {
        self.waiting.as_ref().is_some_and(|question| question.id == request)
    }

    /// Remembers how a request ended, and that it no longer waits if it did.
    fn settle(&mut self, request: RequestId, settlement: Settlement) {
        if self.waits(request) {
            self.waiting = None;
        }
        self.settled.push((request, settlement));
        let surplus = self.settled.len().saturating_sub(SETTLED);
        self.settled.drain(..surplus);
    }

    fn grant(&mut self, request: RequestId, grants: &[GrantRecord]) {
        let ids: Vec<_> = grants.iter().map(|grant| &grant.bound.id).collect();
        self.active.retain(|held| !ids.contains(&&held.grant.bound.id));
        for id in ids {
            self.former.remove(id);
        }
        self.active.extend(grants.iter().map(|grant| Held { grant: Arc::new(grant.clone()), used: 0, suspended: None }));
        self.set += u64::from(!grants.is_empty());
        self.settle(request, Settlement::Active(self.set, grants.len()));
    }

    fn suspend(&mut self, ids: &[(ToolId, Option<Suspended>)]) {
        let mut changed = false;
        for held in &mut self.active {
            if let Some((_, why)) = ids.iter().find(|(id, _)| *id == held.grant.bound.id) {
                changed |= held.suspended != *why;
                held.suspended = *why;
            }
        }
        self.set += u64::from(changed);
    }

    fn count_call(&mut self, started: &Started, by: i32) {
        let held = self.active.iter_mut().find(|held| held.grant.bound.id == started.bound.id && held.grant.request == started.request);
        if let Some(held) = held {
            held.used = held.used.saturating_add_signed(by);
        }
    }
}

impl Fold for SessionState {
    fn apply(&mut self, at: Instant, what: &Transition) {
        self.last = Some(at);
        self.inquiries.apply(what, self.ended);
        match what {
            Transition::Opened { asker, key, credential } => {
                self.asker = Some(asker.clone());
                self.key = *key;
                self.credential = *credential;
            }
            Transition::Closed { .. } => {
                let ids: Vec<_> = self.active.iter().map(|held| held.grant.bound.id.clone()).collect();
                self.lose(&ids, Gone::Ended);
                if let Some(question) = self.waiting.take() {
                    self.settle(question.id, Settlement::Withdrawn(Withdrawal::Dismissed));
                }
                self.ended = true;
            }
            Transition::Requested { question } => self.waiting = Some(question.clone()),
            Transition::Withdrawn { request, why } if self.waits(*request) => self.settle(*request, Settlement::Withdrawn(*why)),
            Transition::Answered { request, denied, .. } => {
                self.denied.extend(denied.iter().filter(|bound| !self.denied.contains(bound)).cloned().collect::<Vec<_>>());
                if self.waits(*request) {
                    let ids = denied.iter().map(|bound| bound.id.clone()).collect();
                    self.settle(*request, Settlement::Denied(ids));
                }
            }
            Transition::DenialsCleared { tool, .. } => self.denied.retain(|bound| tool.as_ref().is_some_and(|tool| *tool != bound.id)),
            Transition::Granted { request, grants } if !self.ended => self.grant(*request, grants),
            Transition::Deactivated { ids } => self.lose(ids, Gone::Deactivated),
            Transition::Revoked { ids, .. } => self.lose(ids, Gone::Revoked),
            Transition::Expired { ids } => self.lose(ids, Gone::Expired),
            Transition::Replaced { ids } => self.lose(ids, Gone::Replaced),
            Transition::Suspended { ids } => {
                self.suspend(&ids.iter().map(|(id, why)| (id.clone(), Some(*why))).collect::<Vec<_>>());
            }
            Transition::Unsuspended { ids } => self.suspend(&ids.iter().map(|id| (id.clone(), None)).collect::<Vec<_>>()),
            Transition::Starting { call, bound, request, .. } => {
                let started = Started { bound: bound.clone(), request: *request };
                if self.running.insert(*call, started.clone()).is_none() {
                    self.count_call(&started, 1);
                }
            }
            Transition::Ended { call, end } => {
                if let Some(started) = self.running.remove(call)
                    && *end == End::NotStarted
                {
                    self.count_call(&started, -1);
                }
            }
            _ => {}
        }
    }
}

/// Any stream's state, as a ledger keeps it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "stream", rename_all = "kebab-case")]
pub enum State {
    /// The host's.
    Host(HostState),
    /// A principal's.
    Principal(PrincipalState),
    /// A session's.
    Session(Box<SessionState>),
}

impl State {
    /// The state of a stream without records.
    #[must_use]
    pub fn empty(stream: &Stream) -> Self {
        match stream {
            Stream::Host => Self::Host(HostState::default()),
            Stream::Principal(_) => Self::Principal(PrincipalState::default()),
            Stream::Session(_) => Self::Session(Box::default()),
        }
    }

    /// Folds one transition.
    pub fn apply(&mut self, at: Instant, what: &Transition) {
        match self {
            Self::Host(state) => state.apply(at, what),
            Self::Principal(state) => state.apply(at, what),
            Self::Session(state) => state.apply(at, what),
        }
    }
}

/// A state that can be taken out of what a ledger keeps.
pub trait Kept: Fold {
    /// The state, if it is of this kind.
    fn take(state: State) -> Option<Self>;
}

impl Kept for HostState {
    fn take(state: State) -> Option<Self> {
        if let State::Host(state) = state { Some(state) } else { None }
    }
}

impl Kept for PrincipalState {
    fn take(state: State) -> Option<Self> {
        if let State::Principal(state) = state { Some(state) } else { None }
    }
}

impl Kept for SessionState {
    fn take(state: State) -> Option<Self> {
        if let State::Session(state) = state { Some(*state) } else { None }
    }
}

#[cfg(test)]
mod tests;
