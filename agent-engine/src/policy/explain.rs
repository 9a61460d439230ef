//! Which rule decides, and why: the conditions of a rule one by one, and what they come to for one tool and one asker.
//!
//! Is: the only place that says what each condition is; [`Policy::decide`] takes the first rule none of whose conditions
//! fails, and [`Policy::explain`] shows the way there. Is not: leave to do anything. Clauses: POL-1, POL-3, AUTH-6.

use super::{Policy, Rule, Ruling, Verdict};
use agent_core::descriptor::Descriptor;
use agent_core::id::ToolId;
use agent_core::session::Asker;
use agent_core::state::{HostState, PrincipalState};
use agent_core::time::Instant;
use serde::{Deserialize, Serialize};

/// Something that a rule can name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "RuleCondition"))]
#[serde(rename_all = "kebab-case")]
pub enum Condition {
    /// The effect, exactly.
    Effect,
    /// The tool has all of them.
    Capabilities,
    /// The asker's principal.
    Principal,
    /// The asker's profile.
    Profile,
    /// The kind of source.
    Source,
    /// The source.
    Server,
    /// One of the patterns covers the id.
    Tools,
}

impl Condition {
    /// All, in the order in which they are asked: what is cheap to tell comes first.
    pub const ALL: [Self; 7] = [Self::Effect, Self::Capabilities, Self::Principal, Self::Profile, Self::Source, Self::Server, Self::Tools];

    /// Those that need no more of a tool than its id.
    const ABOUT: [Self; 5] = [Self::Principal, Self::Profile, Self::Source, Self::Server, Self::Tools];

    /// Whether a rule's key names a condition; its other keys say what then holds.
    #[must_use]
    pub fn is_key(key: &str) -> bool {
        Self::ALL.iter().any(|condition| condition.key() == key)
    }

    /// The key by which a rule names it.
    #[must_use]
    pub const fn key(self) -> &'static str {
        match self {
            Self::Effect => "effect",
            Self::Capabilities => "capabilities",
            Self::Principal => "principal",
            Self::Profile => "profile",
            Self::Source => "source",
            Self::Server => "server",
            Self::Tools => "tools",
        }
    }

    /// Whether it holds; none where the rule doesn't name it. Of a tool of which only the id is known, what the tool can do
    /// is not asked.
    fn holds(self, rule: &Rule, asker: &Asker, id: &ToolId, tool: Option<&Descriptor>) -> Option<bool> {
        match self {
            Self::Effect => rule.effect.zip(tool).map(|(effect, tool)| effect == tool.safety.effect),
            Self::Capabilities => {
                let named = tool.filter(|_| !rule.capabilities.is_empty());
                named.map(|tool| rule.capabilities.is_subset(&tool.safety.capabilities))
            }
            Self::Principal => rule.principal.as_ref().map(|principal| *principal == asker.principal),
            Self::Profile => rule.profile.as_ref().map(|profile| asker.profile.as_ref() == Some(profile)),
            Self::Source => rule.source.map(|source| source == id.class()),
            Self::Server => rule.server.as_ref().map(|server| id.is_of(server)),
            Self::Tools => (!rule.tools.is_empty()).then(|| rule.tools.iter().any(|pattern| pattern.matches(id.as_str()))),
        }
    }
}

impl Rule {
    /// The first condition that fails; none where the rule matches.
    pub(super) fn fails(&self, asker: &Asker, tool: &Descriptor) -> Option<Condition> {
        Condition::ALL.into_iter().find(|condition| condition.holds(self, asker, &tool.id, Some(tool)) == Some(false))
    }

    /// Whether it might match a tool of this id, whatever the tool can do.
    pub(super) fn is_about(&self, asker: &Asker, id: &ToolId) -> bool {
        Condition::ABOUT.into_iter().all(|condition| condition.holds(self, asker, id, None) != Some(false))
    }
}

/// One rule as it was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Looked {
    /// Its place in the list, from 0.
    pub rule: usize,
    /// The conditions that it names and that hold, up to the first that fails.
    pub held: Vec<Condition>,
    /// The first that fails; none of the rule that decides.
    pub failed: Option<Condition>,
}

/// The way to a ruling.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Explanation {
    /// The rules from the first to the one that decides; all of them where none matches.
    pub looked: Vec<Looked>,
    /// What it comes to.
    #[serde(flatten)]
    pub ruling: Ruling,
    /// Whether the tool lies under the asker's ceiling.
    pub within: bool,
}

/// What would become of a request for one tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// It can't be found: it lies beyond the ceiling, is hidden, or is withheld until its new definition is accepted.
    Hidden,
    /// The policy denies it.
    DeniedByPolicy,
    /// A person said no, and that is remembered.
    DeniedByPerson,
    /// A person is asked.
    Asked,
    /// It is granted, and nobody is asked.
    Granted,
}

/// One tool for one asker, by all that decides on it but the session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Judged {
    /// By the rules and the ceiling.
    #[serde(flatten)]
    pub explanation: Explanation,
    /// Whether this very definition was accepted.
    pub accepted: bool,
    /// Whether another one was, so that the tool is withheld.
    pub drifted: bool,
    /// Until when a person's no to this very definition is remembered.
    pub denied: Option<Instant>,
    /// What it comes to.
    pub outcome: Outcome,
}

impl Policy {
    /// Explains what [`Policy::decide`] decides, and by the same conditions.
    #[must_use]
    pub fn explain(&self, asker: &Asker, tool: &Descriptor, known: bool) -> Explanation {
        let mut looked = Vec::new();
        let mut place = None;
        for (at, rule) in self.rules.iter().enumerate() {
            let failed = rule.fails(asker, tool);
            let before = Condition::ALL.into_iter().take_while(|condition| Some(*condition) != failed);
            let held = before.filter(|condition| condition.holds(rule, asker, &tool.id, Some(tool)) == Some(true)).collect();
            looked.push(Looked { rule: at, held, failed });
            if failed.is_none() {
                place = Some(at);
                break;
            }
        }
        Explanation { looked, ruling: self.ruling(place, known), within: self.within(asker, &tool.id) }
    }

    /// What would become of a request for a tool, by what is remembered besides.
    #[must_use]
    pub fn judge(&self, asker: &Asker, tool: &Descriptor, host: &HostState, principal: &PrincipalState, now: Instant) -> Judged {
        let accepted = host.accepted(&tool.id, &tool.digest);
        let drifted = !accepted && host.pins.contains_key(&tool.id);
        let denied = principal.denied.get(&tool.id).and_then(|digests| digests.get(&tool.digest));
        let denied = denied.copied().filter(|until| !now.reached(*until));
        let explanation = self.explain(asker, tool, accepted);
        let outcome = match explanation.ruling.verdict {
            _ if !explanation.within || drifted => Outcome::Hidden,
            Verdict::Hide => Outcome::Hidden,
            Verdict::Deny => Outcome::DeniedByPolicy,
            Verdict::Auto | Verdict::Prompt if denied.is_some() => Outcome::DeniedByPerson,
            Verdict::Prompt => Outcome::Asked,
            Verdict::Auto => Outcome::Granted,
        };
        Judged { explanation, accepted, drifted, denied, outcome }
    }
}
