//! The streams on which modern clients listen for changes of their list.
//!
//! Is: every open stream of one connection; each hears of each change, under its own id. Is not: the acknowledgment, the
//! filter or the final result, which are rmcp's. Clauses: ACT-6, REV-2. Source: MCP 2026-07-28, subscriptions/listen.

use parking_lot::Mutex;
use rmcp::service::{SubscriptionContext, SubscriptionSink};
use tokio::sync::watch;

/// Streams of one connection that are open at a time. One past it gets its result at once.
const OPEN: usize = 64;

/// The open streams.
pub(super) struct Streams {
    open: Mutex<Vec<SubscriptionSink>>,
    /// Set once, when the client's input ended or its session did.
    ended: watch::Sender<bool>,
}

impl Streams {
    pub(super) fn new() -> Self {
        Self { open: Mutex::default(), ended: watch::Sender::new(false) }
    }

    /// Keeps a stream until its client cancels it, or everything ends; then it gets its result.
    pub(super) async fn keep(&self, stream: &SubscriptionContext) {
        let mut ended = self.ended.subscribe();
        {
            let mut open = self.open.lock();
            if open.len() >= OPEN {
                return;
            }
            open.push(stream.sink().clone());
        }
        tokio::select! {
            () = stream.cancelled() => {}
            _ = ended.wait_for(|ended| *ended) => {}
        }
        self.open.lock().retain(|open| open.id() != stream.sink().id());
    }

    /// Tells every open stream that the list changed; whether one of them was told.
    pub(super) async fn tell(&self) -> bool {
        let (open, mut told) = (self.open.lock().clone(), false);
        for stream in open {
            match stream.notify_tool_list_changed().await {
                Ok(()) => told = true,
                Err(error) => tracing::debug!(%error, "a stream could not be told that the list changed"),
            }
        }
        told
    }

    /// Ends every stream, and those that are still to be opened.
    pub(super) fn end(&self) {
        self.ended.send_replace(true);
    }
}
