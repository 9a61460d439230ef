//! A call of the modern era that is in order and has one answer, read once and answered without rmcp.
//!
//! rmcp serves each request by tasks and queues of its own and reads it by trying every type that it knows, which costs several
//! times what the rest of a call does. Is: a reading that takes what leaves nothing to say about it; whatever is missing, odd, of the
//! legacy era or to be heard of before its answer is left to rmcp, which says what is wrong with it. So are the conversations of a
//! credential: their list grows, and a call that changed it hears that first. Is not: a rule of its own: what
//! a call comes to is `visit`'s. Clause: SES-2 (HTTP). Source: MCP 2026-07-28, basic/transports.

use super::answer::json;
use super::sessions::Sessions;
use super::visit::{Arrival, call};
use crate::caller::Caller;
use crate::config::By;
use crate::mcp::Answer;
use crate::refusal::{UNKNOWN, UNSERVED};
use axum::body::Body;
use http::header::ACCEPT;
use http::{HeaderMap, Response, StatusCode};
use rmcp::ErrorData;
use rmcp::model::{
    CallToolRequestParams, ErrorCode, JsonRpcError, JsonRpcResponse, JsonRpcVersion2_0, ProtocolVersion, RequestId, RequestMetaObject,
    ServerResult,
};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

const METHOD: &str = "tools/call";
const PROGRESS: &str = "progressToken";
const VERSION: ProtocolVersion = ProtocolVersion::V_2026_07_28;

/// One call.
pub(super) struct Call {
    id: RequestId,
    request: CallToolRequestParams,
    meta: RequestMetaObject,
}

#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(rename = "jsonrpc")]
    _version: JsonRpcVersion2_0,
    id: RequestId,
    #[serde(borrow)]
    method: &'a RawValue,
    #[serde(borrow)]
    params: &'a RawValue,
}

/// Whether the calls of a caller name their conversations by handles, whose list stays as it is.
pub(super) fn serves(sessions: &Sessions, caller: &Caller) -> bool {
    sessions.service(caller).session == By::Handle
}

impl Call {
    /// Reads one; none where there is anything to say about it.
    pub(super) fn read(headers: &HeaderMap, body: &[u8]) -> Option<Self> {
        let is_modern = only(headers, "mcp-protocol-version") == Some(VERSION.as_str()) && only(headers, "mcp-method") == Some(METHOD);
        if !is_modern || !accepts_both(headers) {
            return None;
        }
        let Envelope { id, method, params, .. } = serde_json::from_slice(body).ok()?;
        if method.get().trim_matches('"') != METHOD {
            return None;
        }
        let mut request: CallToolRequestParams = serde_json::from_str(params.get()).ok()?;
        let meta = request.meta.take()?;
        let whole = meta.protocol_version() == Some(VERSION) && meta.missing_required_keys(&VERSION).is_empty();
        let silent = !meta.0.0.contains_key(PROGRESS);
        (whole && silent && only(headers, "mcp-name") == Some(&*request.name)).then_some(Self { id, request, meta })
    }

    /// Its answer. Dropped where its client goes away, and with it the call is given up; where everything is `cut`, it is answered
    /// that it may have been done.
    pub(super) async fn answer(
        self,
        sessions: &Arc<Sessions>,
        arrival: &Arrival,
        headers: &HeaderMap,
        cut: &CancellationToken,
    ) -> Response<Body> {
        let Self { id, request, meta } = self;
        let answer = tokio::select! {
            biased;
            answer = call(sessions, arrival, request, &meta, headers) => answer,
            () = cut.cancelled() => Err(ErrorData::new(ErrorCode(UNSERVED), UNKNOWN, None)),
        };
        match answer {
            Ok(Answer::Result(result)) => written(StatusCode::OK, &JsonRpcResponse { jsonrpc: JsonRpcVersion2_0, id, result }),
            Ok(Answer::Other(other)) => {
                let result = ServerResult::from(other);
                written(StatusCode::OK, &JsonRpcResponse { jsonrpc: JsonRpcVersion2_0, id, result })
            }
            Err(error) => written(status(error.code), &JsonRpcError::new(Some(id), error)),
        }
    }
}

/// The status that goes with an error in place of an answer.
const fn status(code: ErrorCode) -> StatusCode {
    match code {
        ErrorCode::HEADER_MISMATCH => StatusCode::BAD_REQUEST,
        ErrorCode::METHOD_NOT_FOUND => StatusCode::NOT_FOUND,
        _ => StatusCode::OK,
    }
}

fn written(status: StatusCode, message: &impl Serialize) -> Response<Body> {
    match serde_json::to_vec(message) {
        Ok(body) => json(status, body),
        Err(error) => {
            tracing::error!(%error, "an answer could not be written");
            json(StatusCode::INTERNAL_SERVER_ERROR, Vec::new())
        }
    }
}

/// The one value of a header.
fn only<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    let (Some(value), None) = (values.next(), values.next()) else { return None };
    value.to_str().ok()
}

/// Whether both kinds of answer are plainly taken: without weights, quotes or wildcards.
fn accepts_both(headers: &HeaderMap) -> bool {
    let plain = only(headers, ACCEPT.as_str()).filter(|value| !value.contains([';', '"'])).unwrap_or_default();
    ["application/json", "text/event-stream"].iter().all(|kind| plain.split(',').any(|taken| taken.trim().eq_ignore_ascii_case(kind)))
}
