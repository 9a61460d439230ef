//! A future that goes on where it wakes itself, instead of going to the end of its runtime's queue.
//!
//! A connection of hyper's wakes itself once for each request, between its head and its body. The runtime takes that for work to
//! share and wakes another thread for it, which costs more than the work. Is: the same future, asked again at once. Is not: a way to
//! keep the thread: after a few turns it waits as any other. Source: `std::task`.

use parking_lot::Mutex;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::task::{Context, Poll, Wake, Waker};

/// How often it is asked again in one turn.
const AGAIN: usize = 4;

/// Nobody asks it now.
const RESTS: u8 = 0;
/// It is being asked.
const ASKED: u8 = 1;
/// It was woken while it was.
const WOKEN: u8 = 2;

pub(super) struct InPlace<F> {
    future: Pin<Box<F>>,
    own: Arc<Own>,
    waker: Waker,
}

/// Who is woken in the runtime's place.
struct Own {
    turn: AtomicU8,
    task: Mutex<Waker>,
}

impl<F: Future> InPlace<F> {
    pub(super) fn new(future: F) -> Self {
        let own = Arc::new(Own { turn: AtomicU8::new(RESTS), task: Mutex::new(Waker::noop().clone()) });
        Self { future: Box::pin(future), waker: own.clone().into(), own }
    }
}

impl Wake for Own {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        // Who asks it sees this before it rests; else nobody asks, and its task is woken.
        if self.turn.compare_exchange(ASKED, WOKEN, Ordering::AcqRel, Ordering::Acquire) == Err(RESTS) {
            self.task.lock().wake_by_ref();
        }
    }
}

impl<F: Future> Future for InPlace<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let Self { future, own, waker } = &mut *self;
        own.task.lock().clone_from(context.waker());
        for _ in 0..AGAIN {
            own.turn.store(ASKED, Ordering::Release);
            let polled = future.as_mut().poll(&mut Context::from_waker(waker));
            let woken = own.turn.swap(RESTS, Ordering::AcqRel) == WOKEN;
            if polled.is_ready() || !woken {
                return polled;
            }
        }
        context.waker().wake_by_ref();
        Poll::Pending
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;
    use tokio::sync::oneshot;

    struct Count(AtomicUsize);

    impl Wake for Count {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }

    /// How often the task was woken, and the future was asked, by one that wakes itself so often.
    fn wakes(itself: usize) -> (usize, usize) {
        let (count, mut asked) = (Arc::new(Count(AtomicUsize::new(0))), 0);
        let mut future = InPlace::new(std::future::poll_fn(|context| {
            asked += 1;
            if asked <= itself {
                context.waker().wake_by_ref();
            }
            Poll::<()>::Pending
        }));
        let waker = count.clone().into();
        assert!(Pin::new(&mut future).poll(&mut Context::from_waker(&waker)).is_pending());
        drop(future);
        (count.0.load(Ordering::SeqCst), asked)
    }

    #[test]
    fn ses_4_a_connection_that_wakes_itself_goes_on_and_keeps_no_thread() {
        assert_eq!(wakes(0), (0, 1));
        assert_eq!(wakes(1), (0, 2));
        assert_eq!(wakes(3), (0, 4));
        assert_eq!(wakes(1000), (1, AGAIN), "its task is woken, and others have their turn");
    }

    #[tokio::test]
    async fn ses_4_a_connection_hears_of_what_others_did() {
        for _ in 0..1000 {
            let (tell, told) = oneshot::channel();
            let waits = tokio::spawn(InPlace::new(told));
            std::thread::spawn(move || tell.send(7));
            assert_eq!(waits.await.ok(), Some(Ok(7)));
        }
    }
}
