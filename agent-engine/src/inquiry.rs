//! Questions that are about no permission: put to a person beside the requests, over the same channels.
//!
//! Is: two handles on one room: whoever runs a call asks, and waits; the operator's desk lists and answers. Is not: a way to a grant:
//! the room can't name a policy, an authority or a grant, and a rule can't be who answered. A question and its answer are on record
//! before either is seen (I-8), and it ends as a request does: by its answer, its time, its asker, its session or a restart.
//! Clause: AUTH-8. Invariants: I-8, I-10. Neighbours: `carry` ends what is over, `engine` what a restart left.

use crate::ledger::{CommitError, Journal};
use crate::session::{Cell, Rates, Registry};
use crate::view::Views;
use agent_core::inquiry::{Answerer, Ended, Inquiry, Reply, Unfit, Wording};
use agent_core::limits::{INQUIRIES, PLANS, REQUEST_MS};
use agent_core::refusal::Refusal;
use agent_core::session::SessionId;
use agent_core::transition::{Transition, Withdrawal};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Why a question has no answer, or an answer no effect.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unanswered {
    /// There is no channel by which a person could answer. Nothing was asked.
    #[error("there is no channel by which a person could answer")]
    NoChannel,
    /// It could not be put, ended without an answer, or does not wait.
    #[error("{0}")]
    Failed(Failure),
    /// What was said is not among the choices, or no text within bounds. The question goes on waiting.
    #[error("that is not one of the choices")]
    NotAChoice,
}

/// What failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// The question is not one that can be put.
    #[error(transparent)]
    Unfit(Unfit),
    /// As many questions wait in the session, or were put for its principal within a minute, as may be.
    #[error("too many questions were asked lately")]
    TooMany,
    /// It ended without an answer.
    #[error("the question ended without an answer")]
    Ended(Withdrawal),
    /// It does not wait: there is none, or somebody answered before.
    #[error("no such question waits")]
    Gone,
    /// The host is stopped, the session is over, or it could not be recorded.
    #[error("it can't be done now")]
    Refused(Refusal),
}

struct Room {
    views: Arc<Views>,
    journal: Arc<Journal>,
    sessions: Arc<Registry>,
    rates: Rates,
    channels: AtomicUsize,
}

/// The asker's handle: it asks and waits, and never answers.
#[derive(Clone)]
pub struct Inquiring(Arc<Room>);

/// The answering handle, which the desk alone holds.
#[derive(Clone)]
pub(crate) struct Replying(Arc<Room>);

/// A channel by which persons are asked, for as long as this is held.
pub struct Attending(Arc<Room>);

impl Drop for Attending {
    fn drop(&mut self) {
        self.0.channels.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Inquiring {
    /// Puts a question to whoever may answer for the session, and waits for the answer, for 15 minutes at the most. Whoever stops
    /// waiting takes the question back. What a person said is theirs alone: it gives no authority, and no rule says it for them.
    ///
    /// # Errors
    /// [`Unanswered::NoChannel`] and [`Unanswered::Failed`]; an answer that is not among the choices is never one.
    pub async fn ask(&self, session: SessionId, wording: Wording) -> Result<Reply, Unanswered> {
        let room = self.0.clone();
        // INVARIANT: I-10 what sets out to be asked is asked; the guard that it gives takes it back where nobody waits
        let task = tokio::spawn(async move { room.put(session, wording).await });
        let asked = task.await.unwrap_or(Err(failed(Failure::Refused(Refusal::RecordUnknown))))?;
        asked.answer().await
    }
}

impl Replying {
    pub(crate) fn new(views: Arc<Views>, journal: Arc<Journal>, sessions: Arc<Registry>) -> Self {
        Self(Arc::new(Room { views, journal, sessions, rates: Rates::default(), channels: AtomicUsize::new(0) }))
    }

    /// Everything that waits, oldest first.
    pub(crate) fn waiting(&self) -> Vec<Inquiry> {
        let all = self.0.sessions.all();
        let mut waiting: Vec<_> = all.iter().flat_map(|cell| cell.state().inquiries.waiting.clone()).collect();
        waiting.sort_by_key(|inquiry| inquiry.asked.wall);
        waiting
    }

    /// Answers one question of one session.
    pub(crate) async fn reply(&self, session: SessionId, index: u64, reply: Reply, by: Answerer) -> Result<(), Unanswered> {
        let room = self.0.clone();
        // INVARIANT: I-10
        let task = tokio::spawn(async move { room.reply(session, index, &reply, &by).await });
        task.await.unwrap_or(Err(failed(Failure::Refused(Refusal::RecordUnknown))))
    }

    pub(crate) fn attend(&self) -> Attending {
        self.0.channels.fetch_add(1, Ordering::SeqCst);
        Attending(self.0.clone())
    }

    pub(crate) fn asker(&self) -> Inquiring {
        Inquiring(self.0.clone())
    }
}

impl Room {
    async fn put(self: &Arc<Self>, session: SessionId, wording: Wording) -> Result<Asked, Unanswered> {
        wording.fits().map_err(|unfit| failed(Failure::Unfit(unfit)))?;
        if self.channels.load(Ordering::SeqCst) == 0 {
            return Err(Unanswered::NoChannel);
        }
        let cell = self.sessions.find(session).ok_or_else(|| failed(Failure::Refused(Refusal::SessionEnded)))?;
        for _ in 0..PLANS {
            cell.mend(&self.journal).await;
            let frame = self.views.frame(&cell);
            frame.open().map_err(|refusal| failed(Failure::Refused(refusal)))?;
            let known = &frame.state.inquiries;
            if known.waiting.len() >= INQUIRIES || self.rates.exceeded(&frame.asker.principal, frame.now) {
                return Err(failed(Failure::TooMany));
            }
            let (index, expires) = (known.count + 1, frame.now.after(REQUEST_MS));
            let (asker, asked) = (frame.asker.clone(), frame.now);
            let inquiry = Box::new(Inquiry { index, asker, wording: wording.clone(), asked, expires });
            match cell.record(&self.journal, frame.at(), Transition::Inquired { inquiry }, frame.seen()).await {
                Ok(()) => {
                    self.rates.count(&frame.asker.principal, frame.now);
                    return Ok(Asked { room: self.clone(), cell, index });
                }
                Err(CommitError::Conflict(..)) => {}
                Err(error) => return Err(failed(Failure::Refused(error.into()))),
            }
        }
        Err(failed(Failure::Refused(Refusal::Contended)))
    }

    async fn reply(&self, session: SessionId, index: u64, reply: &Reply, by: &Answerer) -> Result<(), Unanswered> {
        let cell = self.sessions.find(session).ok_or_else(|| failed(Failure::Gone))?;
        let _turn = cell.turn().await;
        for _ in 0..PLANS {
            cell.mend(&self.journal).await;
            let frame = self.views.frame(&cell);
            let Some(inquiry) = frame.state.inquiries.waits(index) else { return Err(failed(Failure::Gone)) };
            if frame.now.reached(inquiry.expires) {
                self.withdraw(&cell, index, Withdrawal::Expired).await;
                return Err(failed(Failure::Ended(Withdrawal::Expired)));
            }
            if !inquiry.takes(reply) {
                let what = Transition::Refused { code: "not-a-choice".to_owned(), about: format!("question {index}"), count: 1 };
                self.journal.note(cell.stream(), what);
                return Err(Unanswered::NotAChoice);
            }
            let replied = Transition::Replied { index, reply: reply.clone(), by: by.clone() };
            match cell.record(&self.journal, frame.at(), replied, Vec::new()).await {
                Ok(()) => return Ok(()),
                Err(CommitError::Conflict(..)) => {}
                Err(error) => return Err(failed(Failure::Refused(error.into()))),
            }
        }
        Err(failed(Failure::Refused(Refusal::Contended)))
    }

    async fn withdraw(&self, cell: &Cell, index: u64, why: Withdrawal) {
        cell.narrow(&self.journal, Transition::InquiryWithdrawn { index, why }, Vec::new(), false).await;
    }
}

/// A question that was put, as long as its asker waits for it.
struct Asked {
    room: Arc<Room>,
    cell: Arc<Cell>,
    index: u64,
}

impl Asked {
    async fn answer(self) -> Result<Reply, Unanswered> {
        let ended = tokio::time::timeout(Duration::from_millis(REQUEST_MS), self.ended()).await;
        match ended {
            Ok(Some(Ended::Replied(reply))) => Ok(reply),
            Ok(Some(Ended::Withdrawn(why))) => Err(failed(Failure::Ended(why))),
            Ok(None) => Err(failed(Failure::Gone)),
            Err(_) => {
                self.room.withdraw(&self.cell, self.index, Withdrawal::Expired).await;
                Err(failed(Failure::Ended(Withdrawal::Expired)))
            }
        }
    }

    async fn ended(&self) -> Option<Ended> {
        let mut changed = self.cell.listen();
        loop {
            let state = self.cell.state();
            if state.inquiries.waits(self.index).is_none() {
                return state.inquiries.end(self.index).cloned();
            }
            if changed.changed().await.is_err() {
                return None;
            }
        }
    }
}

impl Drop for Asked {
    fn drop(&mut self) {
        if self.cell.state().inquiries.waits(self.index).is_none() {
            return;
        }
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            let (room, cell, index) = (self.room.clone(), self.cell.clone(), self.index);
            runtime.spawn(async move { room.withdraw(&cell, index, Withdrawal::Dismissed).await });
        }
    }
}

const fn failed(why: Failure) -> Unanswered {
    Unanswered::Failed(why)
}
