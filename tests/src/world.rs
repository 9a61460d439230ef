//! A world to test in: an engine, a ledger that can fail, a tool host that can wait, a clock that can be moved.

mod faulty;
mod host;

pub(crate) use faulty::{Fault, FaultyLedger};
pub(crate) use host::TestHost;

use agent_core::id::{Alias, SourceClass, ToolId};
use agent_core::request::{Answer, Channel, Decider, Decision, Question, Strength};
use agent_core::session::{Listing, PrincipalId, ProfileId};
use agent_engine::builtins::Reply;
use agent_engine::catalog::{Source, assemble};
use agent_engine::desk::Desk;
use agent_engine::engine::{Front, Parts, build};
use agent_engine::policy::Policy;
use agent_engine::projection::Terms;
use agent_engine::session::Cell;
use agent_engine::testing::{ManualClock, SeededEntropy};
use serde_json::{Map, Value, json};
use std::sync::Arc;

pub(crate) struct World {
    pub(crate) front: Front,
    pub(crate) desk: Desk,
    pub(crate) ledger: Arc<FaultyLedger>,
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) host: Arc<TestHost>,
    policy: Policy,
    sources: Vec<Source>,
    starts: u128,
}

impl World {
    /// Servers `a` and `b` with tools `one`, `two` and `three` each, under a policy written as JSON.
    pub(crate) async fn new(policy: Value) -> Self {
        let policy: Policy = serde_json::from_value(policy).unwrap();
        let names = ["one", "two", "three"].map(|name| (name, 1));
        let sources = vec![source("a", &names), source("b", &names)];
        let ledger = Arc::new(FaultyLedger::default());
        let clock = Arc::new(ManualClock::default());
        let host = Arc::new(TestHost::default());
        let (front, desk) = start(&ledger, &clock, &host, &policy, 1).await;
        desk.publish(assemble(&sources)).await;
        Self { front, desk, ledger, clock, host, policy, sources, starts: 1 }
    }

    /// The same host after its process died and started again.
    pub(crate) async fn restart(&mut self) {
        self.starts += 1;
        (self.front, self.desk) = start(&self.ledger, &self.clock, &self.host, &self.policy, self.starts).await;
        self.desk.publish(assemble(&self.sources)).await;
    }

    /// Server `a` now lists these tools, each with a definition of this number.
    pub(crate) async fn relist(&mut self, names: &[(&str, u32)]) {
        self.sources[0] = source("a", names);
        self.desk.publish(assemble(&self.sources)).await;
    }

    /// The operator declares calls of server `a` repeatable.
    pub(crate) async fn repeatable(&mut self) {
        self.sources[0].declared.repeatable = true;
        self.desk.publish(assemble(&self.sources)).await;
    }

    pub(crate) async fn enforce(&mut self, policy: Value) {
        self.policy = serde_json::from_value(policy).unwrap();
        assert!(self.desk.put_in_force(self.policy.clone()).await.1);
    }

    /// The client has such a list from now on.
    pub(crate) fn list(&mut self, listing: Listing) {
        self.front = self.front.under(Terms { listing, ..Terms::default() });
    }

    pub(crate) async fn open(&self) -> Arc<Cell> {
        self.open_as("ada", None).await
    }

    pub(crate) async fn open_as(&self, principal: &str, profile: Option<&str>) -> Arc<Cell> {
        let profile = profile.map(|name| ProfileId::parse(name).unwrap());
        self.front.open(PrincipalId::parse(principal).unwrap(), profile, false).await.unwrap().session
    }

    pub(crate) fn again(&self, cell: &Cell) -> Arc<Cell> {
        self.front.resume(&cell.asker().principal, cell.asker().session, None).unwrap()
    }

    pub(crate) async fn ask(&self, cell: &Arc<Cell>, name: &str, arguments: Value) -> Reply {
        self.front.call(cell, name, object(arguments)).await
    }

    pub(crate) async fn activate(&self, cell: &Arc<Cell>, ids: &[&str]) -> Reply {
        self.ask(cell, "activate_tools", json!({"tools": ids})).await
    }

    /// Asks, and answers what is asked with yes.
    pub(crate) async fn granted(&self, cell: &Arc<Cell>, ids: &[&str]) {
        if let Reply::Waiting(question) = self.activate(cell, ids).await {
            self.decide(&question, Decision::Approve).await;
        }
        assert_eq!(code(&self.activate(cell, ids).await), "done");
    }

    pub(crate) async fn decide(&self, question: &Question, decision: Decision) -> agent_engine::activation::Settled {
        self.desk.answer(question.asker.session, question.id, answer(question, decision, Strength::Strong)).await
    }

    pub(crate) async fn call(&self, cell: &Arc<Cell>, name: &str) -> Reply {
        self.ask(cell, name, json!({})).await
    }

    /// The names of the tools listed, builtins apart.
    pub(crate) fn listed(&self, cell: &Cell) -> Vec<String> {
        self.front.surface(cell).tools.into_iter().map(|face| face.name).collect()
    }
}

async fn start(ledger: &Arc<FaultyLedger>, clock: &Arc<ManualClock>, host: &Arc<TestHost>, policy: &Policy, seed: u128) -> (Front, Desk) {
    let mut parts = Parts::new(ledger.clone(), host.clone(), clock.clone(), Arc::new(SeededEntropy::new(seed << 64)));
    parts.policy = policy.clone();
    build(parts).await.unwrap()
}

pub(crate) fn source(alias: &str, tools: &[(&str, u32)]) -> Source {
    let definition = |(name, number): &(&str, u32)| {
        let input = json!({"type": "object", "properties": {"n": {"type": "integer"}}});
        json!({"name": name, "description": format!("the tool {name}, definition {number}"), "inputSchema": input}).to_string()
    };
    Source { definitions: tools.iter().map(definition).collect(), ..Source::new(SourceClass::Mcp, Alias::parse(alias).unwrap()) }
}

pub(crate) fn answer(question: &Question, decision: Decision, strength: Strength) -> Answer {
    let by = Decider::Person { name: "ada".into(), channel: Channel::Code, strength };
    Answer { shown: question.digest(), decision, by }
}

pub(crate) fn id(text: &str) -> ToolId {
    ToolId::parse(text).unwrap()
}

pub(crate) fn object(value: Value) -> Map<String, Value> {
    value.as_object().unwrap().clone()
}

/// What a reply comes to, in one word.
pub(crate) fn code(reply: &Reply) -> &'static str {
    match reply {
        Reply::Done { .. } => "done",
        Reply::Refused { refusal, .. } => refusal.code(),
        Reply::Waiting(_) => "waiting",
        Reply::Ran(_) => "ran",
    }
}

/// The text of a builtin's answer as JSON, or of a refusal as a string.
pub(crate) fn body(reply: &Reply) -> Value {
    match reply {
        Reply::Done { text, .. } => serde_json::from_str(text).unwrap(),
        Reply::Refused { text, .. } => text.clone().into(),
        other => panic!("no body in {other:?}"),
    }
}

pub(crate) fn question(reply: Reply) -> Question {
    match reply {
        Reply::Waiting(question) => *question,
        other => panic!("no question but {other:?}"),
    }
}
