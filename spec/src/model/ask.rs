//! What widens: opening with presets, asking, answering, and how a question stands.
//!
//! Clauses: ACT-1, ACT-2, ACT-4, ACT-9, AUTH-5, AUTH-6, POL-1, POL-4, CAT-7. Invariants: I-1, I-2, I-3.

use super::Model;
use super::ledger::{Change, Stream};
use super::op::{Answer, Decision, Id, Which};
use super::seen::Told;
use super::world::{Grant, Question, Session, Settled};
use agent_core::limits::{ASKS, ASKS_MS, DENIAL_MS, GRANT_MS, IDS_PER_REQUEST, REQUEST_MS};
use std::collections::BTreeSet;

/// What a batch of tools comes to when it is asked for.
enum Judged {
    Nothing,
    Grant(Vec<Id>),
    Ask(Vec<Id>),
}

/// On whose word a batch is granted, and how far that reaches.
#[derive(Default)]
struct Yes {
    preset: bool,
    /// The question that a person said yes to.
    to: Option<Question>,
    once: bool,
    always: Option<Vec<(Id, u32)>>,
}

impl Model {
    /// Each preset is a batch of its own; one that can't be activated costs no other.
    pub(super) fn open(&mut self, principal: usize, profile: bool) -> Told {
        let session = Session { principal, profile, ..Session::default() };
        let number = match self.books.open(&session) {
            Ok(number) => number,
            Err(code) => return Told::Refused(code),
        };
        let presets = if profile { self.policy.presets.clone() } else { Vec::new() };
        let refused = |preset: Id| self.preset(number, &preset).err().map(|code| (preset, code));
        Told::Opened(presets.into_iter().filter_map(refused).collect())
    }

    /// Activated by the operator's word: nobody is asked.
    fn preset(&mut self, number: usize, id: &Id) -> Result<(), &'static str> {
        match self.judge(number, std::slice::from_ref(id), true)? {
            Judged::Nothing => Ok(()),
            Judged::Grant(ids) | Judged::Ask(ids) => self.grant(number, &ids, &Yes { preset: true, ..Yes::default() }),
        }
    }

    pub(super) fn request(&mut self, number: usize, ids: &[Id]) -> Told {
        self.carry(number);
        match self.judge(number, ids, false) {
            Err(code) => Told::Refused(code),
            Ok(Judged::Nothing) => Told::Active { added: 0, set: self.set(number) },
            Ok(Judged::Grant(ids)) => match self.grant(number, &ids, &Yes::default()) {
                Ok(()) => Told::Active { added: ids.len(), set: self.set(number) },
                Err(code) => Told::Refused(code),
            },
            Ok(Judged::Ask(ids)) => {
                let what: BTreeSet<_> = ids.iter().map(|id| (id.clone(), self.live(id))).collect();
                self.ask(number, what.into_iter().collect())
            }
        }
    }

    /// All or nothing: the first rule that refuses any id refuses the batch.
    fn judge(&mut self, number: usize, ids: &[Id], preset: bool) -> Result<Judged, &'static str> {
        let session = self.mended(number);
        self.open_for_business(number, &session)?;
        if ids.is_empty() || ids.len() > IDS_PER_REQUEST {
            return Err("arguments");
        }
        if ids.iter().any(|id| !self.visible(&session, id)) {
            return Err("unknown-ids");
        }
        let mut new: Vec<Id> = Vec::new();
        for id in ids {
            if !new.contains(id) && !self.active(&session, id) {
                new.push(id.clone());
            }
        }
        if new.is_empty() {
            return Ok(Judged::Nothing);
        }
        if !preset && self.too_many(&session, &new) {
            return Err("too-many-active");
        }
        if new.iter().any(|id| self.decision(&session, id) == Decision::Deny) {
            return Err("denied-by-policy");
        }
        if new.iter().any(|id| self.denied(&session, id)) {
            return Err("denied-by-person");
        }
        let person = new.iter().any(|id| self.decision(&session, id) == Decision::Prompt && !self.said_always(&session, id));
        Ok(if person { Judged::Ask(new) } else { Judged::Grant(new) })
    }

    /// The same set joins the question that waits; another one has to wait for its end.
    fn ask(&mut self, number: usize, what: Vec<(Id, u32)>) -> Told {
        let session = self.session(number).unwrap_or_default();
        if let Some(question) = &session.waiting {
            return if question.what == what { Told::Waiting } else { Told::Refused("another-waiting") };
        }
        let lately = |asks: &Vec<u64>| asks.iter().filter(|at| **at + ASKS_MS > self.now).count();
        if self.asks.get(&session.principal).map_or(0, lately) >= ASKS {
            return Told::Refused("too-often");
        }
        let strong = what.iter().any(|(id, _)| self.strong(id));
        let ttl = what.iter().filter_map(|(id, _)| Some((id.clone(), self.ttl(id)?))).collect();
        let question = Question { number: self.number(), what, expires: self.now + REQUEST_MS, strong, ttl };
        let asked = Change::session(number, move |session| session.ask(&question));
        match self.books.widen(&Self::streams(number, &session), &[asked]) {
            Ok(()) => {
                self.asks.entry(session.principal).or_default().push(self.now);
                Told::Waiting
            }
            Err(code) => Told::Refused(code),
        }
    }

    /// One batch, its pins with it and what a person said always to: a definition is pinned when it is first granted.
    fn grant(&mut self, number: usize, ids: &[Id], yes: &Yes) -> Result<(), &'static str> {
        let session = self.session(number).unwrap_or_default();
        let (batch, preset, answered) = (self.number(), yes.preset, yes.to.as_ref().map(|question| question.number));
        let calls = yes.once.then_some(1);
        let grant = |id: &Id| {
            let shown = yes.to.as_ref().and_then(|question| question.ttl.get(id).copied());
            let rules = self.ttl(id).into_iter().chain(shown).min();
            let end = rules.or((!preset).then_some(GRANT_MS)).map(|lasts| self.now + lasts.min(GRANT_MS));
            Grant {
                id: id.clone(),
                definition: self.live(id),
                batch,
                preset,
                answered: answered.is_some(),
                end,
                calls,
                used: 0,
                suspended: None,
            }
        };
        let grants: Vec<Grant> = ids.iter().map(grant).collect();
        let unpinned = |grant: &&Grant| !self.world().host.pins.contains_key(&grant.id);
        let fresh: Vec<_> = grants.iter().filter(unpinned).map(|grant| (grant.id.clone(), grant.definition)).collect();
        let mut changes = vec![Change::session(number, move |session| session.grant(&grants, answered))];
        if !fresh.is_empty() {
            changes.push(Change::of(Stream::Host, move |world| world.host.pins.extend(fresh.clone())));
        }
        if let Some(always) = yes.always.clone() {
            let principal = session.principal;
            changes.push(Change::of(Stream::Principal(principal), move |world| {
                world.standing.entry(principal).or_default().extend(always.clone());
            }));
        }
        self.books.widen(&Self::streams(number, &session), &changes)
    }

    pub(super) fn answer(&mut self, number: usize, which: Which, right: bool, answer: &Answer) -> Told {
        if self.forgotten.contains(&number) {
            return Told::Nothing;
        }
        let session = self.mended(number);
        let Some(question) = session.waiting.clone().filter(|_| right && which == Which::Latest) else { return Told::Nothing };
        let every: Vec<Id> = question.what.iter().map(|(id, _)| id.clone()).collect();
        match answer {
            Answer::Approve | Answer::Once | Answer::Always => self.yes(number, &session, &question, answer),
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
    fn yes(&mut self, number: usize, session: &Session, question: &Question, answer: &Answer) -> Told {
        let new: Vec<Id> = question.what.iter().map(|(id, _)| id).filter(|id| !self.active(session, id)).cloned().collect();
        let shown = question.what.iter().all(|(id, definition)| self.visible(session, id) && self.live(id) == *definition);
        if !shown || new.iter().any(|id| self.decision(session, id) == Decision::Deny) {
            return self.withdraw(number, question.number, Settled::Withdrawn);
        }
        if let Err(code) = self.open_for_business(number, session) {
            return Told::Refused(code);
        }
        if self.too_many(session, &new) {
            return self.withdraw(number, question.number, Settled::Withdrawn);
        }
        let stands = !question.strong && !new.iter().any(|id| self.strong(id));
        let always = (*answer == Answer::Always && stands).then(|| question.what.clone());
        let yes = Yes { preset: false, to: Some(question.clone()), once: *answer == Answer::Once, always };
        match self.grant(number, &new, &yes) {
            Ok(()) if *answer == Answer::Always => Told::Always { added: new.len(), set: self.set(number), stands },
            Ok(()) => Told::Active { added: new.len(), set: self.set(number) },
            Err(code) => Told::Refused(code),
        }
    }

    /// A no is remembered for the principal for its time, and for the session. It ends an always to the same definition.
    fn no(&mut self, number: usize, session: &Session, question: &Question, ids: &[Id]) -> Told {
        let noes: Vec<_> = question.what.iter().filter(|(id, _)| ids.contains(id)).cloned().collect();
        let (principal, until, asked) = (session.principal, self.now + DENIAL_MS, question.number);
        let remembered: Vec<_> = noes.iter().map(|(id, definition)| (id.clone(), *definition, until)).collect();
        let here = Change::session(number, move |session| {
            session.noes.extend(noes.clone());
            session.end(asked, Settled::Denied);
        });
        let everywhere = Change::of(Stream::Principal(principal), move |world| {
            let said_no = |id: &Id, definition: u32| remembered.iter().any(|(no, of, _)| no == id && *of == definition);
            world.standing.entry(principal).or_default().retain(|id, definition| !said_no(id, *definition));
            world.noes.entry(principal).or_default().extend(remembered.clone());
        });
        Told::InEffect(self.books.narrow(&[here, everywhere]))
    }

    /// Whether a yes to a question would grant what was shown.
    pub(super) fn stands(&self, session: &Session, question: &Question) -> bool {
        let as_shown = |(id, definition): &(Id, u32)| self.visible(session, id) && self.live(id) == *definition;
        question.what.iter().all(|shown| as_shown(shown) && self.decision(session, &shown.0) != Decision::Deny)
    }

    /// Ends a question without an answer.
    pub(super) fn withdraw(&mut self, number: usize, question: u64, how: Settled) -> Told {
        self.books.narrow(&[Change::session(number, move |session| session.end(question, how))]);
        Told::Refused("withdrawn")
    }

    /// How the last question that was put to a person stands.
    pub(super) fn wait(&self, number: usize) -> Told {
        let asked = self.books.kept.sessions.get(number).and_then(|session| session.asked);
        let (Some(session), Some(_)) = (self.session(number), asked) else { return Told::Nothing };
        if session.waiting.is_some_and(|question| Some(question.number) == asked) {
            return Told::Waiting;
        }
        let settled = session.settled.iter().rev().find(|(question, _)| *question == asked);
        match settled.map_or(Settled::Withdrawn, |(_, how)| *how) {
            Settled::Active { added, set } => Told::Active { added, set },
            Settled::Denied => Told::Refused("denied-by-person"),
            Settled::Withdrawn => Told::Refused("withdrawn"),
            Settled::Expired => Told::Refused("request-expired"),
        }
    }

    /// The session, after everything it rests on was mended where it could be.
    pub(super) fn mended(&mut self, number: usize) -> Session {
        let session = self.session(number).unwrap_or_default();
        self.books.mend(&Self::streams(number, &session));
        self.session(number).unwrap_or_default()
    }

    fn live(&self, id: &Id) -> u32 {
        self.catalog.get(id).copied().unwrap_or_default()
    }

    fn set(&self, number: usize) -> u64 {
        self.world().sessions.get(number).map_or(0, |session| session.set)
    }

    /// A number that nothing else has.
    fn number(&mut self) -> u64 {
        self.numbers += 1;
        self.numbers
    }
}
