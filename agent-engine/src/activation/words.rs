//! Who decided the last requests, and what: for whoever answers one of them too.
//!
//! Is: in memory, empty after a restart, which withdraws whatever waits. Is not: an order; the session's turn is one
//! (`Cell::turn`), and a word is kept before the turn ends. Clauses: AUTH-3, AUTH-5.

use agent_core::request::{Answer, Decider, Decision};
use agent_core::session::RequestId;
use parking_lot::Mutex;
use std::collections::VecDeque;

/// Words that are kept.
const KEPT: usize = 256;

/// A person's word on a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// What.
    pub decision: Decision,
    /// Who, by what evidence.
    pub by: Decider,
}

#[derive(Default)]
pub(super) struct Words(Mutex<VecDeque<(RequestId, Word)>>);

impl Words {
    /// Who decided a request, if it is among the last.
    pub(super) fn of(&self, request: RequestId) -> Option<Word> {
        self.0.lock().iter().rev().find(|(id, _)| *id == request).map(|(_, word)| word.clone())
    }

    /// An answer decided its request.
    pub(super) fn keep(&self, request: RequestId, answer: &Answer) {
        let word = Word { decision: answer.decision.clone(), by: answer.by.clone() };
        let mut words = self.0.lock();
        words.push_back((request, word));
        let surplus = words.len().saturating_sub(KEPT);
        words.drain(..surplus);
    }
}
