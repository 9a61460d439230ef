//! The engine as a `System`: one process after another on one disk, driven through its two faces.
//!
//! Is not: an opinion. Where a rule would have to be known here, the model and the engine are asked less.

mod calls;
mod look;
mod words;

use super::ports::{Disk, Hand, Tools};
use agent_core::session::{Bound, PrincipalId, ProfileId, SessionId};
use agent_engine::catalog::assemble;
use agent_engine::desk::Desk;
use agent_engine::engine::{Front, Parts, build};
use agent_engine::policy;
use agent_engine::session::Cell;
use agent_engine::testing::{ManualClock, SeededEntropy};
use agent_spec::model::{Id, Op, Seen, System, Told};
use calls::Call;
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio::runtime::{Builder, Runtime};

/// A session that was opened, and its client's hold on it while a process knows it.
struct Session {
    id: SessionId,
    principal: PrincipalId,
    cell: Option<Arc<Cell>>,
}

/// One process.
struct Process {
    front: Front,
    desk: Desk,
    hand: Arc<Hand>,
    tools: Tools,
}

/// The engine, what it is built from, and what its clients hold.
pub(super) struct Engine {
    runtime: Option<Runtime>,
    state: State,
}

struct State {
    process: Process,
    disk: Arc<Disk>,
    clock: Arc<ManualClock>,
    entropy: Arc<SeededEntropy>,
    policy: policy::Policy,
    catalog: Option<BTreeMap<Id, u32>>,
    sessions: Vec<Session>,
    calls: Vec<Call>,
}

impl Engine {
    pub(super) fn new() -> Self {
        let runtime = Builder::new_current_thread().enable_time().build().unwrap();
        let (disk, clock) = (Arc::new(Disk::default()), Arc::new(ManualClock::default()));
        let (entropy, policy) = (Arc::new(SeededEntropy::new(1)), policy::Policy::default());
        let process = runtime.block_on(start(&disk, &clock, &entropy, &policy));
        let state = State { process, disk, clock, entropy, policy, catalog: None, sessions: Vec::new(), calls: Vec::new() };
        Self { runtime: Some(runtime), state }
    }
}

impl System for Engine {
    fn step(&mut self, op: &Op) -> Seen {
        let Self { runtime: Some(runtime), state } = self else { panic!("no runtime") };
        runtime.block_on(async {
            let told = state.act(op).await;
            Seen { told, sessions: state.look(), standing: state.standing().await }
        })
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.state.process.hand.die();
        self.runtime.take().into_iter().for_each(Runtime::shutdown_background);
    }
}

async fn start(disk: &Arc<Disk>, clock: &Arc<ManualClock>, entropy: &Arc<SeededEntropy>, policy: &policy::Policy) -> Process {
    let (hand, tools) = (Arc::new(Hand::new(disk.clone())), Tools::default());
    let mut parts = Parts::new(hand.clone(), Arc::new(tools.clone()), clock.clone(), entropy.clone());
    parts.policy = policy.clone();
    let (front, desk) = build(parts).await.unwrap();
    Process { front, desk, hand, tools }
}

impl State {
    async fn act(&mut self, op: &Op) -> Told {
        match op {
            Op::Publish(tools) => self.publish(tools).await,
            Op::SetPolicy(policy) => self.set_policy(words::policy(policy)).await,
            Op::Open { principal, profile } => self.open(*principal, *profile).await,
            Op::Search { session } => self.search(*session).await,
            Op::Request { session, ids, dropped } => self.request(*session, ids, *dropped).await,
            Op::Answer { session, which, right, answer } => self.answer(*session, *which, *right, answer).await,
            Op::Wait { session } => self.wait(*session).await,
            Op::Deactivate { session, ids } => self.deactivate(*session, ids).await,
            Op::Revoke(scope) => self.revoke(scope).await,
            Op::Forget { principal, id } => self.forget(*principal, id.as_ref()).await,
            Op::Close { session } => self.close(*session).await,
            Op::Accept(id) => self.accept(id).await,
            Op::Advance(ms) => self.advance(*ms).await,
            Op::Stop => words::in_effect(self.process.desk.stop("operator").await),
            Op::Resume => words::committed(self.process.desk.resume("operator").await),
            Op::Admit { session, id } => self.admit(*session, id).await,
            Op::Permit(nth) => self.permit(*nth).await,
            Op::End(nth) => self.end(*nth).await,
            Op::DropCall(nth) => self.drop_call(*nth).await,
            Op::Commits(commits) => {
                self.disk.answer_with(*commits);
                Told::Done
            }
            Op::Restart => self.restart().await,
        }
    }

    async fn publish(&mut self, tools: &BTreeMap<Id, u32>) -> Told {
        self.catalog = Some(tools.clone());
        let published = self.process.desk.publish(assemble(&words::sources(tools))).await;
        if published.is_some() { Told::Done } else { Told::Nothing }
    }

    async fn set_policy(&mut self, policy: policy::Policy) -> Told {
        self.policy = policy.clone();
        words::in_effect(self.process.desk.put_in_force(policy).await.1)
    }

    async fn open(&mut self, principal: usize, profile: bool) -> Told {
        let principal = words::principal(principal);
        let profile = profile.then(|| ProfileId::parse(words::PROFILE).unwrap());
        match self.process.front.open(principal.clone(), profile, false).await {
            Err(error) => words::committed(Err(error)),
            Ok(opened) => {
                let id = opened.session.asker().session;
                self.sessions.push(Session { id, principal, cell: Some(opened.session) });
                Told::Opened(opened.refused.into_iter().map(|(id, refusal)| (id.to_string(), refusal.code())).collect())
            }
        }
    }

    async fn accept(&self, id: &Id) -> Told {
        let catalog = self.process.desk.catalog();
        let Some(tool) = catalog.get(id) else { return Told::Nothing };
        let bound = Bound { id: tool.descriptor.id.clone(), digest: tool.descriptor.digest };
        words::accepted(self.process.desk.accept(vec![bound]).await)
    }

    async fn advance(&self, ms: u64) -> Told {
        self.clock.advance(ms);
        self.process.desk.tick().await;
        Told::Done
    }

    /// The process is gone, with every task of it; another starts on what the disk holds.
    async fn restart(&mut self) -> Told {
        self.process.hand.die();
        for call in &mut self.calls {
            call.forget().await;
        }
        self.process = start(&self.disk, &self.clock, &self.entropy, &self.policy).await;
        for session in &mut self.sessions {
            session.cell = self.process.front.resume(&session.principal, session.id, None);
        }
        if let Some(tools) = &self.catalog {
            self.process.desk.publish(assemble(&words::sources(tools))).await;
        }
        self.process.desk.tick().await;
        Told::Done
    }

    /// A client's hold on a session.
    fn cell(&self, session: usize) -> Option<Arc<Cell>> {
        self.sessions.get(session)?.cell.clone()
    }
}
