//! The whole definition of a tool, as its source wrote it: what a yes to the tool pins.
//!
//! Is: every member, whether we know it or not, in the source's order. Is not: a summary; `lines` has one.
//! Clauses: CAT-5, CAT-8 (accept). Invariant: I-3 (what was shown is what is pinned).

use super::QUOTE;
use crate::foreign::definition;
use agent_engine::catalog::Tool;

/// The definition, a member a line, each line quoted.
// INVARIANT: I-3 whatever the digest is of can be read here.
pub(in crate::cli) fn whole(tool: &Tool) -> Vec<String> {
    let mut lines = vec![format!("  what the server sent, {} bytes:", tool.descriptor.size)];
    lines.extend(definition(&tool.definition.raw).lines().map(|line| format!("{QUOTE}{line}")));
    lines
}
