//! What widens: opening with presets, asking, answering, and how a question stands.
//!
//! Clauses: ACT-1, ACT-2, ACT-4, ACT-9, AUTH-5, AUTH-6, POL-1, CAT-7. Invariants: I-1, I-2, I-3.

use super::Model;
use super::ledger::{Change, Stream};
use super::op::{Answer, Decision, Id, Which};
use super::seen::Told;
use super::world::{Grant, Question, Session, Settled};
use agent_core::limits::{DENIAL_MS, GRANT_MS, REQUEST_MS};
use std::collections::BTreeSet;
use std::rc::Rc;

/// What a batch of tools comes to when it is asked for.
enum Judged {
    Nothing,
    Grant(Vec<Id>),
    Ask(Vec<Id>),
}

impl Model {
    pub(super) fn open(&mut self, principal: usize, profile: bool, presets: &[Id]) -> Told {
        let opened: Change = Rc::new(move |world| world.sessions.push(Session { principal, profile, ..Session::default() }));
        if let Err(code) = self.books.widen(&opened) {
            return Told::Refused(code);
        }
        let number = self.world().sessions.len() - 1;
        Told::Opened(presets.iter().map(|preset| self.preset(number, preset)).collect())
    }

    /// Each preset is a batch of its own, by the operator's word: nobody is asked.
    fn preset(&mut self, number: usize, id: &Id) -> Result<(), &'static str> {
        match self.judge(number, std::slice::from_ref(id), true)? {
            Judged::Nothing => Ok(()),
            Judged::Grant(ids) | Judged::Ask(ids) => self.grant(number, &ids, true, None),
        }
    }

    pub(super) fn request(&mut self, number: usize, ids: &[Id]) -> Told {
        let Some(session) = self.world().sessions.get(number).cloned() else { return Told::Nothing };
        match self.judge(number, ids, false) {
            Err(code) => Told::Refused(code),
            Ok(Judged::Nothing) => Told::Active { added: 0, set: session.set },
            Ok(Judged::Grant(ids)) => match self.grant(number, &ids, false, None) {
                Ok(()) => Told::Active { added: ids.len(), set: session.set + 1 },
                Err(code) => Told::Refused(code),
            },
            Ok(Judged::Ask(ids)) => {
                let what: BTreeSet<_> = ids.iter().map(|id| (id.clone(), self.live(id))).collect();
                let what: Vec<_> = what.into_iter().collect();
                match session.waiting {
                    Some(question) if question.what == what => Told::Waiting,
                    Some(_) => Told::Refused("another-waiting"),
                    None => self.ask(number, what),
                }
            }
        }
    }

    /// All or nothing: the first rule that refuses any id refuses the batch.
    fn judge(&self, number: usize, ids: &[Id], preset: bool) -> Result<Judged, &'static str> {
        let Some(session) = self.world().sessions.get(number) else { return Err("session-ended") };
        if self.world().stopped {
            return Err("stopped");
        }
        if session.ended {
            return Err("session-ended");
        }
        if self.books.closed(number, session.principal) {
            return Err("session-closed");
        }
        if ids.iter().any(|id| !self.visible(session, id)) {
            return Err("unknown-ids");
        }
        let mut new: Vec<Id> = Vec::new();
        for id in ids {
            if !new.contains(id) && !self.usable(session, id) {
                new.push(id.clone());
            }
        }
        let ids = new;
        if ids.is_empty() {
            return Ok(Judged::Nothing);
        }
        if !preset && self.too_many(session, &ids) {
            return Err("too-many-active");
        }
        if ids.iter().any(|id| self.decision(session, id) == Decision::Deny) {
            return Err("denied-by-policy");
        }
        if ids.iter().any(|id| self.denied(session, id)) {
            return Err("denied-by-person");
        }
        let person = ids.iter().any(|id| self.decision(session, id) == Decision::Prompt);
        Ok(if person { Judged::Ask(ids) } else { Judged::Grant(ids) })
    }

    fn ask(&mut self, number: usize, what: Vec<(Id, u32)>) -> Told {
        self.questions += 1;
        let question = Question { number: self.questions, what, expires: self.now + REQUEST_MS };
        let asked: Change = Rc::new(move |world| world.with(number, |session| session.ask(&question)));
        match self.books.widen(&asked) {
            Ok(()) => Told::Waiting,
            Err(code) => Told::Refused(code),
        }
    }

    /// One batch, its pins with it: a definition is pinned when it is first granted.
    fn grant(&mut self, number: usize, ids: &[Id], preset: bool, answered: Option<u64>) -> Result<(), &'static str> {
        let end = (!preset).then_some(self.now + GRANT_MS);
        let grant = |id: &Id| Grant { id: id.clone(), definition: self.live(id), preset, end, suspended: None };
        let batch: Vec<Grant> = ids.iter().map(grant).collect();
        let granted: Change = Rc::new(move |world| {
            for grant in &batch {
                world.pin(&grant.id, grant.definition);
            }
            world.with(number, |session| session.grant(&batch, answered));
        });
        self.books.widen(&granted)
    }

    fn live(&self, id: &Id) -> u32 {
        self.catalog.get(id).copied().unwrap_or_default()
    }

    pub(super) fn answer(&mut self, number: usize, which: Which, right: bool, answer: &Answer) -> Told {
        let Some(session) = self.world().sessions.get(number).cloned() else { return Told::Nothing };
        let Some(question) = session.waiting.clone().filter(|_| right && which == Which::Latest) else { return Told::Nothing };
        let every: Vec<Id> = question.what.iter().map(|(id, _)| id.clone()).collect();
        match answer {
            Answer::Approve => self.yes(number, &session, &question),
            Answer::Deny => self.no(number, &session, &question, &every),
            Answer::DenySome(some) => {
                let named: Vec<Id> = every.into_iter().filter(|id| some.contains(id)).collect();
                if named.is_empty() { Told::Nothing } else { self.no(number, &session, &question, &named) }
            }
            Answer::Dismiss => self.withdraw(number, question.number, Settled::Withdrawn),
        }
    }

    /// A yes counts for what was shown, and only if all of it could still be granted. What of it is active already is
    /// left as it is.
    fn yes(&mut self, number: usize, session: &Session, question: &Question) -> Told {
        let stands = |(id, definition): &(Id, u32)| {
            self.visible(session, id) && self.live(id) == *definition && self.decision(session, id) != Decision::Deny
        };
        if !question.what.iter().all(stands) {
            return self.withdraw(number, question.number, Settled::Withdrawn);
        }
        if self.world().stopped {
            return Told::Refused("stopped");
        }
        if self.books.closed(number, session.principal) {
            return Told::Refused("session-closed");
        }
        let new: Vec<Id> = question.what.iter().map(|(id, _)| id).filter(|id| !self.usable(session, id)).cloned().collect();
        if self.too_many(session, &new) {
            return self.withdraw(number, question.number, Settled::Withdrawn);
        }
        match self.grant(number, &new, false, Some(question.number)) {
            Ok(()) => Told::Active { added: new.len(), set: session.set + u64::from(!new.is_empty()) },
            Err(code) => Told::Refused(code),
        }
    }

    /// A no is remembered for the principal for its time, and for the session.
    fn no(&mut self, number: usize, session: &Session, question: &Question, ids: &[Id]) -> Told {
        let noes: Vec<_> = question.what.iter().filter(|(id, _)| ids.contains(id)).cloned().collect();
        let (principal, until, asked) = (session.principal, self.now + DENIAL_MS, question.number);
        let denied = Rc::new(move |world: &mut super::World| {
            world.noes.extend(noes.iter().map(|(id, definition)| (principal, id.clone(), *definition, until)));
            world.with(number, |session| {
                session.noes.extend(noes.clone());
                session.settle(Some(asked), Settled::Denied);
            });
        });
        Told::Denied(self.books.narrow(&[Stream::Session(number), Stream::Principal(principal)], denied))
    }

    /// Ends a question without an answer.
    pub(super) fn withdraw(&mut self, number: usize, question: u64, how: Settled) -> Told {
        let withdrawn = Rc::new(move |world: &mut super::World| world.with(number, |session| session.settle(Some(question), how)));
        self.books.narrow(&[Stream::Session(number)], withdrawn);
        Told::Refused("withdrawn")
    }

    /// How the last question that was put to a person stands.
    pub(super) fn wait(&self, number: usize) -> Told {
        let Some(session) = self.world().sessions.get(number) else { return Told::Nothing };
        if session.asked.is_none() {
            return Told::Nothing;
        }
        if session.waiting.is_some() {
            return Told::Waiting;
        }
        let settled = session.settled.iter().rev().find(|(question, _)| *question == session.asked);
        match settled.map_or(Settled::Withdrawn, |(_, how)| *how) {
            Settled::Active { added, set } => Told::Active { added, set },
            Settled::Denied => Told::Refused("denied-by-person"),
            Settled::Withdrawn => Told::Refused("withdrawn"),
            Settled::Expired => Told::Refused("request-expired"),
        }
    }
}
