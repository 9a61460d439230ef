//! Activation as a resumable machine: plan, ask, commit. It never waits for a person.
//!
//! Is: the only writer of grants. Is not: a channel; answers come in through the other handle, by way of `desk`.
//! Clauses: ACT-1, ACT-2, ACT-9, AUTH-5, AUTH-6, CAT-7, POL-4. Invariants: I-1, I-2, I-3, I-10.

mod answering;
mod words;

pub use answering::{Answering, Settled};
pub use words::Word;

use crate::authority::{Confirmation, Decided, Remembered, decide};
use crate::grant::issue;
use crate::ledger::{CommitError, Entry, Journal};
use crate::request::{Resolved, resolve};
use crate::session::{Cell, Rates, Registry, Widening};
use crate::view::{Frame, Views};
use agent_core::id::ToolId;
use agent_core::limits::{ACTIVE_MAX, PLANS, REQUEST_MS};
use agent_core::refusal::Refusal;
use agent_core::request::{Covers, Question};
use agent_core::session::{Asker, RequestId};
use agent_core::state::Settlement;
use agent_core::time::Entropy;
use agent_core::transition::{Transition, Withdrawal};
use std::sync::Arc;
use std::time::Duration;
use words::Words;

/// What a request for activation comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asked {
    /// All of it is active. The set's version is that of exactly this batch, or of the set where nothing was added.
    Active {
        /// The set's version.
        set: u64,
        /// How many the batch added.
        added: usize,
    },
    /// A person is asked.
    Waiting(Box<Question>),
    /// No.
    Refused(Refusal),
}

/// On whose account a batch is planned.
enum Account {
    /// The asker's, who may need a person.
    Asker(Covers),
    /// The operator's list of presets, which is a yes below `deny`, `hide` and the ceiling.
    List,
    /// The rules' alone, at a session's start: what needs a person is left.
    Rule,
}

/// The machine, as both handles share it.
struct Machine {
    views: Arc<Views>,
    journal: Arc<Journal>,
    sessions: Arc<Registry>,
    entropy: Arc<dyn Entropy>,
    rates: Rates,
    words: Words,
    activated: Activated,
}

/// Told of each batch that a model's request made active, with no lock held.
pub(crate) type Activated = Box<dyn Fn(&Asker, &[ToolId]) + Send + Sync>;

/// The asker's handle: it can ask and wait, never answer.
#[derive(Clone)]
pub struct Asking(Arc<Machine>);

/// Both handles on one machine.
pub(crate) fn pair(
    views: Arc<Views>,
    journal: Arc<Journal>,
    sessions: Arc<Registry>,
    entropy: Arc<dyn Entropy>,
    activated: Activated,
) -> (Asking, Answering) {
    let machine = Arc::new(Machine { views, journal, sessions, entropy, rates: Rates::default(), words: Words::default(), activated });
    (Asking(machine.clone()), Answering::new(machine))
}

impl Asking {
    /// Asks for exact ids, all or nothing. `covers` is for whom a person's yes would hold.
    pub async fn request(&self, cell: &Arc<Cell>, ids: &[String], covers: &Covers) -> Asked {
        self.run(cell, ids, Account::Asker(covers.clone())).await
    }

    /// Activates one id of the operator's list at a session's start, where the policy doesn't say no.
    pub(crate) async fn preset(&self, cell: &Arc<Cell>, id: &str) -> Asked {
        self.run(cell, &[id.to_owned()], Account::List).await
    }

    /// Activates one id at a session's start as a preset, where a rule says `auto`. Asks nobody.
    pub(crate) async fn preset_by_rule(&self, cell: &Arc<Cell>, id: &str) -> Asked {
        self.run(cell, &[id.to_owned()], Account::Rule).await
    }

    // INVARIANT: I-10 the plan runs to its end in a task of the engine
    async fn run(&self, cell: &Arc<Cell>, ids: &[String], account: Account) -> Asked {
        let (machine, cell, ids) = (self.0.clone(), cell.clone(), ids.to_vec());
        let task = tokio::spawn(async move { machine.request(&cell, &ids, &account).await });
        task.await.unwrap_or(Asked::Refused(Refusal::RecordUnknown))
    }

    /// Waits until a request is answered, at most so long; then it is still waiting.
    pub async fn wait(&self, cell: &Arc<Cell>, request: RequestId, at_most: Duration) -> Asked {
        let mut changed = cell.listen();
        let settled = async {
            loop {
                let state = cell.state();
                if let Some(settlement) = state.settlement(request) {
                    return told(request, settlement);
                }
                if state.waiting.as_ref().is_none_or(|question| question.id != request) || changed.changed().await.is_err() {
                    return Asked::Refused(Refusal::Withdrawn(request));
                }
            }
        };
        let waited = tokio::time::timeout(at_most, settled).await;
        waited.unwrap_or_else(|_| match &cell.state().waiting {
            Some(question) if question.id == request => Asked::Waiting(question.clone()),
            _ => Asked::Refused(Refusal::Withdrawn(request)),
        })
    }
}

fn told(request: RequestId, settlement: &Settlement) -> Asked {
    match settlement {
        Settlement::Active(set, added) => Asked::Active { set: *set, added: *added },
        Settlement::Denied(ids) => Asked::Refused(Refusal::DeniedByPerson(ids.clone())),
        Settlement::Withdrawn(Withdrawal::Expired) => Asked::Refused(Refusal::RequestExpired(request)),
        Settlement::Withdrawn(_) => Asked::Refused(Refusal::Withdrawn(request)),
    }
}

impl Machine {
    async fn request(&self, cell: &Arc<Cell>, ids: &[String], account: &Account) -> Asked {
        for _ in 0..PLANS {
            self.mend(cell).await;
            match self.plan(cell, ids, account).await {
                Ok(asked) => return asked,
                Err(CommitError::Conflict(..)) => {}
                Err(error) => return Asked::Refused(error.into()),
            }
        }
        Asked::Refused(Refusal::Contended)
    }

    async fn mend(&self, cell: &Cell) {
        self.views.standing.mend(&self.journal, &cell.asker().principal).await;
        cell.mend(&self.journal).await;
    }

    async fn plan(&self, cell: &Arc<Cell>, ids: &[String], account: &Account) -> Result<Asked, CommitError> {
        let preset = !matches!(account, Account::Asker(_));
        let frame = self.views.frame(cell);
        let view = frame.session();
        let resolved = match frame.open().and_then(|()| resolve(&frame.catalog, &view, |tool| frame.shows(tool), ids)) {
            Ok(resolved) => resolved,
            Err(refusal) => return Ok(Asked::Refused(refusal)),
        };
        if resolved.new_tools().is_empty() {
            return Ok(Asked::Active { set: frame.state.set, added: 0 });
        }
        if let Err(refusal) = room(&frame, &resolved, preset) {
            return Ok(Asked::Refused(refusal));
        }
        let remembered = Remembered { principal: &frame.principal, standing: !preset, pins: &frame.host.pins };
        let policy = if matches!(account, Account::List) { &preset_policy(&frame) } else { &frame.policy.policy };
        match decide(policy, frame.policy.digest, resolved, &view, remembered, frame.now) {
            Decided::Refused(refusal) => Ok(Asked::Refused(refusal)),
            Decided::Granted(confirmation) => {
                let request = RequestId::new(self.entropy.bits());
                drop(view);
                self.grant(cell, frame, request, confirmation, preset, Vec::new()).await?;
                Ok(cell.state().settlement(request).map_or(Asked::Refused(Refusal::RecordUnknown), |done| told(request, done)))
            }
            Decided::Ask { what, strong } => match account {
                Account::Asker(covers) => self.ask(cell, &frame, covers, what, strong).await,
                Account::List | Account::Rule => {
                    let ids = what.into_iter().map(|asked| asked.bound.id).collect();
                    Ok(Asked::Refused(Refusal::DeniedByPolicy(ids)))
                }
            },
        }
    }

    /// Commits a batch with the pins born with it and what else belongs to it, if host, principal and session stand where
    /// the plan saw them. Lets the frame go first: states that nobody else holds are folded in place.
    async fn grant(
        &self,
        cell: &Cell,
        frame: Frame,
        request: RequestId,
        confirmation: Confirmation,
        preset: bool,
        mut also: Vec<Entry>,
    ) -> Result<(), CommitError> {
        if confirmation.asker() != cell.asker() {
            return Err(CommitError::Refused("a yes for another session".to_owned()));
        }
        let bounds = confirmation.bounds();
        let ids: Vec<_> = bounds.iter().map(|bound| bound.id.clone()).collect();
        let widening = Widening::new(request, issue(confirmation, request, preset, frame.now));
        let fresh: Vec<_> = bounds.into_iter().filter(|bound| !frame.host.accepted(&bound.id, &bound.digest)).collect();
        also.extend((!fresh.is_empty()).then(|| self.views.standing.pin(frame.host_at(), fresh)));
        let (at, seen) = (frame.at(), frame.seen());
        drop(frame);
        cell.widen(&self.sessions, &self.journal, at, widening, seen, also).await?;
        if !preset {
            (self.activated)(cell.asker(), &ids);
        }
        Ok(())
    }

    async fn ask(
        &self,
        cell: &Cell,
        frame: &Frame,
        covers: &Covers,
        mut what: Vec<agent_core::request::Asked>,
        strong: bool,
    ) -> Result<Asked, CommitError> {
        if let Some(waiting) = &frame.state.waiting {
            let same = waiting.what.iter().map(|asked| &asked.bound).eq(what.iter().map(|asked| &asked.bound));
            return Ok(if same { Asked::Waiting(waiting.clone()) } else { Asked::Refused(Refusal::AnotherWaiting(waiting.id)) });
        }
        if self.rates.exceeded(&frame.asker.principal, frame.now) {
            return Ok(Asked::Refused(Refusal::TooOften));
        }
        for asked in &mut what {
            asked.names = frame.mentioned(&asked.bound.id);
        }
        let question = Box::new(Question {
            id: RequestId::new(self.entropy.bits()),
            asker: frame.asker.clone(),
            covers: covers.clone(),
            what,
            strong,
            asked: frame.now,
            expires: frame.now.after(REQUEST_MS),
        });
        let requested = Transition::Requested { question: question.clone() };
        cell.record(&self.journal, frame.at(), requested, frame.seen()).await?;
        self.rates.count(&frame.asker.principal, frame.now);
        Ok(Asked::Waiting(question))
    }
}

/// Whether the set has room for what is new. A suspended grant that is granted anew takes no more of it.
fn room(frame: &Frame, resolved: &Resolved, preset: bool) -> Result<(), Refusal> {
    let replaced = |id| frame.state.held(id).is_some_and(|held| !held.grant.preset);
    let asked = resolved.new_tools().iter().filter(|tool| !replaced(&tool.descriptor.id)).count();
    let active = frame.state.count(false);
    if preset || active + asked <= ACTIVE_MAX { Ok(()) } else { Err(Refusal::TooManyActive { active, asked }) }
}

/// A preset is the operator's own `auto`, below `deny`, `hide` and the ceiling.
fn preset_policy(frame: &Frame) -> crate::policy::Policy {
    frame.policy.policy.with_prompts_granted()
}
