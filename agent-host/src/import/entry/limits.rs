//! How long a server may take, which of its tools are used, and what a client was told to allow.
//!
//! A time counts in the unit of the client whose file it stands in. Lists of tools only narrow, so they can be taken over;
//! approvals widen, so they are not (AUTH-1).

use super::{Client, Kind, Node, Note};
use std::time::Duration;

pub(super) struct Limits {
    pub(super) start: Option<Duration>,
    pub(super) timeout: Option<Duration>,
    pub(super) allow: Option<Vec<String>>,
    pub(super) deny: Vec<String>,
}

pub(super) const KEYS: [&str; 20] = [
    "timeout",
    "request_timeout_ms",
    "startup_timeout_ms",
    "startup_timeout_sec",
    "tool_timeout_sec",
    "tool_timeout_ms",
    "enabled_tools",
    "enabledTools",
    "disabled_tools",
    "disabledTools",
    "alwaysAllow",
    "autoApprove",
    "trust",
    "default_tools_approval_mode",
    "tools",
    "approval_mode",
    "supports_parallel_tool_calls",
    "icon",
    "id",
    "name",
];

/// Keys by which a client asks less.
const APPROVALS: [&str; 5] = ["alwaysAllow", "autoApprove", "trust", "default_tools_approval_mode", "tools"];

pub(super) fn read(node: &Node, client: Client, notes: &mut Vec<Note>) -> Limits {
    let mut time = |keys: &[(&str, f64)]| keys.iter().find_map(|(key, unit)| length(node.get(key)?, key, *unit, notes));
    let own = if client.counts_seconds() { 1000.0 } else { 1.0 };
    let start = time(&[("startup_timeout_sec", 1000.0), ("startup_timeout_ms", 1.0)]);
    let timeout = time(&[("tool_timeout_sec", 1000.0), ("tool_timeout_ms", 1.0), ("request_timeout_ms", 1.0), ("timeout", own)]);
    for key in APPROVALS {
        let says = node.get(key).is_some_and(|node| {
            node.bool() == Some(true) || node.text().is_some() || !node.texts().is_empty() || !node.members().is_empty()
        });
        if says {
            notes.push(Note::new(Kind::ApprovalNotImported, key));
        }
    }
    let list = |keys: [&str; 2]| keys.into_iter().find_map(|key| node.get(key)).map(Node::texts);
    Limits {
        start,
        timeout,
        allow: list(["enabled_tools", "enabledTools"]),
        deny: list(["disabled_tools", "disabledTools"]).unwrap_or_default(),
    }
}

/// A time of at least a second; a shorter one was probably meant in another unit.
fn length(node: &Node, key: &str, unit: f64, notes: &mut Vec<Note>) -> Option<Duration> {
    let Node::Number(number) = node else {
        if !matches!(node, Node::Null) {
            notes.push(Note::new(Kind::WrongType, key));
        }
        return None;
    };
    let length = number.parse::<f64>().ok().and_then(|count| Duration::try_from_secs_f64(count * unit / 1000.0).ok());
    let Some(length) = length.filter(|length| *length <= Duration::from_hours(30 * 24)) else {
        notes.push(Note::new(Kind::WrongType, key));
        return None;
    };
    if length < Duration::from_secs(1) {
        notes.push(Note::new(Kind::UnitAmbiguous, key));
        return None;
    }
    Some(Duration::from_millis(length.as_millis().try_into().ok()?))
}
