//! The byte stream of one process, below rmcp: one JSON-RPC message a line, bounded.
//!
//! Is not: a judge of what a line says (`gate`). Clause: UP-1 (bounded lines).

#[cfg(test)]
mod tests;

use super::calls::{Calls, QUEUE_BYTES};
use super::gate::{Gate, Lists, UNREAD};
use super::listeners::Listeners;
use super::stale::Stale;
use crate::lines::{LINE_BYTES, Line, Lines, Out};
use rmcp::RoleClient;
use rmcp::model::ErrorData;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use std::io;
use std::sync::Arc;
use tokio::io::{AsyncRead, AsyncWrite};

/// The transport that rmcp is given.
pub(super) struct Wire<R> {
    lines: Lines<R>,
    gate: Gate,
    out: Arc<Out>,
}

impl<R: AsyncRead + Send + Unpin + 'static> Wire<R> {
    /// Over a server's output and input, with the way for its calls.
    pub(super) fn new<W: AsyncWrite + Send + Unpin + 'static>(
        read: R,
        write: W,
        stale: Stale,
        listeners: Listeners,
    ) -> (Self, Lists, Calls) {
        let (gate, lists) = Gate::new(stale, listeners);
        let out = Arc::new(Out::new(write));
        let calls = Calls::new(lists.clone(), out.clone());
        (Self { lines: Lines::new(read), gate, out }, lists, calls)
    }

    /// An answer that was too long, as an error in its place.
    fn lost(&self, id: Option<String>) -> Option<RxJsonRpcMessage<RoleClient>> {
        tracing::warn!("a server wrote a line of more than {LINE_BYTES} bytes, which was dropped");
        self.gate.fail(&serde_json::from_str(&id?).ok()?, too_long())
    }
}

/// What stands in for an answer of more than [`LINE_BYTES`].
pub(super) fn too_long() -> ErrorData {
    ErrorData::new(UNREAD, format!("its answer is longer than {LINE_BYTES} bytes"), None)
}

impl<R: AsyncRead + Send + Unpin + 'static> Transport<RoleClient> for Wire<R> {
    type Error = io::Error;

    /// Queued at once, so that messages leave in the order in which they were sent; done once it is written.
    fn send(&mut self, item: TxJsonRpcMessage<RoleClient>) -> impl Future<Output = io::Result<()>> + Send + 'static {
        self.gate.note(&item);
        let sent = serde_json::to_vec(&item).map_err(io::Error::from).and_then(|line| {
            // With its line feed.
            if self.out.waiting() + line.len() + 1 > QUEUE_BYTES {
                return Err(io::Error::new(io::ErrorKind::WouldBlock, "the server does not read"));
            }
            Ok(self.out.send(line))
        });
        async move { sent?.done().await }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        loop {
            let message = match self.lines.next().await? {
                Line::Whole(line) => self.gate.read(line),
                Line::TooLong(dropped) => self.lost(dropped.answer),
            };
            if message.is_some() {
                return message;
            }
            // A server that never stops writing must not keep this task from everything else.
            tokio::task::consume_budget().await;
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.out.end();
        Ok(())
    }
}

impl<R> Drop for Wire<R> {
    /// Calls hold the output, too; its server must not.
    fn drop(&mut self) {
        self.out.end();
    }
}
