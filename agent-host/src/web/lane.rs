//! Turns at the processor: of the connections of one session only so many are worked on at one instant, and not all the time.
//!
//! Work is queued for the processors in the order in which it comes; a session that calls on many connections at once would stand
//! in front of everybody else's calls with all of them. With a lane it stands there with a few, and its others wait behind those; and
//! where others were worked on lately, a lane of several connections has its share of one processor and rests once it had more, for
//! what it does keeps servers and disks busy, too. What waits for a server, or for the client, has no turn. Is not: a bound on how many requests there are
//! (`http::account`), nor a decision. Clause: SES-3.

use parking_lot::Mutex;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Sleep, sleep};
use tokio_util::sync::PollSemaphore;

/// Connections of one session that are worked on at one instant.
const TURNS: usize = 1;
/// The share of one processor that a lane of several connections has beside others: one in so many.
const SHARE: u32 = 4;
/// How much more than its share it may have had: some dozens of calls.
const AHEAD: Duration = Duration::from_millis(2);
/// How long it rests then.
const REST: Duration = Duration::from_millis(8);
/// How long ago other lanes may have been worked on.
const LATELY: Duration = Duration::from_millis(100);

/// All lanes that are beside each other.
#[derive(Clone, Default)]
pub(crate) struct Lanes(Arc<Lately>);

/// The two lanes that were worked on last, and when.
#[derive(Default)]
struct Lately {
    lanes: AtomicU64,
    last: Mutex<[Option<(u64, Instant)>; 2]>,
}

/// A session's.
#[derive(Clone)]
pub(crate) struct Lane(Arc<Shared>);

struct Shared {
    number: u64,
    beside: Arc<Lately>,
    turns: Arc<Semaphore>,
    /// Connections that are in it.
    connections: AtomicUsize,
    /// How much more than its share it had, and when that was so.
    ahead: Mutex<(Duration, Instant)>,
}

/// Where the requests of a connection say whose they are.
#[derive(Clone, Default)]
pub(crate) struct Slot(Arc<Mutex<Option<Lane>>>);

/// A connection that takes its turns.
pub(super) struct InTurn<F> {
    served: F,
    slot: Slot,
    /// The place in the lane that it is in, once there was one.
    place: Option<Place>,
}

/// One connection's place in a lane.
struct Place {
    lane: Lane,
    turns: PollSemaphore,
    /// While the lane rests with this connection's turn.
    rest: Option<(Pin<Box<Sleep>>, OwnedSemaphorePermit)>,
}

impl Lanes {
    /// One more.
    pub(crate) fn lane(&self) -> Lane {
        let number = self.0.lanes.fetch_add(1, Ordering::Relaxed);
        let (turns, ahead) = (Arc::new(Semaphore::new(TURNS)), Mutex::new((Duration::ZERO, Instant::now())));
        Lane(Arc::new(Shared { number, beside: self.0.clone(), turns, connections: AtomicUsize::default(), ahead }))
    }
}

impl Lately {
    /// Notes that a lane was worked on; whether another was lately.
    fn note(&self, lane: u64, now: Instant) -> bool {
        let [last, before] = &mut *self.last.lock();
        if last.is_none_or(|(of, _)| of != lane) {
            *before = last.take();
        }
        *last = Some((lane, now));
        before.is_some_and(|(_, at)| now.saturating_duration_since(at) < LATELY)
    }
}

impl Shared {
    /// Whether the lane rests now, having been worked on since then.
    fn rests(&self, since: Instant) -> bool {
        let now = Instant::now();
        let others = self.beside.note(self.number, now);
        if self.connections.load(Ordering::Relaxed) < 2 {
            return false;
        }
        let (ahead, at) = &mut *self.ahead.lock();
        *ahead = ahead.saturating_sub(now.saturating_duration_since(*at) / SHARE) + now.saturating_duration_since(since);
        *at = now;
        others && *ahead >= AHEAD
    }
}

#[cfg(test)]
impl Lane {
    /// Takes the turns of all its connections, as work that goes on would.
    pub(crate) fn occupied(&self) -> tokio::sync::OwnedSemaphorePermit {
        self.0.turns.clone().try_acquire_many_owned(TURNS as u32).unwrap_or_else(|error| unreachable!("{error}"))
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

impl Place {
    fn new(lane: &Lane) -> Self {
        lane.0.connections.fetch_add(1, Ordering::Relaxed);
        Self { lane: lane.clone(), turns: PollSemaphore::new(lane.0.turns.clone()), rest: None }
    }

    /// Its turn, once the lane does not rest with it and no other has one. None never comes about: turns are not closed.
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Option<OwnedSemaphorePermit>> {
        if let Some((rest, _)) = &mut self.rest {
            ready!(rest.as_mut().poll(context));
            self.rest = None;
        }
        self.turns.poll_acquire(context)
    }

    /// Gives its turn back, at once or after a rest, for which this connection is woken.
    fn give_back(&mut self, turn: OwnedSemaphorePermit, since: Instant, context: &mut Context<'_>) {
        if self.lane.0.rests(since) {
            let mut rest = Box::pin(sleep(REST));
            if rest.as_mut().poll(context).is_pending() {
                self.rest = Some((rest, turn));
            }
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.lane.0.connections.fetch_sub(1, Ordering::Relaxed);
    }
}

impl<F> InTurn<F> {
    pub(super) const fn new(served: F, slot: Slot) -> Self {
        Self { served, slot, place: None }
    }
}

impl<F: Future + Unpin> Future for InTurn<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let Self { served, slot, place } = &mut *self;
        if let Some(lane) = &*slot.0.lock()
            && place.as_ref().is_none_or(|place| !Arc::ptr_eq(&place.lane.0, &lane.0))
        {
            *place = Some(Place::new(lane));
        }
        let Some(place) = place else { return Pin::new(served).poll(context) };
        let (turn, since) = (ready!(place.poll(context)), Instant::now());
        let polled = Pin::new(served).poll(context);
        if let (Some(turn), true) = (turn, polled.is_pending()) {
            place.give_back(turn, since, context);
        }
        polled
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn ses_3_a_session_is_worked_on_at_one_place_at_a_time_and_all_of_it_gets_done() {
        let (lane, at_once) = (Lanes::default().lane(), Arc::new(AtomicUsize::new(0)));
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
        let lane = Lanes::default().lane();
        let _turn = lane.0.turns.clone().try_acquire_owned();
        assert_eq!(InTurn::new(Box::pin(async { 7 }), Slot::default()).await, 7);
        let slot = Slot::default();
        slot.enter(&lane);
        let waits = tokio::time::timeout(std::time::Duration::from_millis(50), InTurn::new(Box::pin(async { 7 }), slot));
        assert!(waits.await.is_err(), "its session is worked on");
    }

    /// What a lane whose two connections always have work gets done meanwhile, beside another lane or not.
    async fn done_in(meanwhile: Duration, beside: bool) -> usize {
        let (lanes, done) = (Lanes::default(), Arc::new(AtomicUsize::new(0)));
        let (crowded, honest) = (lanes.lane(), lanes.lane());
        let works = |done: Arc<AtomicUsize>| async move {
            loop {
                std::thread::sleep(AHEAD / 4);
                done.fetch_add(1, Ordering::SeqCst);
                tokio::task::yield_now().await;
            }
        };
        let in_lane = |lane: &Lane, work: Pin<Box<dyn Future<Output = ()> + Send>>| {
            let slot = Slot::default();
            slot.enter(lane);
            tokio::spawn(InTurn::new(work, slot))
        };
        let mut all: Vec<_> = (0..2).map(|_| in_lane(&crowded, Box::pin(works(done.clone())))).collect();
        if beside {
            all.push(in_lane(
                &honest,
                Box::pin(async {
                    loop {
                        sleep(LATELY / 10).await;
                    }
                }),
            ));
        }
        sleep(meanwhile).await;
        all.iter().for_each(tokio::task::JoinHandle::abort);
        done.load(Ordering::SeqCst)
    }

    #[tokio::test]
    async fn ses_3_a_crowded_lane_rests_where_others_are_worked_on_and_only_there() {
        let meanwhile = 20 * (AHEAD + REST);
        let (alone, beside) = (done_in(meanwhile, false).await, done_in(meanwhile, true).await);
        assert!(beside > 0 && beside * 2 < alone, "{beside} beside another, {alone} alone");
    }

    #[test]
    fn ses_3_another_lane_was_worked_on_lately_or_it_was_not() {
        let (lately, now) = (Lately::default(), Instant::now());
        assert!(!lately.note(1, now) && !lately.note(1, now));
        assert!(lately.note(2, now) && lately.note(2, now) && lately.note(1, now));
        assert!(!lately.note(1, now + LATELY));
    }
}
