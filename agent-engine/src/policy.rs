//! Rules: what the operator lets be switched on, by whom, and after whose yes.
//!
//! Is: one pure question, `decide`, and why it is answered so (`explain`). Is not: a memory of answers (`standing`), nor a way to grant. Clauses: POL-1, POL-3.

mod explain;
mod pattern;

pub use explain::{Condition, Explanation, Judged, Looked, Outcome};
pub use pattern::{Pattern, PatternError};

use agent_core::descriptor::Descriptor;
use agent_core::digest::{Digest, Domain};
use agent_core::effect::{Capability, Effect};
use agent_core::id::{Alias, SourceClass, ToolId};
use agent_core::length::Length;
use agent_core::limits::GRANT_MS;
use agent_core::request::Strength;
use agent_core::session::{Asker, PrincipalId, ProfileId};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// What a rule says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Granted without asking.
    Auto,
    /// A person is asked.
    Prompt,
    /// Found, and refused when asked for.
    Deny,
    /// Not there to be found.
    Hide,
}

impl Verdict {
    /// Whether it is a no.
    #[must_use]
    pub const fn denies(self) -> bool {
        matches!(self, Self::Deny | Self::Hide)
    }
}

/// One rule. Every condition that is set must hold; the first rule that matches decides.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// Any of these patterns matches the id; all ids where there is none.
    #[serde(default)]
    pub tools: Vec<Pattern>,
    /// The source.
    #[serde(default)]
    pub server: Option<Alias>,
    /// The kind of source.
    #[serde(default)]
    pub source: Option<SourceClass>,
    /// The effect, exactly.
    #[serde(default)]
    pub effect: Option<Effect>,
    /// The tool has all of these.
    #[serde(default)]
    pub capabilities: BTreeSet<Capability>,
    /// The asker's principal.
    #[serde(default)]
    pub principal: Option<PrincipalId>,
    /// The asker's profile.
    #[serde(default)]
    pub profile: Option<ProfileId>,
    /// What then holds.
    pub decision: Verdict,
    /// With `prompt`: how much a yes must prove; `weak` where left out.
    #[serde(default)]
    pub strength: Option<Strength>,
    /// With `auto`: whether a definition that nobody accepted yet is asked about.
    #[serde(default)]
    pub new: Option<NewTool>,
    /// How long a grant under this rule lasts; 12 hours at the most, and where left out.
    #[serde(default)]
    pub ttl: Option<Length>,
    /// Calls a grant under this rule is good for.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub max_calls: Option<u32>,
}

/// What `auto` does with a definition that nobody accepted yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum NewTool {
    /// Pins it at its first grant.
    Auto,
    /// Asks a person.
    Prompt,
}

/// A ceiling, and what is active under it from the start.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Profile {
    /// Nothing else can be found or run; everything can where it is left out.
    pub tools: Option<Vec<Pattern>>,
    /// Active from the start, each a batch of its own.
    pub presets: Vec<ToolId>,
}

/// A policy as published.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Policy {
    /// What holds where no rule matches: `auto`, `prompt` or `deny`.
    pub activation: Verdict,
    /// The rules, in order.
    #[serde(default)]
    pub rules: Vec<Rule>,
    /// The profiles by name. An asker whose profile is not here can find nothing.
    #[serde(default)]
    pub profiles: BTreeMap<ProfileId, Profile>,
}

impl Default for Policy {
    /// Nothing is served (NAT-4).
    fn default() -> Self {
        Self { activation: Verdict::Deny, rules: Vec::new(), profiles: BTreeMap::new() }
    }
}

/// What a policy says of one tool for one asker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Ruling {
    /// The decision.
    pub verdict: Verdict,
    /// Whether only a strong yes counts.
    pub strong: bool,
    /// How long a grant lasts, where less than it may.
    pub ttl: Option<Length>,
    /// Calls a grant is good for.
    pub max_calls: Option<u32>,
    /// The rule that decided, by its place in the list; none where no rule matches.
    pub rule: Option<usize>,
}

impl Policy {
    /// A policy of one decision for everything.
    #[must_use]
    pub fn of(activation: Verdict) -> Self {
        Self { activation, ..Self::default() }
    }

    /// Decides. `known` says whether this very definition was accepted before.
    #[must_use]
    pub fn decide(&self, asker: &Asker, tool: &Descriptor, known: bool) -> Ruling {
        self.ruling(self.rules.iter().position(|rule| rule.fails(asker, tool).is_none()), known)
    }

    /// What the rule at a place says, or what holds where none matches.
    fn ruling(&self, place: Option<usize>, known: bool) -> Ruling {
        let Some((place, rule)) = place.and_then(|place| Some((place, self.rules.get(place)?))) else {
            return Ruling { verdict: self.activation, strong: false, ttl: None, max_calls: None, rule: None };
        };
        let asks = rule.decision == Verdict::Auto && rule.new == Some(NewTool::Prompt) && !known;
        let verdict = if asks { Verdict::Prompt } else { rule.decision };
        let strong = rule.strength == Some(Strength::Strong);
        let ttl = rule.ttl.filter(|ttl| ttl.ms() < GRANT_MS);
        Ruling { verdict, strong, ttl, max_calls: rule.max_calls, rule: Some(place) }
    }

    /// Whether a tool lies under the asker's ceiling.
    #[must_use]
    pub fn within(&self, asker: &Asker, id: &ToolId) -> bool {
        let Some(name) = &asker.profile else { return true };
        let ceiling = self.profiles.get(name).map(|profile| profile.tools.as_ref());
        ceiling.is_some_and(|tools| tools.is_none_or(|tools| tools.iter().any(|pattern| pattern.matches(id.as_str()))))
    }

    /// Whether an asker could find a tool of which nothing is known but its source: its ceiling takes in a name that nobody wrote a
    /// pattern for, and no rule that hides might be about it, whatever the tool can do.
    #[must_use]
    pub fn might_show(&self, asker: &Asker, class: SourceClass, server: &Alias) -> bool {
        let Ok(any) = ToolId::new(class, server, ANY) else { return false };
        let hides = |rule: &Rule| rule.decision == Verdict::Hide && rule.is_about(asker, &any);
        self.within(asker, &any) && !self.rules.iter().any(hides)
    }

    /// What the asker's profile presets.
    #[must_use]
    pub fn presets(&self, profile: Option<&ProfileId>) -> &[ToolId] {
        profile.and_then(|name| self.profiles.get(name)).map_or(&[], |profile| &profile.presets)
    }

    /// The same policy with every prompt granted: how the operator's presets are judged, below `deny` and `hide` (ACT-9).
    #[must_use]
    pub(crate) fn with_prompts_granted(&self) -> Self {
        let mut granted = self.clone();
        let verdicts = granted.rules.iter_mut().map(|rule| (&mut rule.decision, Some(&mut rule.new)));
        for (verdict, new) in verdicts.chain([(&mut granted.activation, None)]) {
            if *verdict == Verdict::Prompt {
                *verdict = Verdict::Auto;
            }
            new.into_iter().for_each(|new| *new = None);
        }
        granted
    }

    /// The digest that records and grants name it by.
    #[must_use]
    pub fn digest(&self) -> Digest {
        Digest::of(Domain::Policy, &serde_json::to_vec(self).unwrap_or_default())
    }
}

/// A tool's name that no pattern was written for.
const ANY: &str = "_";

#[cfg(test)]
mod tests;
