//! A request's answer where it goes no further: an error, as a line without its end.
//!
//! Is not: a refusal of the engine's, which is a result. Clauses: HOST-1 (relay), SES-2 (stdio). Source: JSON-RPC 2.0.

use crate::lines::LINE_BYTES;
use serde_json::Value;

/// The request is none.
pub(crate) const INVALID: i32 = -32_600;
/// Nobody is there to do it.
pub(crate) const UNSERVED: i32 = -32_000;

/// What a request is answered whose host went away.
pub(crate) const UNKNOWN: &str =
    "outcome unknown: the host went away while this ran, so it may have been done; look before you do it again";

/// The answer to a request of that id. An id comes back as it was written, and as none where it can't be one.
pub(crate) fn refusal(id: &str, code: i32, why: &str) -> String {
    let scalar = id.starts_with(|first: char| first == '"' || first == '-' || first.is_ascii_digit());
    let (id, why) = (if scalar { id } else { "null" }, Value::from(why));
    format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":{why}}}}}"#)
}

/// The answer to one that was too long to be kept.
pub(crate) fn too_long(id: &str) -> String {
    refusal(id, INVALID, &format!("a message has at most {LINE_BYTES} bytes"))
}
