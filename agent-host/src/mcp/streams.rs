//! The streams on which modern clients listen for changes of their lists.
//!
//! Is: every open stream of one connection; each hears of each change, under its own id. Is not: the acknowledgment, the
//! filter or the final result, which are rmcp's. Clauses: ACT-6, REV-2. Source: MCP 2026-07-28, subscriptions/listen.

use super::news::Changed;
use parking_lot::Mutex;
use rmcp::service::{SubscriptionContext, SubscriptionSink};
use std::collections::BTreeMap;
use tokio::sync::watch;

/// Streams of one connection that are open at a time. One past it gets its result at once.
const OPEN: usize = 64;

/// The open streams.
pub(super) struct Streams {
    open: Mutex<Open>,
    /// Set once, when the client's input ended or its session did.
    ended: watch::Sender<bool>,
}

/// Each under a number of ours: the ids of requests are their clients', and two clients of one credential may use the same.
#[derive(Default)]
struct Open {
    next: u64,
    streams: BTreeMap<u64, SubscriptionSink>,
}

/// One of them, until it is dropped.
struct Kept<'a>(&'a Streams, u64);

impl Drop for Kept<'_> {
    fn drop(&mut self) {
        self.0.open.lock().streams.remove(&self.1);
    }
}

impl Streams {
    pub(super) fn new() -> Self {
        Self { open: Mutex::default(), ended: watch::Sender::new(false) }
    }

    /// One more, if there is room.
    fn open(&self, sink: &SubscriptionSink) -> Option<Kept<'_>> {
        let mut open = self.open.lock();
        let number = open.next;
        (open.streams.len() < OPEN).then(|| {
            open.next += 1;
            open.streams.insert(number, sink.clone());
            Kept(self, number)
        })
    }

    fn all(&self) -> Vec<SubscriptionSink> {
        self.open.lock().streams.values().cloned().collect()
    }

    /// Keeps a stream until its client cancels it, or everything ends; then it gets its result.
    pub(super) async fn keep(&self, stream: &SubscriptionContext) {
        let mut ended = self.ended.subscribe();
        let Some(_kept) = self.open(stream.sink()) else { return };
        tokio::select! {
            () = stream.cancelled() => {}
            _ = ended.wait_for(|ended| *ended) => {}
        }
    }

    /// Tells every open stream that the list changed; whether one of them was told.
    pub(super) async fn tell(&self) -> bool {
        let mut told = false;
        for stream in self.all() {
            match stream.notify_tool_list_changed().await {
                Ok(()) => told = true,
                Err(error) => tracing::debug!(%error, "a stream could not be told that the list changed"),
            }
        }
        told
    }

    /// Tells every open stream that wants it that another list changed.
    pub(super) async fn tell_of(&self, changed: Changed) {
        for stream in self.all() {
            changed.tell(&stream).await;
        }
    }

    /// Ends every stream, and those that are still to be opened.
    pub(super) fn end(&self) {
        self.ended.send_replace(true);
    }
}
