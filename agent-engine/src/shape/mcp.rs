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

/// One tool. Never with an output schema: it would be a promise of ours about a stranger's results, and strict clients turn
/// a broken one into a failed call, or lose the whole list over a schema that they can't compile (CAT-4).
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
    if let (Some(title), Some(members)) = (&face.title, tool.as_object_mut()) {
        members.insert("title".to_owned(), title.clone().into());
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
