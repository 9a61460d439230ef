//! The other handle of the machine: answers to what waits.
//!
//! Is: held by channels and operators through `desk` alone. Clauses: AUTH-2, AUTH-3, AUTH-5, AUTH-6, CAT-7, POL-4.
//! Invariants: I-3, I-10.

use super::words::Word;
use super::{Machine, room};
use crate::authority::{Accepted, accept};
use crate::ledger::{CommitError, Entry};
use crate::request::resolve;
use crate::session::Cell;
use agent_core::limits::{DENIAL_MS, PLANS};
use agent_core::refusal::Refusal;
use agent_core::request::{Answer, Decider, Question};
use agent_core::session::{Bound, RequestId, SessionId};
use agent_core::state::Settlement;
use agent_core::transition::{Transition, Withdrawal};
use std::sync::Arc;

/// What an answer came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Settled {
    /// Granted; the set's version of exactly this batch, and how many it added.
    Granted {
        /// The set's version.
        set: u64,
        /// How many were added.
        added: usize,
    },
    /// Granted in the same way, where the person said always.
    Always {
        /// The set's version.
        set: u64,
        /// How many were added.
        added: usize,
        /// Whether it stands for later requests; not where a rule demands a strong answer.
        stands: bool,
    },
    /// Denied and remembered; `recorded` is false where that could not be written down.
    Denied {
        /// Whether it is recorded; it is in effect either way.
        recorded: bool,
    },
    /// The request ended without a grant and without being remembered.
    Withdrawn,
    /// Not an answer to what waits: another digest, or a late one. Nothing changed.
    NotAnAnswer,
    /// A yes to what waits, where only a stronger one counts. Nothing changed.
    TooWeak,
    /// A yes that could not be put in effect. The request goes on waiting.
    Failed(Refusal),
}

impl Settled {
    /// Whether a person's word decided.
    const fn ends(&self) -> bool {
        matches!(self, Self::Granted { .. } | Self::Always { .. } | Self::Denied { .. })
    }

    /// The code of the record of what was no answer.
    const fn void(&self) -> Option<&'static str> {
        match self {
            Self::NotAnAnswer => Some("not-an-answer"),
            Self::TooWeak => Some("too-weak"),
            Self::Granted { .. } | Self::Always { .. } | Self::Denied { .. } | Self::Withdrawn | Self::Failed(_) => None,
        }
    }
}

/// The answering handle.
#[derive(Clone)]
pub struct Answering(Arc<Machine>);

impl Answering {
    pub(super) const fn new(machine: Arc<Machine>) -> Self {
        Self(machine)
    }

    /// Everything that waits for a person, oldest first.
    #[must_use]
    pub fn waiting(&self) -> Vec<Question> {
        let all = self.0.sessions.all();
        let mut waiting: Vec<_> = all.iter().filter_map(|cell| cell.state().waiting.as_deref().cloned()).collect();
        waiting.sort_by_key(|question| question.asked.wall);
        waiting
    }

    /// Who decided a request, and what: of the last that persons decided since the process began.
    #[must_use]
    pub fn decided(&self, request: RequestId) -> Option<Word> {
        self.0.words.of(request)
    }

    /// Answers one request of one session. Runs to its end, whether its caller waits or not.
    // INVARIANT: I-10
    pub async fn answer(&self, session: SessionId, request: RequestId, answer: Answer) -> Settled {
        let machine = self.0.clone();
        let task = tokio::spawn(async move { machine.answer(session, request, &answer).await });
        task.await.unwrap_or(Settled::Failed(Refusal::RecordUnknown))
    }
}

impl Machine {
    async fn answer(&self, session: SessionId, request: RequestId, answer: &Answer) -> Settled {
        let Some(cell) = self.sessions.find(session) else { return Settled::NotAnAnswer };
        let _turn = cell.turn().await;
        for _ in 0..PLANS {
            self.mend(&cell).await;
            match self.settle(&cell, request, answer).await {
                Ok(settled) => {
                    if settled.ends() {
                        self.words.keep(request, answer);
                    }
                    if let Some(code) = settled.void() {
                        let what = Transition::Refused { code: code.to_owned(), about: request.to_string(), count: 1 };
                        self.journal.note(cell.stream(), what);
                    }
                    return settled;
                }
                Err(CommitError::Conflict(..)) => {}
                Err(error) => return Settled::Failed(error.into()),
            }
        }
        Settled::Failed(Refusal::Contended)
    }

    async fn settle(&self, cell: &Arc<Cell>, request: RequestId, answer: &Answer) -> Result<Settled, CommitError> {
        let frame = self.views.frame(cell);
        let Some(question) = frame.state.waiting.clone().filter(|question| question.id == request) else {
            return Ok(Settled::NotAnAnswer);
        };
        if frame.now.reached(question.expires) {
            return Ok(self.withdraw(cell, request, Withdrawal::Expired).await);
        }
        let ids: Vec<_> = question.what.iter().map(|asked| asked.bound.id.to_string()).collect();
        let again = resolve(&frame.catalog, &frame.session(), |tool| frame.shows(tool), &ids).ok();
        let full = again.as_ref().is_some_and(|again| room(&frame, again, false).is_err());
        match accept(&frame.policy.policy, &question, again, answer, &frame.host.pins) {
            Accepted::NotAnAnswer => Ok(Settled::NotAnAnswer),
            Accepted::TooWeak => Ok(Settled::TooWeak),
            Accepted::Dismissed => Ok(self.withdraw(cell, request, Withdrawal::Dismissed).await),
            Accepted::Changed => Ok(self.withdraw(cell, request, Withdrawal::Changed).await),
            Accepted::No(denied) => Ok(self.deny(cell, request, denied, answer.by.clone()).await),
            Accepted::Yes(_) if full && frame.open().is_ok() => Ok(self.withdraw(cell, request, Withdrawal::Refused).await),
            Accepted::Yes(confirmation) => {
                if let Err(refusal) = frame.open() {
                    return Ok(Settled::Failed(refusal));
                }
                let stands = confirmation.always().map(|bounds| !bounds.is_empty());
                let remember = confirmation.always().filter(|bounds| !bounds.is_empty()).map(|bounds| {
                    let bounds = bounds.to_vec();
                    let made = Transition::StandingMade { bounds, by: answer.by.clone() };
                    self.views.standing.principal_entry(&frame.asker.principal, frame.principal_at(), made)
                });
                let also: Vec<Entry> = remember.into_iter().collect();
                self.grant(cell, frame, request, confirmation, false, also).await?;
                let state = cell.state();
                Ok(match (state.settlement(request), stands) {
                    (Some(Settlement::Active(set, added)), None) => Settled::Granted { set: *set, added: *added },
                    (Some(Settlement::Active(set, added)), Some(stands)) => Settled::Always { set: *set, added: *added, stands },
                    _ => Settled::Failed(Refusal::RecordUnknown),
                })
            }
        }
    }

    async fn withdraw(&self, cell: &Cell, request: RequestId, why: Withdrawal) -> Settled {
        cell.narrow(&self.journal, Transition::Withdrawn { request, why }, Vec::new(), false).await;
        Settled::Withdrawn
    }

    /// A person's no: in effect for the session and the principal before it is recorded, and recorded in one commit.
    async fn deny(&self, cell: &Cell, request: RequestId, denied: Vec<Bound>, by: Decider) -> Settled {
        let until = self.journal.now().after(DENIAL_MS);
        let remembered = Transition::Denied { bounds: denied.clone(), until };
        let entry = self.views.standing.narrow_principal(&self.journal, &cell.asker().principal, remembered);
        let answered = Transition::Answered { request, denied, by };
        let narrowed = cell.narrow(&self.journal, answered, vec![entry], false).await;
        Settled::Denied { recorded: narrowed.recorded }
    }
}
