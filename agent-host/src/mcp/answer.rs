//! What a call is answered with: the members of a result as they are sent, for what goes past rmcp, and the same as rmcp knows it.
//!
//! Is not: an outcome; what is said of one was decided before. Clauses: SES-2, BLT-4.

use agent_engine::builtins::Reply;
use agent_engine::shape::mcp::result;
use rmcp::ErrorData;
use rmcp::model::{CallToolResponse, JsonObject, ResultType};
use serde_json::Value;

/// What a call is answered with.
pub(crate) enum Answer {
    /// A result, as it is sent.
    Result(JsonObject),
    /// Something before it, or in its place.
    Other(CallToolResponse),
}

impl Answer {
    /// The same as rmcp knows it.
    pub(crate) fn typed(self) -> Result<CallToolResponse, ErrorData> {
        match self {
            Self::Result(members) => serde_json::from_value(members.into())
                .map(CallToolResponse::Complete)
                .map_err(|error| ErrorData::internal_error(error.to_string(), None)),
            Self::Other(response) => Ok(response),
        }
    }
}

/// A reply as a whole result.
pub(super) fn members(reply: &Reply, where_to: &str) -> JsonObject {
    let mut members = match result(reply, where_to) {
        Value::Object(members) => members,
        _ => JsonObject::new(),
    };
    members.insert("resultType".to_owned(), ResultType::COMPLETE.as_str().into());
    members
}
