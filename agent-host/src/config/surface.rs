//! What clients are listed, as the operator chose it.
//!
//! Is: the value of `surface`. Is not: a list. Clause: ACT-6.

use serde::{Deserialize, Serialize};

/// What the tools that a session holds do to the list that its client sees. Left out, the client's era decides: a legacy
/// client's list is `dynamic`, a modern one's `stable`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Surface {
    /// What is activated is listed, and called by its name or through `call_tool`.
    Dynamic,
    /// Builtins alone are listed, always; the rest runs through `call_tool`.
    Stable,
    /// As `dynamic`, and every tool that a rule says `auto` of is a preset.
    Full,
}
