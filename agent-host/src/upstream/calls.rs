//! Calls of tools on one process's connection, past rmcp: written where the call is, read by who waits for it.
//!
//! rmcp hands each request from task to task and reads an answer by trying every type that it knows, which costs several times
//! what the rest of a call does. So calls go to the same output with ids of their own, and what answers them is taken off
//! below rmcp (`gate`). Is: one request and its one answer. Is not: the outcome (`server_lease`), nor a rule of its own: ids that
//! nobody asked for, second and late answers are dropped as rmcp's are. Clauses: UP-4, UP-6 (eras, progress, cancel).
//! Source: MCP specification, server/tools and basic/utilities/cancellation.

use super::gate::{Answer, Lists, UNREAD, foreign};
use crate::lines::{Out, Sent};
use agent_core::canon::plain;
use rmcp::model::{CallToolResult, ErrorData, NumberOrString, ProgressToken, ServerResult};
use rmcp::service::ServiceError;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use tokio::sync::oneshot;

/// The first id of a call, and the token of its progress. rmcp counts from zero, and asks little; a server that keeps ids in 32
/// bits still tells a thousand million calls apart.
const FIRST: i64 = 1_000_000_000;
/// Bytes that may wait to be written to a server that does not read.
pub(super) const QUEUE_BYTES: usize = 16 * 1024 * 1024;

/// By what a server names a call of this id where it tells how far it is.
pub(super) const fn token(id: i64) -> ProgressToken {
    ProgressToken(NumberOrString::Number(id))
}

/// Where one connection's calls go.
pub(super) struct Calls {
    lists: Lists,
    out: Arc<Out>,
    next: AtomicI64,
}

/// A call that was sent.
pub(super) struct Asked {
    sent: Sent,
    answer: oneshot::Receiver<Answer>,
}

#[derive(Serialize)]
struct Request<'a> {
    jsonrpc: &'static str,
    id: i64,
    method: &'static str,
    params: Params<'a>,
}

#[derive(Serialize)]
struct Params<'a> {
    #[serde(rename = "_meta")]
    meta: Map<String, Value>,
    name: &'a str,
    arguments: &'a Map<String, Value>,
}

/// As much of an answer as says which of the two it is.
#[derive(Deserialize)]
struct Answered<'a> {
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    error: Option<ErrorData>,
}

impl Calls {
    pub(super) fn new(lists: Lists, out: Arc<Out>) -> Self {
        Self { lists, out, next: AtomicI64::new(FIRST) }
    }

    /// The id of the next call. Its progress can be listened to from now on: a server may tell a step before who asked goes on.
    pub(super) fn number(&self) -> i64 {
        self.next.fetch_add(1, Ordering::Relaxed)
    }

    /// Sends a call at once.
    ///
    /// # Errors
    /// Why nothing was sent.
    pub(super) fn ask(&self, id: i64, name: &str, arguments: &Map<String, Value>) -> Result<Asked, &'static str> {
        if self.out.waiting() > QUEUE_BYTES {
            return Err("the server does not read");
        }
        let (mut meta, answer) = self.lists.expect(id).ok_or("the connection was lost before the call was sent")?;
        meta.insert("progressToken".to_owned(), id.into());
        let request = Request { jsonrpc: "2.0", id, method: "tools/call", params: Params { meta, name, arguments } };
        match serde_json::to_vec(&request) {
            Ok(line) => Ok(Asked { sent: self.out.send(line), answer }),
            Err(_) => {
                self.lists.forget(id);
                Err("the call can't be written as JSON")
            }
        }
    }

    /// Tells the server that nobody waits for a call any more, unless it was answered.
    pub(super) fn give_up(&self, id: i64, why: &str) {
        if self.lists.forget(id) {
            let params = json!({"requestId": id, "reason": why});
            let notice = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params});
            self.out.send(notice.to_string().into_bytes());
        }
    }
}

impl Asked {
    /// Waits for the answer; none where the connection is lost before it.
    pub(super) async fn answer(mut self) -> Option<Result<ServerResult, ServiceError>> {
        self.sent.done().await.ok()?;
        Some(self.answer.await.ok()?.map_or_else(|error| Err(ServiceError::McpError(error)), |text| read(&text)))
    }
}

/// What an answer says.
fn read(text: &[u8]) -> Result<ServerResult, ServiceError> {
    if !plain(text) {
        return Err(ServiceError::McpError(ambiguous()));
    }
    match serde_json::from_slice(text) {
        Ok(Answered { result: Some(result), error: None }) => match serde_json::from_str::<CallToolResult>(result.get()) {
            Ok(result) => Ok(ServerResult::CallToolResult(result)),
            // Whatever else it is, it is told apart by rmcp's own reading.
            Err(_) => serde_json::from_str(result.get()).map_err(|_| ServiceError::UnexpectedResponse),
        },
        Ok(Answered { error: Some(error), .. }) => Err(ServiceError::McpError(foreign(error))),
        Ok(Answered { result: None, error: None }) | Err(_) => Err(ServiceError::UnexpectedResponse),
    }
}

/// What stands in for an answer that is not one value to every reader.
pub(super) fn ambiguous() -> ErrorData {
    let what = "its answer is nested too deep, or holds keys or numbers that not every reader takes for the same";
    ErrorData::new(UNREAD, what, None)
}
