//! What a session's questions add up to: those that wait, and how the last ones ended.
//!
//! Clause: AUTH-8.

use crate::inquiry::{Ended, Inquiry};
use crate::limits::INQUIRIES_ENDED;
use crate::transition::{Transition, Withdrawal};
use serde::{Deserialize, Serialize};

/// A session's questions.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inquiries {
    /// How many were asked ever; the next one's index is one more.
    pub count: u64,
    /// Those that wait for a person, oldest first.
    pub waiting: Vec<Inquiry>,
    /// How the last ones ended, by index.
    pub ended: Vec<(u64, Ended)>,
}

impl Inquiries {
    pub(super) const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The one of an index, while it waits.
    #[must_use]
    pub fn waits(&self, index: u64) -> Option<&Inquiry> {
        self.waiting.iter().find(|inquiry| inquiry.index == index)
    }

    /// How one ended, if it is among the last.
    #[must_use]
    pub fn end(&self, index: u64) -> Option<&Ended> {
        self.ended.iter().rev().find(|(ended, _)| *ended == index).map(|(_, how)| how)
    }

    fn finish(&mut self, index: u64, how: Ended) {
        let Some(at) = self.waiting.iter().position(|inquiry| inquiry.index == index) else { return };
        self.waiting.remove(at);
        self.ended.push((index, how));
        let surplus = self.ended.len().saturating_sub(INQUIRIES_ENDED);
        self.ended.drain(..surplus);
    }

    pub(super) fn apply(&mut self, what: &Transition, session_ended: bool) {
        match what {
            Transition::Inquired { inquiry } if !session_ended && inquiry.index > self.count => {
                self.count = inquiry.index;
                self.waiting.push((**inquiry).clone());
            }
            Transition::Replied { index, reply, .. } => self.finish(*index, Ended::Replied(reply.clone())),
            Transition::InquiryWithdrawn { index, why } => self.finish(*index, Ended::Withdrawn(*why)),
            Transition::Closed { .. } => {
                while let Some(index) = self.waiting.first().map(|inquiry| inquiry.index) {
                    self.finish(index, Ended::Withdrawn(Withdrawal::Dismissed));
                }
            }
            _ => {}
        }
    }
}
