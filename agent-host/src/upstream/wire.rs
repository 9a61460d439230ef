//! The byte stream of one server, below rmcp: one JSON-RPC message a line, bounded, with lists of tools kept raw.
//!
//! rmcp reads a list of tools into its own types: what they don't know is lost, and one malformed tool loses them all. So
//! the answer to a request for tools is taken off here as the bytes that came, and rmcp is told that it came. Of the rest
//! only answers to what was asked get through, once each: an id that nobody asked for, a second answer, and one that
//! comes after its request was given up are dropped.
//! Is not: a reader of lists (`listing`). Clauses: CAT-3 (raw listing), UP-1 (bounded lines). Invariant: I-3.

#[cfg(test)]
mod tests;

use super::listeners::Listeners;
use super::stale::Stale;
use crate::lines::{LINE_BYTES, Line, Lines, Out};
use agent_core::canon::plain;
use agent_core::safety::echo;
use parking_lot::Mutex;
use rmcp::RoleClient;
use rmcp::model::{ClientNotification, ClientRequest, ErrorCode, ErrorData, JsonRpcMessage, RequestId, ServerResult};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use tokio::io::{AsyncRead, AsyncWrite};

/// The code of the error that stands in for an answer that is not read: too long, or not one value to every reader.
pub(super) const UNREAD: ErrorCode = ErrorCode(-32_790);
/// Bytes that may wait to be written to a server that does not read.
const QUEUE_BYTES: usize = 16 * 1024 * 1024;
/// Requests of the server that may wait for our answer; further ones are dropped.
const UNANSWERED: usize = 64;

/// What was asked and not yet answered, and the lists that came.
#[derive(Default)]
struct Open {
    /// By id: whether it is a request for tools.
    asked: BTreeMap<i64, bool>,
    lists: BTreeMap<i64, Box<RawValue>>,
    /// The server's own requests.
    unanswered: usize,
}

/// Where the lists are kept that were taken off the wire.
#[derive(Clone, Default)]
pub(super) struct Lists(Arc<Mutex<Open>>);

impl Lists {
    /// The result that answered a request for tools, as it was sent.
    pub(super) fn take(&self, id: &RequestId) -> Option<Box<RawValue>> {
        self.0.lock().lists.remove(&number(id)?)
    }
}

/// The transport that rmcp is given.
pub(super) struct Wire<R> {
    lines: Lines<R>,
    open: Lists,
    stale: Stale,
    listeners: Listeners,
    out: Out,
    unreadable: usize,
}

/// As much of a message as decides who reads it.
#[derive(Deserialize)]
struct Envelope<'a> {
    id: Option<RequestId>,
    #[serde(borrow)]
    method: Option<Cow<'a, str>>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
}

impl<R: AsyncRead + Send + Unpin + 'static> Wire<R> {
    /// Over a server's output and input.
    pub(super) fn new<W: AsyncWrite + Send + Unpin + 'static>(read: R, write: W, stale: Stale, listeners: Listeners) -> (Self, Lists) {
        let open = Lists::default();
        let wire = Self { lines: Lines::new(read), open: open.clone(), stale, listeners, out: Out::new(write), unreadable: 0 };
        (wire, open)
    }

    /// What rmcp is to read of a line, if anything.
    fn read(&mut self, line: &[u8]) -> Option<RxJsonRpcMessage<RoleClient>> {
        if line.is_empty() {
            return None;
        }
        let Ok(envelope) = serde_json::from_slice::<Envelope<'_>>(line) else { return self.skip(line) };
        match envelope.method.as_deref() {
            // Both here and now: an answer that follows finds them heard.
            Some("notifications/progress") => {
                let step = envelope.params.and_then(|params| serde_json::from_str(params.get()).ok());
                step.iter().for_each(|step| self.listeners.tell(step));
                return None;
            }
            Some("notifications/tools/list_changed") => {
                self.stale.mark();
                return None;
            }
            _ => {}
        }
        let mut open = self.open.0.lock();
        match (envelope.id, envelope.method.is_some()) {
            (Some(_), true) if open.unanswered == UNANSWERED => return None,
            (Some(_), true) => open.unanswered += 1,
            (None, true) => {}
            (Some(id), false) => {
                let number = number(&id)?;
                if open.asked.remove(&number)?
                    && let Some(result) = envelope.result
                {
                    open.lists.insert(number, result.to_owned());
                    return Some(JsonRpcMessage::response(ServerResult::empty(()), id));
                }
                if !plain(line) {
                    let what = "its answer is nested too deep, or holds keys or numbers that not every reader takes for the same";
                    return Some(JsonRpcMessage::error(ErrorData::new(UNREAD, what, None), Some(id)));
                }
            }
            // An error about nothing in particular.
            (None, false) => return None,
        }
        drop(open);
        // An answer is, by now.
        if envelope.method.is_some() && !plain(line) {
            return self.skip(line);
        }
        serde_json::from_slice(line).ok().or_else(|| self.skip(line))
    }

    /// An answer that was too long, as an error in its place.
    fn lost(&self, id: Option<String>) -> Option<RxJsonRpcMessage<RoleClient>> {
        tracing::warn!("a server wrote a line of more than {LINE_BYTES} bytes, which was dropped");
        let id = number(&serde_json::from_str(&id?).ok()?)?;
        self.open.0.lock().asked.remove(&id)?;
        let what = format!("its answer is longer than {LINE_BYTES} bytes");
        Some(JsonRpcMessage::error(ErrorData::new(UNREAD, what, None), Some(RequestId::Number(id))))
    }

    /// A line that says nothing. Told the first time, then each time their number has doubled.
    fn skip(&mut self, line: &[u8]) -> Option<RxJsonRpcMessage<RoleClient>> {
        self.unreadable += 1;
        if self.unreadable.is_power_of_two() {
            let begin = echo(&String::from_utf8_lossy(line.get(..line.len().min(256)).unwrap_or_default()));
            tracing::warn!(lines = self.unreadable, "a server wrote what is no message, such as `{begin}`");
        }
        None
    }
}

impl<R: AsyncRead + Send + Unpin + 'static> Transport<RoleClient> for Wire<R> {
    type Error = io::Error;

    /// Queued at once, so that messages leave in the order in which they were sent; done once it is written.
    fn send(&mut self, item: TxJsonRpcMessage<RoleClient>) -> impl Future<Output = io::Result<()>> + Send + 'static {
        self.open.0.lock().note(&item);
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
                Line::Whole(line) => self.read(&line),
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

impl Open {
    /// Remembers what is asked, and forgets what is given up.
    fn note(&mut self, item: &TxJsonRpcMessage<RoleClient>) {
        match item {
            JsonRpcMessage::Request(sent) => {
                // Whatever was asked before a handshake has no place in it.
                if matches!(sent.request, ClientRequest::InitializeRequest(_)) {
                    self.asked.clear();
                }
                let tools = matches!(sent.request, ClientRequest::ListToolsRequest(_));
                self.asked.extend(number(&sent.id).map(|id| (id, tools)));
            }
            JsonRpcMessage::Notification(sent) => {
                if let ClientNotification::CancelledNotification(cancelled) = &sent.notification
                    && let Some(id) = cancelled.params.request_id.as_ref().and_then(number)
                {
                    self.asked.remove(&id);
                    self.lists.remove(&id);
                }
            }
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => self.unanswered = self.unanswered.saturating_sub(1),
        }
    }
}

/// Our ids are numbers; some servers send them back as strings.
fn number(id: &RequestId) -> Option<i64> {
    match id {
        RequestId::Number(number) => Some(*number),
        RequestId::String(text) => text.parse().ok(),
    }
}
