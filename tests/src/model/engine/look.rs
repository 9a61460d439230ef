//! What sessions do through the engine's faces, and how each looks afterwards.

use super::{State, words};
use agent_core::digest::{Digest, Domain};
use agent_core::grant::Suspended;
use agent_core::id::{Alias, ToolId};
use agent_core::request::{self, Channel, Decider, Strength};
use agent_core::session::{CallId, PrincipalId, RequestId};
use agent_engine::activation::Settled;
use agent_engine::builtins::Reply;
use agent_engine::revocation;
use agent_engine::session::Narrowed;
use agent_spec::model::{Answer, Face, Id, Scope, Told, Which};
use serde_json::{Map, Value, json};
use std::future::{Future, poll_fn};
use std::task::Poll;
use std::time::Duration;

/// Turns of the scheduler in which everything that was left to itself comes to its end.
const TURNS: usize = 40;

fn object(value: Value) -> Map<String, Value> {
    let Value::Object(members) = value else { panic!("not an object") };
    members
}

impl State {
    pub(super) async fn request(&self, session: usize, ids: &[Id], dropped: bool) -> Told {
        let Some(cell) = self.cell(session) else { return Told::Nothing };
        let mut asking = Box::pin(self.process.front.call(&cell, "activate_tools", object(json!({"tools": ids}))));
        if !dropped {
            return words::asked(&asking.await);
        }
        self.process.hand.hold(true);
        while poll_fn(|context| Poll::Ready(asking.as_mut().poll(context).is_pending())).await && !self.process.hand.held() {
            tokio::task::yield_now().await;
        }
        drop(asking);
        self.process.hand.hold(false);
        for _ in 0..TURNS {
            tokio::task::yield_now().await;
        }
        Told::Nothing
    }

    /// All that it can be told about, and nothing else. Whatever a search ranks first is among it.
    pub(super) async fn search(&self, session: usize) -> Told {
        let Some(cell) = self.cell(session) else { return Told::Nothing };
        let mut found = Vec::new();
        for id in self.catalog.iter().flat_map(|tools| tools.keys()) {
            match self.process.front.call(&cell, "tool_details", object(json!({"id": id}))).await {
                Reply::Done { .. } => found.push(id.clone()),
                Reply::Refused { refusal, .. } if refusal.code() == "unknown-ids" => {}
                other => panic!("details: {other:?}"),
            }
        }
        let reply = self.process.front.call(&cell, "search_tools", object(json!({"query": "lamp"}))).await;
        let Reply::Done { text, .. } = reply else { panic!("search: {reply:?}") };
        let answer: Value = serde_json::from_str(&text).unwrap();
        let hits: Vec<_> = answer["tools"].as_array().unwrap().iter().map(|tool| tool["id"].as_str().unwrap().to_owned()).collect();
        assert!(hits.iter().all(|id| found.contains(id)) && hits.is_empty() == found.is_empty(), "{hits:?} of {found:?}");
        Told::Found(found)
    }

    pub(super) async fn answer(&self, session: usize, which: Which, right: bool, answer: &Answer) -> Told {
        let Some(session) = self.sessions.get(session).filter(|session| session.cell.is_some()) else { return Told::Nothing };
        let question = match which {
            Which::Latest => self.disk.question(session.id, 0),
            Which::Before => self.disk.question(session.id, 1),
            Which::Unknown => None,
        };
        let wrong = Digest::of(Domain::Question, b"another");
        let shown = question.as_ref().filter(|_| right).map_or(wrong, |question| question.digest());
        let decision = match answer {
            Answer::Approve => request::Decision::Approve,
            Answer::Once => request::Decision::Once,
            Answer::Always => request::Decision::Always,
            Answer::Deny => request::Decision::Deny,
            Answer::DenySome(ids) => request::Decision::DenySome(ids.iter().map(|id| ToolId::parse(id).unwrap()).collect()),
            Answer::Dismiss => request::Decision::Dismiss,
        };
        let by = Decider::Person { name: "ada".to_owned(), channel: Channel::Code, strength: Strength::Strong };
        let request = question.map_or(RequestId::new(0), |question| question.id);
        match self.process.desk.answer(session.id, request, request::Answer { shown, decision, by }).await {
            Settled::Granted { set, added } => Told::Active { added, set },
            Settled::Always { set, added, stands } => Told::Always { added, set, stands },
            Settled::Denied { recorded } => words::in_effect(recorded),
            Settled::Withdrawn => Told::Refused("withdrawn"),
            Settled::NotAnAnswer | Settled::TooWeak => Told::Nothing,
            Settled::Failed(refusal) => words::refused(&refusal),
        }
    }

    pub(super) async fn wait(&self, session: usize) -> Told {
        let Some(cell) = self.cell(session) else { return Told::Nothing };
        let Some(question) = self.disk.question(cell.asker().session, 0) else { return Told::Nothing };
        words::asked(&self.process.front.wait(&cell, &question, Duration::ZERO).await)
    }

    pub(super) async fn deactivate(&self, session: usize, ids: &[Id]) -> Told {
        let Some(cell) = self.cell(session) else { return Told::Nothing };
        match self.process.front.call(&cell, "deactivate_tools", object(json!({"tools": ids}))).await {
            Reply::Done { text, .. } => Told::GivenUp(words::texts(&serde_json::from_str::<Value>(&text).unwrap()["deactivated"])),
            other => panic!("deactivate: {other:?}"),
        }
    }

    pub(super) async fn revoke(&self, scope: &Scope) -> Told {
        let id = |id: &Id| ToolId::parse(id).unwrap();
        let named = |number: &usize| self.sessions.get(*number).map(|session| session.id);
        let scope = match scope {
            Scope::One(number, tool) => named(number).map(|session| revocation::Scope::Grant(session, id(tool))),
            Scope::Everywhere(tool) => Some(revocation::Scope::Everywhere(id(tool))),
            Scope::Session(number) => named(number).map(revocation::Scope::Session),
            Scope::Principal(number) => Some(revocation::Scope::Principal(words::principal(*number))),
            Scope::Server(alias) => Some(revocation::Scope::Server(Alias::parse(alias).unwrap())),
        };
        let Some(scope) = scope else { return self.taken(Vec::new()) };
        let revoked = self.process.desk.revoke(&scope, "operator", false).await;
        let number = |id| self.sessions.iter().position(|session| session.id == id).unwrap();
        self.taken(revoked.into_iter().map(|revoked| (number(revoked.cell.asker().session), revoked.narrowed)).collect())
    }

    pub(super) async fn forget(&self, principal: usize, tool: Option<&Id>) -> Told {
        let tool = tool.map(|id| ToolId::parse(id).unwrap());
        let gone = self.process.desk.withdraw_standing(&words::principal(principal), tool.as_ref(), "operator").await.unwrap();
        match gone.tools.iter().map(ToString::to_string).collect::<Vec<_>>() {
            none if none.is_empty() => Told::Nothing,
            ids => Told::Forgotten(ids, words::recorded(gone.recorded)),
        }
    }

    /// What stands of a person's always.
    pub(super) async fn standing(&self) -> Vec<(usize, Id)> {
        let all = self.process.desk.standing_approvals().await.unwrap();
        let number = |principal: &PrincipalId| (0..2).find(|number| words::principal(*number) == *principal).unwrap();
        all.into_iter().map(|(principal, tool, _)| (number(&principal), tool.to_string())).collect()
    }

    pub(super) async fn close(&self, session: usize) -> Told {
        let Some(cell) = self.cell(session) else { return Told::Nothing };
        self.taken(vec![(session, self.process.front.close(&cell).await)])
    }

    fn taken(&self, mut all: Vec<(usize, Narrowed)>) -> Told {
        all.sort_by_key(|(session, _)| *session);
        let recorded = words::recorded(all.iter().all(|(_, narrowed)| narrowed.recorded));
        let taken = |(session, narrowed): (usize, Narrowed)| {
            let mut removed: Vec<Id> = narrowed.removed.iter().map(ToString::to_string).collect();
            removed.sort();
            let running: Vec<CallId> = narrowed.running.iter().map(|(call, _)| *call).collect();
            (session, removed, self.numbers(&running))
        };
        Told::Taken(all.into_iter().map(taken).collect(), recorded)
    }

    /// Every session.
    pub(super) fn look(&self) -> Vec<Face> {
        (0..self.sessions.len()).map(|session| self.face(session)).collect()
    }

    fn face(&self, session: usize) -> Face {
        let Some(cell) = self.cell(session) else { return Face { ended: true, ..Face::default() } };
        let (state, running) = (cell.state(), self.numbers(&cell.running()));
        if state.ended {
            return Face { ended: true, running, ..Face::default() };
        }
        let why = |why| match why {
            Suspended::Away => "away",
            Suspended::Drifted => "drifted",
            Suspended::Policy => "suspended-by-policy",
            Suspended::Strength => "suspended-by-strength",
        };
        let mut denied: Vec<Id> = state.denied.iter().map(|bound| bound.id.to_string()).collect();
        denied.sort();
        denied.dedup();
        Face {
            ended: false,
            set: state.set,
            active: state.active.iter().map(|held| (held.grant.bound.id.to_string(), held.suspended.map(why))).collect(),
            listed: self.process.front.surface(&cell).tools.into_iter().map(|face| face.name).collect(),
            waiting: state.waiting.as_ref().map(|question| question.what.iter().map(|asked| asked.bound.id.to_string()).collect()),
            denied,
            running,
        }
    }

    /// Calls by the numbers of their admission, sorted.
    fn numbers(&self, calls: &[CallId]) -> Vec<usize> {
        let mut numbers: Vec<usize> = calls.iter().map(|id| self.calls.iter().position(|call| call.is(*id)).unwrap()).collect();
        numbers.sort_unstable();
        numbers
    }
}
