//! Admissions, permits and messages are made by the gate and by the maker of calls.

use agent_core::digest::Digest;
use agent_core::id::ToolId;
use agent_core::session::{CallId, RequestId};
use agent_engine::call::{Cancel, Progress, Sent};
use agent_engine::catalog::Tool;
use agent_engine::gate::{Admission, Permit};
use serde_json::Map;
use std::sync::Arc;
use tokio::sync::watch;

fn admission(tool: Arc<Tool>, request: RequestId, digest: Digest) -> Admission {
    Admission { tool, request, arguments: Map::new(), digest }
}

fn permit(call: CallId, id: ToolId, cancel: watch::Receiver<bool>) -> Permit {
    Permit { call, id, arguments: Map::new(), cancel }
}

fn message(call: CallId, id: ToolId, cancel: Cancel) -> Sent {
    Sent { call, id, arguments: Map::new(), cancel, progress: Progress::none() }
}

fn main() {}
