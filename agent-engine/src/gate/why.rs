//! Why a session may or may not call a tool: every condition of the gate, and what each was judged by.
//!
//! Is: pure, and of the very conditions that the gate asks. Is not: leave to call; an explanation is worth nothing.
//! Clause: GATE-1.

use super::condition::{Case, Condition};
use super::{Target, decide};
use crate::policy::Verdict;
use crate::view::Frame;
use agent_core::digest::Digest;
use agent_core::grant::Gone;
use agent_core::id::ToolId;
use agent_core::refusal::Refusal;
use agent_core::session::{Asker, Listing};
use agent_core::state::Held;
use serde::{Deserialize, Serialize};

/// One tool of one session as the gate sees it now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explanation {
    /// What a call by its id would be told, before its arguments and guards are looked at. None where it may run.
    pub refusal: Option<Refusal>,
    /// The same of a call by its name.
    pub by_name: Option<Refusal>,
    /// Every condition and whether it holds, in the order in which they are asked; none where it has nothing to judge.
    pub conditions: Vec<(Condition, Option<bool>)>,
    /// What they were judged by.
    pub facts: Facts,
}

/// The values behind the conditions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Facts {
    /// Whose session it is, and under which profile.
    pub asker: Asker,
    /// What the client is listed, as it was served last; none where it called nothing since the host started.
    pub listing: Option<Listing>,
    /// Who stopped everything.
    pub stopped: Option<String>,
    /// What the session holds of the tool.
    pub held: Option<Held>,
    /// How it went, where the session held it once.
    pub former: Option<Gone>,
    /// The live definition.
    pub live: Option<Digest>,
    /// The definition last accepted.
    pub pinned: Option<Digest>,
    /// What the policy says of the live definition.
    pub verdict: Option<Verdict>,
    /// The rule that says so, by its place in the list from 0; none where no rule matches.
    pub rule: Option<usize>,
    /// Whether it demands a strong answer.
    #[serde(default)]
    pub strong: bool,
    /// What is running in the session.
    pub running: usize,
}

/// Explains the gate's decision on one tool under one frame.
pub(crate) fn explain(frame: &Frame, id: &ToolId, listing: Option<Listing>, running: usize) -> Explanation {
    let tool = frame.catalog.get(id.as_str());
    let held = frame.state.held(id);
    let case = Case { frame, id, listing, tool, held, own: 0 };
    let ruling = tool.map(|tool| frame.ruling(tool));
    Explanation {
        refusal: decide(frame, Target::Id(id.as_str()), 0).err(),
        by_name: decide(frame, Target::Wire(id.wire().as_str(), listing.unwrap_or_default()), 0).err(),
        conditions: Condition::ALL.into_iter().map(|condition| (condition, condition.holds(&case))).collect(),
        facts: Facts {
            asker: frame.asker.clone(),
            listing,
            stopped: frame.host.stopped.clone(),
            held: held.cloned(),
            former: frame.state.former.get(id).copied(),
            live: tool.map(|tool| tool.descriptor.digest),
            pinned: frame.host.pins.get(id).copied(),
            verdict: ruling.map(|ruling| ruling.verdict),
            rule: ruling.and_then(|ruling| ruling.rule),
            strong: tool.is_some_and(|tool| frame.demands_strength(tool)),
            running,
        },
    }
}
