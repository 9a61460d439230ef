//! The rules that decide, each asked of the catalog, the policy, the pins and the clock as they are now.
//!
//! Is not: a change of anything. Clauses: POL-1, POL-2, POL-3, POL-4, CAT-8, AUTH-6, GATE-1, GATE-2, ACT-6, SRCH-4.

use super::ledger::Stream;
use super::op::{Decision, Id};
use super::seen::Face;
use super::world::{Grant, Session};
use super::{Model, call};
use agent_core::id::ToolId;
use agent_core::limits::ACTIVE_MAX;

impl Model {
    /// What the policy says of a tool to a session. The ceiling goes before every rule.
    pub(super) fn decision(&self, session: &Session, id: &Id) -> Decision {
        let beyond = session.profile && self.policy.ceiling.as_ref().is_some_and(|ceiling| !ceiling.contains(id));
        match self.policy.rules.get(id) {
            _ if beyond => Decision::Hide,
            Some(decision) => *decision,
            None => self.policy.default,
        }
    }

    /// How long the rule of a tool lets a grant of it last.
    pub(super) fn ttl(&self, id: &Id) -> Option<u64> {
        self.policy.ttl.get(id).copied().filter(|_| self.policy.rules.contains_key(id))
    }

    /// Whether the rule of a tool demands a strong answer.
    pub(super) fn strong(&self, id: &Id) -> bool {
        self.policy.strong.contains(id) && self.policy.rules.get(id) == Some(&Decision::Prompt)
    }

    /// Whether a person said always to what the tool is now, and it counts.
    pub(super) fn said_always(&self, session: &Session, id: &Id) -> bool {
        let given = self.world().standing.get(&session.principal).and_then(|given| given.get(id));
        given.is_some() && given == self.catalog.get(id) && !self.strong(id)
    }

    /// Whether the tool's definition is another than the accepted one.
    pub(super) fn drifted(&self, id: &Id) -> bool {
        match (self.catalog.get(id), self.world().host.pins.get(id)) {
            (Some(live), Some(pin)) => live != pin,
            _ => false,
        }
    }

    /// Whether the session can find the tool.
    pub(super) fn visible(&self, session: &Session, id: &Id) -> bool {
        self.catalog.contains_key(id) && !self.drifted(id) && self.decision(session, id) != Decision::Hide
    }

    /// Why a grant is not to be used now, by what is the case and not by what was recorded.
    pub(super) fn unfit(&self, session: &Session, grant: &Grant) -> Option<&'static str> {
        match self.catalog.get(&grant.id) {
            None => Some("away"),
            Some(live) if *live != grant.definition || self.drifted(&grant.id) => Some("drifted"),
            Some(_) => match self.decision(session, &grant.id) {
                Decision::Deny | Decision::Hide => Some("suspended-by-policy"),
                Decision::Auto | Decision::Prompt => {
                    (self.strong(&grant.id) && !self.proven(session, grant)).then_some("suspended-by-strength")
                }
            },
        }
    }

    /// Whether a grant counts where a strong answer is demanded: a person gave one for it, or the operator's list presets it.
    fn proven(&self, session: &Session, grant: &Grant) -> bool {
        grant.answered || (grant.preset && session.profile && self.policy.presets.contains(&grant.id))
    }

    /// Whether another definition was accepted in place of the granted one, and is there now.
    pub(super) fn replaced(&self, grant: &Grant) -> bool {
        let live = self.catalog.get(&grant.id);
        live.is_some_and(|live| *live != grant.definition) && live == self.world().host.pins.get(&grant.id)
    }

    /// Whether the grant's time is over.
    pub(super) fn over(&self, grant: &Grant) -> bool {
        grant.end.is_some_and(|end| self.now >= end)
    }

    /// Whether the session holds the tool as it is now, with calls left, and nothing is known against it.
    pub(super) fn active(&self, session: &Session, id: &Id) -> bool {
        let fits = |grant: &Grant| grant.suspended.is_none() && grant.has_calls() && self.catalog.get(id) == Some(&grant.definition);
        session.held(id).is_some_and(fits)
    }

    /// Whether a person's no to what the tool is now still holds: in this session for good, elsewhere for its time.
    pub(super) fn denied(&self, session: &Session, id: &Id) -> bool {
        let Some(live) = self.catalog.get(id) else { return false };
        let here = session.noes.iter().any(|(denied, definition)| denied == id && definition == live);
        let mut noes = self.world().noes.get(&session.principal).into_iter().flatten();
        here || noes.any(|(denied, definition, until)| denied == id && definition == live && self.now < *until)
    }

    /// Whether the session would hold more than it may.
    pub(super) fn too_many(&self, session: &Session, asked: &[Id]) -> bool {
        let others = session.active.iter().filter(|grant| !grant.preset && !asked.contains(&grant.id)).count();
        others + asked.len() > ACTIVE_MAX
    }

    /// What nothing of a session goes past.
    pub(super) fn open_for_business(&self, number: usize, session: &Session) -> Result<(), &'static str> {
        match () {
            () if self.world().host.stopped => Err("stopped"),
            () if session.ended => Err("session-ended"),
            () if self.books.closed(&Self::streams(number, session)) => Err("session-closed"),
            () => Ok(()),
        }
    }

    /// What a session's requests and calls rest on.
    pub(super) const fn streams(number: usize, session: &Session) -> [Stream; 3] {
        [Stream::Host, Stream::Principal(session.principal), Stream::Session(number)]
    }

    /// The gate: the grant that a call of this tool would use now, or why it would be refused.
    pub(super) fn gate(&self, number: usize, id: &Id) -> Result<Grant, &'static str> {
        let Some(session) = self.session(number) else { return Err("not-active") };
        self.open_for_business(number, &session)?;
        match session.held(id) {
            None => Err(session.former.get(id).copied().unwrap_or("not-active")),
            Some(grant) if self.over(grant) => Err("expired"),
            Some(grant) => match self.unfit(&session, grant).or(grant.suspended) {
                Some(why) => Err(why),
                None if !grant.has_calls() => Err("calls-spent"),
                None => Ok(grant.clone()),
            },
        }
    }

    /// A session that somebody can still name.
    pub(super) fn session(&self, number: usize) -> Option<Session> {
        self.world().sessions.get(number).filter(|_| !self.lost.contains(&number)).cloned()
    }

    /// The session from outside.
    pub(super) fn face(&self, number: usize) -> Face {
        let running = call::running(&self.calls, number, None);
        let Some(session) = self.session(number).filter(|session| !session.ended) else {
            return Face { ended: true, running, ..Face::default() };
        };
        let listed = session.active.iter().filter(|grant| self.gate(number, &grant.id).is_ok());
        let mut denied: Vec<Id> = session.noes.iter().map(|(id, _)| id.clone()).collect();
        denied.sort();
        denied.dedup();
        Face {
            ended: false,
            set: session.set,
            active: session.active.iter().map(|grant| (grant.id.clone(), grant.suspended)).collect(),
            listed: listed.map(|grant| wire(&grant.id)).collect(),
            waiting: session.waiting.as_ref().map(|question| question.what.iter().map(|(id, _)| id.clone()).collect()),
            denied,
            running,
        }
    }
}

/// The name a model sees; its rule is a function of the id and has vectors of its own.
fn wire(id: &Id) -> String {
    ToolId::parse(id).map(|id| id.wire().to_string()).unwrap_or_default()
}
