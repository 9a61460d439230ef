//! Who said yes: from a policy that says `auto`, or from a person's answer, to a confirmation, and from nothing else.
//!
//! Is: pure. Is not: a channel, a prompt or a memory. Nothing that a model or an upstream wrote comes in here: not an
//! argument, not a result, not a text. Clauses: AUTH-1, AUTH-2, AUTH-3, AUTH-4 (what a form can't say), AUTH-6, AUTH-7,
//! POL-1, POL-4. Invariants: I-1, I-3.

use crate::catalog::Tool;
use crate::policy::{Policy, Ruling, Verdict};
use crate::request::Resolved;
use agent_core::digest::Digest;
use agent_core::id::ToolId;
use agent_core::length::Length;
use agent_core::refusal::Refusal;
use agent_core::request::{Answer, Asked, Decider, Decision, Novelty, Question, Strength};
use agent_core::session::{Asker, Bound, SessionView};
use agent_core::state::PrincipalState;
use agent_core::time::Instant;
use std::collections::BTreeMap;

/// A yes of the host to one exact batch for one asker. Made here alone.
#[derive(Debug)]
pub struct Confirmation {
    asker: Asker,
    batch: Vec<Allowed>,
    always: Option<Vec<Bound>>,
}

/// One tool of a confirmed batch: on whose word, and how far it reaches.
#[derive(Debug)]
pub(crate) struct Allowed {
    pub(crate) bound: Bound,
    pub(crate) by: Decider,
    pub(crate) ttl: Option<Length>,
    pub(crate) max_calls: Option<u32>,
}

impl Confirmation {
    /// For whom.
    #[must_use]
    pub const fn asker(&self) -> &Asker {
        &self.asker
    }

    /// What the person said always to; nothing of it where a rule demands strength. None where they didn't say it.
    #[must_use]
    pub fn always(&self) -> Option<&[Bound]> {
        self.always.as_deref()
    }

    pub(crate) fn bounds(&self) -> Vec<Bound> {
        self.batch.iter().map(|allowed| allowed.bound.clone()).collect()
    }

    pub(crate) fn into_batch(self) -> Vec<Allowed> {
        self.batch
    }
}

/// What is remembered of earlier answers.
#[derive(Debug, Clone, Copy)]
pub struct Remembered<'a> {
    /// The principal's denials and standing approvals.
    pub principal: &'a PrincipalState,
    /// Whether standing approvals count: for what a model asks for, not for what is active from the start.
    pub standing: bool,
    /// The definitions accepted so far.
    pub pins: &'a BTreeMap<ToolId, Digest>,
}

impl Remembered<'_> {
    fn knows(&self, tool: &Tool) -> bool {
        self.pins.get(&tool.descriptor.id) == Some(&tool.descriptor.digest)
    }

    /// A person's word that stands in for one: where a rule says `prompt`, for this very definition, and never for strength.
    fn word(&self, tool: &Tool, ruling: &Ruling) -> Option<Decider> {
        let counts = self.standing && ruling.verdict == Verdict::Prompt && !ruling.strong;
        let given = self.principal.stands(&tool.bound()).filter(|_| counts)?;
        Some(given.by.standing(given.at))
    }
}

/// What becomes of a request.
#[derive(Debug)]
pub enum Decided {
    /// The policy says `auto` to every tool of it, or a person said always before.
    Granted(Confirmation),
    /// A person is asked about the whole.
    Ask {
        /// What they are shown, by id.
        what: Vec<Asked>,
        /// Whether only a strong answer counts.
        strong: bool,
    },
    /// No.
    Refused(Refusal),
}

/// Decides a request by policy and by what is remembered. `digest` names the policy in force to the record.
// INVARIANT: I-1
#[must_use]
pub fn decide(
    policy: &Policy,
    digest: Digest,
    resolved: Resolved,
    view: &SessionView,
    remembered: Remembered<'_>,
    now: Instant,
) -> Decided {
    let asker = resolved.asker().clone();
    let ruled: Vec<_> =
        resolved.new_tools().iter().map(|tool| (tool, policy.decide(&asker, &tool.descriptor, remembered.knows(tool)))).collect();
    let denied = ids(ruled.iter().filter(|(_, ruling)| ruling.verdict.denies()));
    if !denied.is_empty() {
        return Decided::Refused(Refusal::DeniedByPolicy(denied));
    }
    let rule = Decider::Policy { policy: digest };
    let word = |(tool, ruling): &(&std::sync::Arc<Tool>, Ruling)| match ruling.verdict {
        Verdict::Prompt => remembered.word(tool, ruling),
        _ => Some(rule.clone()),
    };
    let words: Option<Vec<Decider>> = ruled.iter().map(word).collect();
    let no = |tool: &Tool| {
        let bound = tool.bound();
        remembered.principal.denies(&bound, now) || view.state.denied.contains(&bound)
    };
    let refused = ids(ruled.iter().filter(|(tool, _)| no(tool)));
    if !refused.is_empty() {
        return Decided::Refused(Refusal::DeniedByPerson(refused));
    }
    let Some(words) = words else {
        let mut what: Vec<_> = ruled.iter().map(|(tool, ruling)| asked(tool, ruling, &remembered)).collect();
        what.sort_by(|a, b| a.bound.cmp(&b.bound));
        return Decided::Ask { what, strong: ruled.iter().any(|(_, ruling)| ruling.strong) };
    };
    let allowed = |((tool, Ruling { ttl, max_calls, .. }), by): ((&std::sync::Arc<Tool>, Ruling), Decider)| Allowed {
        bound: tool.bound(),
        by,
        ttl,
        max_calls,
    };
    let batch = ruled.into_iter().zip(words).map(allowed).collect();
    Decided::Granted(Confirmation { asker, batch, always: None })
}

/// What an answer comes to.
#[derive(Debug)]
pub enum Accepted {
    /// Yes.
    Yes(Confirmation),
    /// A person's no, to these exactly.
    No(Vec<Bound>),
    /// No decision of a person's; the request ends.
    Dismissed,
    /// What would be granted is no longer what was shown, or the policy now denies it; the request ends.
    Changed,
    /// Not an answer to this question; the request goes on waiting.
    NotAnAnswer,
    /// A yes to it that proves too little; the request goes on waiting.
    TooWeak,
}

/// Judges an answer against the question it names and against what the same ids resolve to now.
// INVARIANT: I-1
// INVARIANT: I-3 the digest shown is the digest granted
#[must_use]
pub fn accept(policy: &Policy, question: &Question, again: Option<Resolved>, answer: &Answer, pins: &BTreeMap<ToolId, Digest>) -> Accepted {
    let Decider::Person { strength, channel, .. } = &answer.by else { return Accepted::NotAnAnswer };
    if answer.shown != question.digest() || !channel.takes(&answer.decision) {
        return Accepted::NotAnAnswer;
    }
    match &answer.decision {
        Decision::Deny => return Accepted::No(question.bounds()),
        Decision::DenySome(named) => {
            let denied: Vec<_> = question.bounds().into_iter().filter(|bound| named.contains(&bound.id)).collect();
            return if denied.is_empty() { Accepted::NotAnAnswer } else { Accepted::No(denied) };
        }
        Decision::Dismiss => return Accepted::Dismissed,
        Decision::Approve | Decision::Once | Decision::Always => {}
    }
    let Some(again) = again.filter(|again| again.all() == question.bounds()) else { return Accepted::Changed };
    let rule = |tool: &Tool| -> Ruling {
        policy.decide(again.asker(), &tool.descriptor, pins.get(&tool.descriptor.id) == Some(&tool.descriptor.digest))
    };
    let ruled: Vec<_> = again.new_tools().iter().map(|tool| (tool.bound(), rule(tool))).collect();
    let once = (answer.decision == Decision::Once).then_some(1);
    if ruled.iter().any(|(_, ruling)| ruling.verdict.denies()) {
        return Accepted::Changed;
    }
    let strong = question.strong || ruled.iter().any(|(_, ruling)| ruling.strong);
    if strong && *strength != Strength::Strong {
        return Accepted::TooWeak;
    }
    // A yes reaches no further than what was shown, nor than the rules say by now.
    let allowed = |(bound, ruling): (Bound, Ruling)| {
        let shown = question.what.iter().find(|asked| asked.bound == bound);
        let ttl = shown.and_then(|shown| shown.ttl).into_iter().chain(ruling.ttl).min();
        let max_calls = shown.and_then(|shown| shown.max_calls).into_iter().chain(ruling.max_calls).chain(once).min();
        Allowed { bound, by: answer.by.clone(), ttl, max_calls }
    };
    let batch = ruled.into_iter().map(allowed).collect();
    let always = (answer.decision == Decision::Always).then(|| if strong { Vec::new() } else { question.bounds() });
    Accepted::Yes(Confirmation { asker: again.asker().clone(), batch, always })
}

fn ids<'a>(tools: impl Iterator<Item = &'a (&'a std::sync::Arc<Tool>, Ruling)>) -> Vec<ToolId> {
    tools.map(|(tool, _)| tool.descriptor.id.clone()).collect()
}

fn asked(tool: &Tool, ruling: &Ruling, remembered: &Remembered<'_>) -> Asked {
    Asked {
        bound: tool.bound(),
        effect: tool.descriptor.safety.effect,
        capabilities: tool.descriptor.safety.capabilities.clone(),
        novelty: if remembered.knows(tool) { Novelty::Known } else { Novelty::New },
        acts: tool.descriptor.acts,
        ttl: ruling.ttl,
        max_calls: ruling.max_calls,
        flagged: tool.descriptor.flagged,
        names: Vec::new(),
        says: tool.descriptor.summary.clone(),
    }
}
