//! Turns at the processor: of the connections of one session only so many are worked on at one instant.
//!
//! Work is queued for the processors in the order in which it comes; a session that calls on many connections at once would stand
//! in front of everybody else's calls with all of them. With a lane it stands there with a few, and its others wait behind those. What
//! waits for a server, or for the client, has no turn. Is not: a bound on how many requests there are (`http::account`), nor a
//! decision. Clause: SES-3.

use parking_lot::Mutex;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::sync::Semaphore;
use tokio_util::sync::PollSemaphore;

/// Connections of one session that are worked on at one instant.
const TURNS: usize = 1;

/// A session's.
#[derive(Clone)]
pub(crate) struct Lane(Arc<Semaphore>);

/// Where the requests of a connection say whose they are.
#[derive(Clone, Default)]
pub(crate) struct Slot(Arc<Mutex<Option<Lane>>>);

/// A connection that takes its turns.
pub(super) struct InTurn<F> {
    served: F,
    slot: Slot,
    /// The lane that it is in, once there was one.
    lane: Option<(Lane, PollSemaphore)>,
}

impl Default for Lane {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(TURNS)))
    }
}

impl Slot {
    /// From now on the connection is of that session.
    pub(crate) fn enter(&self, lane: &Lane) {
        let mut slot = self.0.lock();
        if slot.as_ref().is_none_or(|known| !Arc::ptr_eq(&known.0, &lane.0)) {
            *slot = Some(lane.clone());
        }
    }
}

impl<F> InTurn<F> {
    pub(super) const fn new(served: F, slot: Slot) -> Self {
        Self { served, slot, lane: None }
    }
}

impl<F: Future + Unpin> Future for InTurn<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let this = &mut *self;
        {
            let slot = this.slot.0.lock();
            match (&*slot, &this.lane) {
                (Some(lane), Some((known, _))) if Arc::ptr_eq(&lane.0, &known.0) => {}
                (Some(lane), _) => this.lane = Some((lane.clone(), PollSemaphore::new(lane.0.clone()))),
                (None, _) => {}
            }
        }
        let turn = match &mut this.lane {
            None => None,
            Some((_, turns)) => match turns.poll_acquire(context) {
                Poll::Ready(turn) => turn,
                Poll::Pending => return Poll::Pending,
            },
        };
        let polled = Pin::new(&mut this.served).poll(context);
        drop(turn);
        polled
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn ses_3_a_session_is_worked_on_at_one_place_at_a_time_and_all_of_it_gets_done() {
        let (lane, at_once) = (Lane::default(), Arc::new(AtomicUsize::new(0)));
        let works = |at_once: Arc<AtomicUsize>| async move {
            for _ in 0..50 {
                assert_eq!(at_once.fetch_add(1, Ordering::SeqCst), 0);
                std::thread::yield_now();
                at_once.fetch_sub(1, Ordering::SeqCst);
                tokio::task::yield_now().await;
            }
        };
        let run = |slot: Slot| tokio::spawn(InTurn::new(Box::pin(works(at_once.clone())), slot));
        let all: Vec<_> = (0..16)
            .map(|_| {
                let slot = Slot::default();
                slot.enter(&lane);
                run(slot)
            })
            .collect();
        // One that goes in the middle holds nobody up.
        let gone = Slot::default();
        gone.enter(&lane);
        let gone = tokio::spawn(InTurn::new(Box::pin(std::future::pending::<()>()), gone));
        gone.abort();
        for one in all {
            assert!(one.await.is_ok());
        }
    }

    #[tokio::test]
    async fn ses_3_a_connection_of_nobody_waits_for_nobody() {
        let lane = Lane::default();
        let _turn = lane.0.clone().try_acquire_owned();
        assert_eq!(InTurn::new(Box::pin(async { 7 }), Slot::default()).await, 7);
        let slot = Slot::default();
        slot.enter(&lane);
        let waits = tokio::time::timeout(std::time::Duration::from_millis(50), InTurn::new(Box::pin(async { 7 }), slot));
        assert!(waits.await.is_err(), "its session is worked on");
    }
}
