//! What of a server's messages rmcp is given, whichever way they came.
//!
//! rmcp reads a list of tools into its own types: what they don't know is lost, and one malformed tool loses them all. So
//! the answer to a request for a list is taken off here as the bytes that came, and rmcp is told that it came. Of the rest
//! only answers to what was asked get through, once each: an id that nobody asked for, a second answer, and one that
//! comes after its request was given up are dropped.
//! Is not: a reader of lists (`listing`), nor of bytes (`wire`, `http`). Clause: CAT-3 (raw listing). Invariant: I-3.

use super::calls::ambiguous;
use super::listeners::Listeners;
use super::relayed::Kind;
use super::stale::Stale;
use agent_core::canon::plain;
use agent_core::safety::echo;
use parking_lot::Mutex;
use rmcp::RoleClient;
use rmcp::model::{ClientNotification, ClientRequest, ErrorCode, ErrorData, GetMeta, JsonRpcMessage, RequestId, ServerResult};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::sync::Arc;
use tokio::sync::oneshot;

/// The code of the error that stands in for an answer that is not read: too long, or not one value to every reader.
pub(super) const UNREAD: ErrorCode = ErrorCode(-32_790);
/// Of one in place of an answer to what was never sent.
pub(super) const UNSENT: ErrorCode = ErrorCode(-32_791);
/// Of one in place of an answer that will not come, to what may have been read.
pub(super) const LOST: ErrorCode = ErrorCode(-32_792);
/// Of one where the server said, outside of MCP, that it did not take the request up.
pub(super) const REFUSED: ErrorCode = ErrorCode(-32_793);
/// Of one where a credential is what is missing.
pub(super) const LOGIN: ErrorCode = ErrorCode(-32_794);
/// Codes that only we write: from a server they mean nothing.
const OURS: RangeInclusive<i32> = -32_799..=-32_790;
/// Requests of the server that may wait for our answer; further ones are dropped.
pub(super) const UNANSWERED: usize = 64;

/// What a call that went past rmcp is answered: the message, or an error of ours in its place.
pub(super) type Answer = Result<Vec<u8>, ErrorData>;

/// What was asked and not yet answered, and the lists that came.
#[derive(Default)]
struct Open {
    /// By id: whether it is a request for a list.
    asked: BTreeMap<i64, bool>,
    lists: BTreeMap<i64, Box<RawValue>>,
    /// Who waits for the calls that went past rmcp (`calls`).
    calls: BTreeMap<i64, oneshot::Sender<Answer>>,
    /// What rmcp says of us in each request, as it did where it asked for a list.
    us: Map<String, Value>,
    /// Set once nothing more is read.
    over: bool,
    /// The server's own requests.
    unanswered: usize,
}

/// Where the lists are kept that were taken off the wire.
#[derive(Clone, Default)]
pub(super) struct Lists(Arc<Mutex<Open>>);

impl Lists {
    /// The result that answered a request for a list, as it was sent.
    pub(super) fn take(&self, id: &RequestId) -> Option<Box<RawValue>> {
        self.0.lock().lists.remove(&number(id)?)
    }

    /// Waits for the answer to a call that is about to be sent, and gives what every request says of us; none once nothing more is
    /// read.
    pub(super) fn expect(&self, id: i64) -> Option<(Map<String, Value>, oneshot::Receiver<Answer>)> {
        let mut open = self.0.lock();
        let (tell, answer) = oneshot::channel();
        (!open.over).then(|| {
            open.calls.insert(id, tell);
            (open.us.clone(), answer)
        })
    }

    /// Waits no more for a call; whether it was not answered yet.
    pub(super) fn forget(&self, id: i64) -> bool {
        self.0.lock().calls.remove(&id).is_some()
    }

    /// Whether nothing is kept or waited for.
    #[cfg(test)]
    pub(super) fn is_empty(&self) -> bool {
        let open = self.0.lock();
        open.asked.is_empty() && open.lists.is_empty() && open.calls.is_empty()
    }
}

/// One connection's.
pub(super) struct Gate {
    open: Lists,
    stale: Stale,
    listeners: Listeners,
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

impl Gate {
    pub(super) fn new(stale: Stale, listeners: Listeners) -> (Self, Lists) {
        let open = Lists::default();
        (Self { open: open.clone(), stale, listeners, unreadable: 0 }, open)
    }

    /// What rmcp is to read of a message, if anything. The answer to a call that went past it is handed to who waits.
    pub(super) fn read(&mut self, message: Vec<u8>) -> Option<RxJsonRpcMessage<RoleClient>> {
        let text = message.as_slice();
        if text.is_empty() {
            return None;
        }
        let Ok(envelope) = serde_json::from_slice::<Envelope<'_>>(text) else { return self.skip(text) };
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
            Some("notifications/prompts/list_changed") => {
                self.stale.news.tell(Kind::Prompts);
                return None;
            }
            Some("notifications/resources/list_changed") => {
                self.stale.news.tell(Kind::Resources);
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
                if let Some(call) = open.calls.remove(&number) {
                    drop(open);
                    // Who waited may be gone.
                    let _ = call.send(Ok(message));
                    return None;
                }
                if open.asked.remove(&number)?
                    && let Some(result) = envelope.result
                {
                    open.lists.insert(number, result.to_owned());
                    return Some(JsonRpcMessage::response(ServerResult::empty(()), id));
                }
                if !plain(text) {
                    return Some(JsonRpcMessage::error(ambiguous(), Some(id)));
                }
            }
            // An error about nothing in particular.
            (None, false) => return None,
        }
        drop(open);
        // An answer is, by now.
        if envelope.method.is_some() && !plain(text) {
            return self.skip(text);
        }
        let message = serde_json::from_slice(text).ok().map(|message| match message {
            JsonRpcMessage::Error(mut answer) => {
                answer.error = foreign(answer.error);
                JsonRpcMessage::Error(answer)
            }
            message => message,
        });
        message.or_else(|| self.skip(text))
    }

    /// An error in place of an answer that is still owed.
    pub(super) fn fail(&self, id: &RequestId, error: ErrorData) -> Option<RxJsonRpcMessage<RoleClient>> {
        let id = number(id)?;
        let mut open = self.open.0.lock();
        if let Some(call) = open.calls.remove(&id) {
            let _ = call.send(Err(error));
            return None;
        }
        open.asked.remove(&id)?;
        Some(JsonRpcMessage::error(error, Some(RequestId::Number(id))))
    }

    /// A text that says nothing. Told the first time, then each time their number has doubled.
    fn skip(&mut self, text: &[u8]) -> Option<RxJsonRpcMessage<RoleClient>> {
        self.unreadable += 1;
        if self.unreadable.is_power_of_two() {
            let begin = echo(&String::from_utf8_lossy(text.get(..text.len().min(256)).unwrap_or_default()));
            tracing::warn!(lines = self.unreadable, "a server wrote what is no message, such as `{begin}`");
        }
        None
    }

    /// Remembers what is asked, and forgets what is given up.
    pub(super) fn note(&self, item: &TxJsonRpcMessage<RoleClient>) {
        let mut open = self.open.0.lock();
        match item {
            JsonRpcMessage::Request(sent) => {
                // Whatever was asked before a handshake has no place in it.
                if matches!(sent.request, ClientRequest::InitializeRequest(_)) {
                    open.asked.clear();
                }
                if matches!(sent.request, ClientRequest::ListToolsRequest(_)) {
                    open.us = sent.request.get_meta().0.0.clone();
                }
                open.asked.extend(number(&sent.id).map(|id| (id, is_list(&sent.request))));
            }
            JsonRpcMessage::Notification(sent) => {
                if let ClientNotification::CancelledNotification(cancelled) = &sent.notification
                    && let Some(id) = cancelled.params.request_id.as_ref().and_then(number)
                {
                    open.asked.remove(&id);
                    open.lists.remove(&id);
                }
            }
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => open.unanswered = open.unanswered.saturating_sub(1),
        }
    }
}

impl Drop for Gate {
    /// Who still waits for a call is told that nothing comes.
    fn drop(&mut self) {
        let mut open = self.open.0.lock();
        open.over = true;
        open.calls.clear();
    }
}

/// Whether the answer is a list, of which a part may be kept.
const fn is_list(request: &ClientRequest) -> bool {
    matches!(
        request,
        ClientRequest::ListToolsRequest(_)
            | ClientRequest::ListPromptsRequest(_)
            | ClientRequest::ListResourcesRequest(_)
            | ClientRequest::ListResourceTemplatesRequest(_)
    )
}

/// An error as a server sent it, which can't pass for one of ours.
pub(super) fn foreign(error: ErrorData) -> ErrorData {
    if OURS.contains(&error.code.0) { ErrorData { code: ErrorCode::INTERNAL_ERROR, ..error } } else { error }
}

/// Our ids are numbers; some servers send them back as strings.
pub(super) fn number(id: &RequestId) -> Option<i64> {
    match id {
        RequestId::Number(number) => Some(*number),
        RequestId::String(text) => text.parse().ok(),
    }
}
