//! MCP's shapes of a tool and of a call's result, as the legacy and the modern era share them.
//!
//! Source: MCP 2025-11-25 and 2026-07-28, server/tools.

use crate::builtins::Reply;
use crate::call::Ran;
use crate::projection::{Face, Surface, text};
use agent_core::effect::Effect;
use agent_core::outcome::{Outcome, ToolResult};
use serde_json::{Value, json};

/// A session's list.
#[must_use]
pub fn tools(surface: &Surface) -> Vec<Value> {
    surface.builtins.iter().chain(&surface.tools).map(tool).collect()
}

/// One tool.
#[must_use]
pub fn tool(face: &Face) -> Value {
    let mut tool = json!({
        "name": face.name,
        "description": face.description,
        "inputSchema": face.input,
        "annotations": {
            "readOnlyHint": face.effect == Effect::ReadOnly,
            "destructiveHint": face.effect == Effect::Destructive,
            "openWorldHint": face.open_world,
        },
    });
    let optional = [("title", face.title.clone().map(Value::from)), ("outputSchema", face.output.clone())];
    if let Some(members) = tool.as_object_mut() {
        members.extend(optional.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))));
    }
    tool
}

/// The result of a call, a builtin's or a tool's. `approve_at` says where a waiting request is approved.
#[must_use]
pub fn result(reply: &Reply, approve_at: &str) -> Value {
    match reply {
        Reply::Done { text, .. } => said(text, false),
        Reply::Refused { text, .. } => said(text, true),
        Reply::Waiting(question) => said(&text::pending(question, approve_at), false),
        Reply::Ran(ran) => outcome(ran),
    }
}

fn outcome(ran: &Ran) -> Value {
    let mut result = match &ran.outcome {
        Outcome::Ok(result) => carried(result, false),
        Outcome::ToolFailed(result) => carried(result, true),
        lost => said(&text::outcome(lost), true),
    };
    if ran.revoked
        && let Some(content) = result.get_mut("content").and_then(Value::as_array_mut)
    {
        content.push(json!({"type": "text", "text": text::LATE}));
    }
    result
}

fn carried(result: &ToolResult, failed: bool) -> Value {
    let mut shaped = json!({"content": result.content, "isError": failed});
    if let (Some(structured), Some(members)) = (&result.structured, shaped.as_object_mut()) {
        members.insert("structuredContent".to_owned(), structured.clone());
    }
    shaped
}

fn said(text: &str, failed: bool) -> Value {
    json!({"content": [{"type": "text", "text": text}], "isError": failed})
}
