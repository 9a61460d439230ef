//! The gate is not asked, a permit not opened and a message not made but by the maker of calls.

use agent_core::id::ToolId;
use agent_core::session::CallId;
use agent_engine::call::{Cancel, Progress, Sent};
use agent_engine::gate::Permit;
use serde_json::Map;

fn opened(permit: Permit) {
    permit.into_parts();
}

fn made(call: CallId, id: ToolId, cancel: Cancel) -> Sent {
    Sent::new(call, id, Map::new(), cancel, Progress::none())
}

fn main() {}
