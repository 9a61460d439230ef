//! The end of an endpoint: nothing new, what is under way to its end, within bounds.
//!
//! Clause: SES-4 (graceful end).

use std::time::Duration;
use tokio::sync::watch;
use tokio::time::timeout;

/// How long what is under way has.
const LINGER: Duration = Duration::from_secs(5);
/// How long its end may then take to be read.
const READ: Duration = Duration::from_secs(1);

/// Whether it ends, and how many requests are under way.
pub(super) struct Drain {
    ending: watch::Sender<bool>,
    under_way: watch::Sender<usize>,
}

/// One request under way, until it is dropped with its answer.
pub(super) struct UnderWay(watch::Sender<usize>);

impl Drain {
    pub(super) fn new() -> Self {
        Self { ending: watch::Sender::new(false), under_way: watch::Sender::new(0) }
    }

    /// A request more; none once it ends.
    pub(super) fn begin(&self) -> Option<UnderWay> {
        self.under_way.send_modify(|count| *count += 1);
        let begun = UnderWay(self.under_way.clone());
        (!*self.ending.borrow()).then_some(begun)
    }

    pub(super) fn ending(&self) -> watch::Receiver<bool> {
        self.ending.subscribe()
    }

    /// Takes no more.
    pub(super) fn end(&self) {
        self.ending.send_replace(true);
    }

    /// Waits for what is under way, at most so long as it has.
    pub(super) async fn done(&self) {
        let mut under_way = self.under_way.subscribe();
        if timeout(LINGER, under_way.wait_for(|count| *count == 0)).await.is_err() {
            tracing::warn!("requests were under way when this host ended");
        }
    }

    /// Waits until those that got their end have read it, for a moment.
    pub(super) async fn read(&self) {
        let mut under_way = self.under_way.subscribe();
        if timeout(READ, under_way.wait_for(|count| *count == 0)).await.is_err() {
            tracing::warn!("not every answer was read when this host ended");
        }
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.0.send_modify(|count| *count -= 1);
    }
}
