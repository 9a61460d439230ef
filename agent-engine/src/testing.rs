//! Parts for tests, benches and examples: hosts without processes, people without hands, time without clocks.
//!
//! Is: whole implementations of the ports, exported so that embedders can test their own hosts. Is not: used by anything
//! that ships. Clause: NAT-4.

mod sources;

pub use sources::{Dice, Length, sources};

use crate::call::{Lease, LeaseFacts, Sent, ToolHost};
use crate::desk::Desk;
use agent_core::digest::Digest;
use agent_core::id::ToolId;
use agent_core::outcome::Outcome;
use agent_core::request::{Answer, Channel, Decider, Decision, Question, Strength};
use agent_core::session::Asker;
use agent_core::time::{Clock, Entropy, Instant};
use async_trait::async_trait;
use parking_lot::Mutex;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, VecDeque};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

type Tool = Arc<dyn Fn(Map<String, Value>) -> Outcome + Send + Sync>;

/// A tool host of plain functions.
#[derive(Default, Clone)]
pub struct StaticHost(BTreeMap<ToolId, (Option<Digest>, Tool)>);

impl StaticHost {
    /// Adds a tool. `live` is the digest its server would list; none where it would not say.
    #[must_use]
    pub fn with(mut self, id: ToolId, live: Option<Digest>, run: impl Fn(Map<String, Value>) -> Outcome + Send + Sync + 'static) -> Self {
        self.0.insert(id, (live, Arc::new(run)));
        self
    }
}

struct StaticLease(Option<Digest>, Tool);

impl Lease for StaticLease {
    fn facts(&self) -> LeaseFacts {
        LeaseFacts { live: self.0 }
    }

    fn start(self: Box<Self>, sent: Sent) -> Pin<Box<dyn Future<Output = Outcome> + Send>> {
        let outcome = (self.1)(sent.into_parts().0);
        Box::pin(async move { outcome })
    }
}

#[async_trait]
impl ToolHost for StaticHost {
    async fn reserve(&self, _: &Asker, id: &ToolId) -> Result<Box<dyn Lease>, Outcome> {
        let (live, run) = self.0.get(id).cloned().ok_or_else(|| Outcome::Unreachable(format!("no route to `{}`", id.server())))?;
        Ok(Box::new(StaticLease(live, run)))
    }
}

/// A person who follows a script. When it is exhausted they deny.
pub struct Script {
    name: String,
    decisions: Mutex<VecDeque<Decision>>,
}

impl Script {
    /// A person of this name, and what they will say.
    #[must_use]
    pub fn new(name: &str, decisions: impl IntoIterator<Item = Decision>) -> Self {
        Self { name: name.to_owned(), decisions: Mutex::new(decisions.into_iter().collect()) }
    }

    /// What they answer to a question shown to them.
    pub fn answer(&self, question: &Question) -> Answer {
        let decision = self.decisions.lock().pop_front().unwrap_or(Decision::Deny);
        let by = Decider::Person { name: self.name.clone(), channel: Channel::Code, strength: Strength::Strong };
        Answer { shown: question.digest(), decision, by }
    }

    /// Answers everything that waits at a desk, once.
    pub async fn sit(&self, desk: &Desk) {
        for question in desk.waiting() {
            desk.answer(question.asker.session, question.id, self.answer(&question)).await;
        }
    }
}

/// A clock that stands until it is moved.
#[derive(Debug)]
pub struct ManualClock(Mutex<Instant>);

impl Default for ManualClock {
    fn default() -> Self {
        Self(Mutex::new(Instant { wall: 1_800_000_000_000, boot: 1_000, boot_id: 1 }))
    }
}

impl ManualClock {
    /// Moves both clocks on.
    pub fn advance(&self, ms: u64) {
        let mut now = self.0.lock();
        *now = now.after(ms);
    }

    /// Sets the instant, as a reboot or a changed wall clock does.
    pub fn set(&self, to: Instant) {
        *self.0.lock() = to;
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Instant {
        *self.0.lock()
    }
}

/// Entropy that repeats from a seed: worthless for secrets.
#[derive(Debug)]
pub struct SeededEntropy(Mutex<u128>);

impl SeededEntropy {
    /// Starts at a seed.
    #[must_use]
    pub const fn new(seed: u128) -> Self {
        Self(Mutex::new(seed))
    }
}

impl Entropy for SeededEntropy {
    fn bits(&self) -> u128 {
        let mut state = self.0.lock();
        *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
        let mixed = (*state ^ (*state >> 64)).wrapping_mul(0x2360_ed05_1fc6_5da4_4385_df64_9fcc_f645);
        mixed ^ (mixed >> 67)
    }
}
