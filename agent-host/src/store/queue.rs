//! What waits for the writer: requests in the order in which they came, and a bell that is rung for those somebody waits for.
//!
//! Is: a queue that a note goes into without waking anybody, so that a call that starts and ends costs its host no switch to
//! another thread. Is not: a bound; who notes looks at how many wait. Clauses: AUD-1, STO-1.

use super::writer::Request;
use parking_lot::{Condvar, Mutex};
use std::sync::Arc;
use std::time::Instant;

#[derive(Default)]
struct Waiting {
    requests: Vec<Request>,
    /// Whether one of them is no note.
    asked: bool,
    /// Whether the writer looks again by itself.
    timed: bool,
    /// Whether nobody takes any more.
    closed: bool,
}

#[derive(Default)]
struct Inner {
    waiting: Mutex<Waiting>,
    bell: Condvar,
}

/// Where requests are handed over.
pub(super) struct Queue(Arc<Inner>);

/// Where the writer takes them. Dropped, it closes the queue, and drops what is in it.
pub(super) struct Incoming(Arc<Inner>);

pub(super) fn queue() -> (Queue, Incoming) {
    let inner = Arc::<Inner>::default();
    (Queue(inner.clone()), Incoming(inner))
}

impl Queue {
    /// Hands one over; false where nobody takes it any more.
    pub(super) fn send(&self, request: Request) -> bool {
        let mut waiting = self.0.waiting.lock();
        if waiting.closed {
            return false;
        }
        let asks = !matches!(request, Request::Note(_));
        waiting.requests.push(request);
        let first = asks && !waiting.asked;
        waiting.asked |= asks;
        if first || !(asks || waiting.timed) {
            waiting.timed = true;
            drop(waiting);
            self.0.bell.notify_one();
        }
        true
    }
}

impl Incoming {
    /// Everything that waits, once somebody waits for an answer, or many notes came, or that moment: none is no moment, until
    /// something comes.
    pub(super) fn take(&self, until: Option<Instant>, many: usize) -> Vec<Request> {
        let mut waiting = self.0.waiting.lock();
        while !waiting.asked && waiting.requests.len() < many {
            waiting.timed = until.is_some();
            match until {
                Some(until) if self.0.bell.wait_until(&mut waiting, until).timed_out() => break,
                None if !waiting.requests.is_empty() => break,
                Some(_) => {}
                None => self.0.bell.wait(&mut waiting),
            }
        }
        (waiting.asked, waiting.timed) = (false, true);
        std::mem::take(&mut waiting.requests)
    }
}

impl Drop for Incoming {
    fn drop(&mut self) {
        let mut waiting = self.0.waiting.lock();
        waiting.closed = true;
        waiting.requests.clear();
    }
}
