//! The engine's values in the words that both sides are compared in, and the other way round.

use agent_core::id::{Alias, SourceClass, ToolId};
use agent_core::length::Length;
use agent_core::refusal::Refusal;
use agent_core::request::Strength;
use agent_core::session::{PrincipalId, ProfileId};
use agent_engine::builtins::Reply;
use agent_engine::catalog::Source;
use agent_engine::desk::NotAccepted;
use agent_engine::ledger::CommitError;
use agent_engine::policy::{self, Pattern, Profile, Rule, Verdict};
use agent_spec::model::{Decision, Id, Policy, Recorded, Told};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

pub(super) const PROFILE: &str = "narrow";

/// A principal by its number.
pub(super) fn principal(number: usize) -> PrincipalId {
    PrincipalId::parse(&format!("person{number}")).unwrap()
}

pub(super) fn policy(policy: &Policy) -> policy::Policy {
    let profile = Profile {
        tools: policy.ceiling.as_ref().map(|ids| ids.iter().map(|id| Pattern::parse(id).unwrap()).collect()),
        presets: policy.presets.iter().map(|id| ToolId::parse(id).unwrap()).collect(),
    };
    policy::Policy {
        activation: verdict(policy.default),
        rules: policy.rules.iter().map(|(id, decision)| rule(policy, id, *decision)).collect(),
        profiles: [(ProfileId::parse(PROFILE).unwrap(), profile)].into(),
    }
}

fn rule(policy: &Policy, id: &Id, decision: Decision) -> Rule {
    let strong = decision == Decision::Prompt && policy.strong.contains(id);
    Rule {
        tools: vec![Pattern::parse(id).unwrap()],
        server: None,
        source: None,
        effect: None,
        capabilities: BTreeSet::new(),
        principal: None,
        profile: None,
        decision: verdict(decision),
        strength: strong.then_some(Strength::Strong),
        new: None,
        ttl: policy.ttl.get(id).map(|ms| Length(Duration::from_millis(*ms))),
        max_calls: None,
    }
}

const fn verdict(decision: Decision) -> Verdict {
    match decision {
        Decision::Auto => Verdict::Auto,
        Decision::Prompt => Verdict::Prompt,
        Decision::Deny => Verdict::Deny,
        Decision::Hide => Verdict::Hide,
    }
}

/// One source per server; a definition's number is in its description.
pub(super) fn sources(tools: &BTreeMap<Id, u32>) -> Vec<Source> {
    let mut sources: BTreeMap<Alias, Vec<String>> = BTreeMap::new();
    for (id, number) in tools {
        let id = ToolId::parse(id).unwrap();
        let definition = json!({"name": id.name(), "description": format!("a lamp, {number}"), "inputSchema": {"type": "object"}});
        sources.entry(id.server()).or_default().push(definition.to_string());
    }
    let source = |(alias, definitions)| Source { definitions, ..Source::new(SourceClass::Mcp, alias) };
    sources.into_iter().map(source).collect()
}

pub(super) const fn recorded(recorded: bool) -> Recorded {
    if recorded { Recorded::Yes } else { Recorded::No }
}

pub(super) const fn in_effect(is_recorded: bool) -> Told {
    Told::InEffect(recorded(is_recorded))
}

pub(super) fn committed(done: Result<(), CommitError>) -> Told {
    match done {
        Ok(()) => Told::Done,
        Err(CommitError::Refused(_)) => Told::Refused("not-recorded"),
        Err(CommitError::Unknown(_)) => Told::Refused("record-unknown"),
        Err(CommitError::Conflict(..)) => Told::Refused("contended"),
    }
}

pub(super) fn accepted(done: Result<(), NotAccepted>) -> Told {
    match done {
        Ok(()) => Told::Done,
        Err(NotAccepted::Moved(_)) => Told::Refused("moved"),
        Err(NotAccepted::Commit(error)) => committed(Err(error)),
    }
}

pub(super) fn refused(refusal: &Refusal) -> Told {
    Told::Refused(refusal.code())
}

/// What a request, or the wait for one, came to.
pub(super) fn asked(reply: &Reply) -> Told {
    match reply {
        Reply::Waiting(_) => Told::Waiting,
        Reply::Refused { refusal, .. } => refused(refusal),
        Reply::Ran(_) => panic!("a request ran a tool"),
        Reply::Done { text, .. } => {
            let answer: Value = serde_json::from_str(text).unwrap();
            Told::Active { added: answer["added"].as_u64().unwrap().try_into().unwrap(), set: answer["set"].as_u64().unwrap() }
        }
    }
}

/// The texts of a JSON array, sorted.
pub(super) fn texts(answer: &Value) -> Vec<Id> {
    let mut texts: Vec<Id> = answer.as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_owned()).collect();
    texts.sort();
    texts
}
