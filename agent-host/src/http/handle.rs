//! The handle by which a modern client's call names its session: taken out of the arguments, and put into the answer.
//!
//! Is: the wire's half of SES-2; the engine sees neither. Is not: the session. Clauses: SES-2 (HTTP), SRCH-1, ACT-1.

use agent_engine::builtins::SESSION;
use rmcp::ErrorData;
use rmcp::model::{CallToolRequestParams, JsonObject};
use serde_json::{Map, Value, json};

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
pub(super) fn answered(mut result: JsonObject, handle: &str) -> JsonObject {
    let first = result.get_mut("content").and_then(|content| content.get_mut(0)).and_then(|block| block.get_mut("text"));
    let within = first.and_then(|text| {
        let mut object: Map<String, Value> = serde_json::from_str(text.as_str()?).ok()?;
        object.insert(SESSION.to_owned(), handle.into());
        *text = Value::Object(object).to_string().into();
        Some(())
    });
    match within {
        Some(()) => result,
        None => with_line(result, &format!("{SESSION}: {handle}")),
    }
}

/// An answer with a line of ours after it.
pub(super) fn with_line(mut result: JsonObject, line: &str) -> JsonObject {
    if let Some(content) = result.entry("content").or_insert_with(|| json!([])).as_array_mut() {
        content.push(json!({"type": "text", "text": line}));
    }
    result
}
