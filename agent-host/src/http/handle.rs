//! The handle by which a modern client's call names its session: taken out of the arguments, and put into the answer.
//!
//! Is: the wire's half of SES-2; the engine sees neither. Is not: the session. Clauses: SES-2 (HTTP), SRCH-1, ACT-1.

use agent_engine::builtins::SESSION;
use rmcp::ErrorData;
use rmcp::model::{CallToolRequestParams, CallToolResult, ContentBlock};
use serde_json::{Map, Value};

/// Takes the handle out of a call.
///
/// # Errors
/// It is there and no text.
pub(super) fn taken(request: &mut CallToolRequestParams) -> Result<Option<String>, ErrorData> {
    match request.arguments.as_mut().and_then(|arguments| arguments.remove(SESSION)) {
        None => Ok(None),
        Some(Value::String(handle)) => Ok(Some(handle)),
        Some(_) => Err(ErrorData::invalid_params("`session` is not a text", None)),
    }
}

/// The first answer of a session, with its handle: in the answer's own object, else as a line of its own.
pub(super) fn answered(mut result: CallToolResult, handle: &str) -> CallToolResult {
    let within = match result.content.first_mut() {
        Some(ContentBlock::Text(text)) => serde_json::from_str::<Map<String, Value>>(&text.text).ok().map(|mut object| {
            object.insert(SESSION.to_owned(), handle.into());
            text.text = Value::Object(object).to_string();
        }),
        _ => None,
    };
    if within.is_none() {
        result.content.push(ContentBlock::text(format!("{SESSION}: {handle}")));
    }
    result
}
