//! The rules that decide, each asked of the catalog, the policy, the pins and the clock as they are now.
//!
//! Is not: a change of anything. Clauses: POL-1, POL-3, CAT-8, AUTH-6, GATE-1, GATE-2, ACT-6, SRCH-4.

use super::op::{Decision, Id};
use super::seen::{Face, Told};
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

    /// Whether the tool's definition is another than the accepted one.
    pub(super) fn drifted(&self, id: &Id) -> bool {
        match (self.catalog.get(id), self.world().pins.get(id)) {
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
                Decision::Auto | Decision::Prompt => None,
            },
        }
    }

    /// Whether the grant's time is over.
    pub(super) fn over(&self, grant: &Grant) -> bool {
        grant.end.is_some_and(|end| self.now >= end)
    }

    /// Whether the session holds the tool and could call it.
    pub(super) fn usable(&self, session: &Session, id: &Id) -> bool {
        let usable = |grant: &Grant| !self.over(grant) && grant.suspended.is_none() && self.unfit(session, grant).is_none();
        session.held(id).is_some_and(usable)
    }

    /// Whether a person's no to what the tool is now still holds: in this session for good, elsewhere for its time.
    pub(super) fn denied(&self, session: &Session, id: &Id) -> bool {
        let Some(live) = self.catalog.get(id) else { return false };
        let here = session.noes.iter().any(|(denied, definition)| denied == id && definition == live);
        let mut noes = self.world().noes.iter();
        here || noes.any(|(principal, denied, definition, until)| {
            *principal == session.principal && denied == id && definition == live && self.now < *until
        })
    }

    /// Whether the session would hold more than it may.
    pub(super) fn too_many(&self, session: &Session, asked: &[Id]) -> bool {
        let others = session.active.iter().filter(|grant| !grant.preset && !asked.contains(&grant.id)).count();
        others + asked.len() > ACTIVE_MAX
    }

    /// The gate: why a call of this tool would be refused now.
    pub(super) fn gate(&self, number: usize, id: &Id) -> Result<u32, &'static str> {
        let Some(session) = self.world().sessions.get(number) else { return Err("not-active") };
        if self.world().stopped {
            return Err("stopped");
        }
        if self.books.closed(number, session.principal) {
            return Err("session-closed");
        }
        let Some(grant) = session.held(id) else {
            return Err(session.former.get(id).copied().unwrap_or("not-active"));
        };
        if self.over(grant) {
            return Err("expired");
        }
        match self.unfit(session, grant).or(grant.suspended) {
            Some(why) => Err(why),
            None => Ok(grant.definition),
        }
    }

    /// All that the session can find.
    pub(super) fn search(&self, number: usize) -> Told {
        match self.world().sessions.get(number) {
            None => Told::Nothing,
            Some(session) if session.ended => Told::Refused("session-ended"),
            Some(session) => Told::Found(self.catalog.keys().filter(|id| self.visible(session, id)).cloned().collect()),
        }
    }

    /// The session from outside.
    pub(super) fn face(&self, number: usize) -> Face {
        let session = self.world().sessions.get(number).cloned().unwrap_or_default();
        if session.ended {
            return Face { ended: true, running: call::running(&self.calls, number, None), ..Face::default() };
        }
        let known = |rule: &dyn Fn(&Id) -> bool| self.catalog.keys().filter(|id| rule(id)).cloned().collect();
        let listed = session.active.iter().filter(|grant| self.gate(number, &grant.id).is_ok());
        Face {
            ended: false,
            set: session.set,
            active: session.active.iter().map(|grant| (grant.id.clone(), self.unfit(&session, grant).or(grant.suspended))).collect(),
            listed: listed.map(|grant| wire(&grant.id)).collect(),
            waiting: session.waiting.as_ref().map(|question| question.what.iter().map(|(id, _)| id.clone()).collect()),
            denied: known(&|id| self.denied(&session, id)),
            visible: known(&|id| self.visible(&session, id)),
            running: call::running(&self.calls, number, None),
        }
    }
}

/// The name a model sees; its rule is a function of the id and has vectors of its own.
fn wire(id: &Id) -> String {
    ToolId::parse(id).map(|id| id.wire().to_string()).unwrap_or_default()
}
