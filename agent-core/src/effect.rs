//! What the operator says a tool can do, and what holds where nothing was said.
//!
//! Is not: a decision; `policy` rules over these values. Clauses: SAFE-1, AUTH-2 (as whom).

use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// How much a call can change; ordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Effect {
    /// Changes nothing.
    ReadOnly,
    /// Changes something that can be changed back.
    Mutating,
    /// Can lose something.
    Destructive,
}

impl Effect {
    /// The word shown to models and people.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ReadOnly => "read-only",
            Self::Mutating => "mutating",
            Self::Destructive => "destructive",
        }
    }
}

/// One leg of the lethal trifecta.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Capability {
    /// Reads what is private.
    PrivateData,
    /// Reads what strangers wrote.
    UntrustedInput,
    /// Sends to the outside.
    ExternalSend,
}

impl Capability {
    /// The word shown to people and written in rules.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::PrivateData => "private_data",
            Self::UntrustedInput => "untrusted_input",
            Self::ExternalSend => "external_send",
        }
    }
}

/// As whom a tool acts at its server, where that is a matter of a login there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Acts {
    /// As the operator, whoever asks.
    Operator,
    /// As the principal who asks.
    Principal,
}

/// What an operator declares of one source's tools. Everything left out has its careful default.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Declared {
    /// Whether the source's own annotations may narrow the defaults.
    pub trust: bool,
    /// What its tools can change.
    pub effect: Option<Effect>,
    /// Its legs of the trifecta.
    pub capabilities: Option<BTreeSet<Capability>>,
    /// Whether a call that may have happened can be sent again.
    pub repeatable: bool,
    /// As whom its tools act at its server, where that is a matter of a login there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub acts: Option<Acts>,
}

/// What a source's annotations claim, as MCP names it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Annotations {
    /// `readOnlyHint`
    pub read_only: Option<bool>,
    /// `destructiveHint`
    pub destructive: Option<bool>,
    /// `openWorldHint`
    pub open_world: Option<bool>,
}

/// What holds of one tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Safety {
    /// How much a call can change.
    pub effect: Effect,
    /// Its legs of the trifecta.
    pub capabilities: BTreeSet<Capability>,
    /// Whether its annotations were believed.
    pub trusted: bool,
    /// Whether a call that may have happened can be sent again.
    pub repeatable: bool,
}

impl Safety {
    /// The operator's word, else a trusted source's annotations, else the worst case. Annotations can widen what the
    /// operator declared, never narrow it; those of a source that isn't trusted can only widen.
    #[must_use]
    pub fn of(declared: &Declared, said: Annotations) -> Self {
        let claimed = match (said.read_only, said.destructive) {
            (Some(true), _) => Some(Effect::ReadOnly),
            (_, Some(false)) => Some(Effect::Mutating),
            (_, Some(true)) => Some(Effect::Destructive),
            _ => None,
        };
        let effect = match (declared.effect, claimed) {
            (Some(declared), Some(claimed)) => declared.max(claimed),
            (Some(declared), None) => declared,
            (None, Some(claimed)) if declared.trust => claimed,
            (None, _) => Effect::Destructive,
        };
        let closed_world = declared.trust && said.open_world == Some(false);
        let mut capabilities = declared
            .capabilities
            .clone()
            .unwrap_or_else(|| if closed_world { BTreeSet::new() } else { [Capability::UntrustedInput, Capability::ExternalSend].into() });
        if said.open_world == Some(true) {
            capabilities.insert(Capability::UntrustedInput);
            capabilities.insert(Capability::ExternalSend);
        }
        Self { effect, capabilities, trusted: declared.trust, repeatable: declared.repeatable }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn effect(trust: bool, declared: Option<Effect>, read_only: Option<bool>, destructive: Option<bool>) -> Effect {
        let said = Annotations { read_only, destructive, open_world: None };
        Safety::of(&Declared { trust, effect: declared, ..Declared::default() }, said).effect
    }

    #[test]
    fn safe_1_undeclared_is_the_worst_case() {
        let safety = Safety::of(&Declared::default(), Annotations::default());
        assert_eq!(safety.effect, Effect::Destructive);
        assert_eq!(safety.capabilities, [Capability::UntrustedInput, Capability::ExternalSend].into());
        assert!(!safety.trusted && !safety.repeatable);
    }

    #[test]
    fn safe_1_annotations_narrow_only_where_trusted() {
        assert_eq!(effect(false, None, Some(true), Some(false)), Effect::Destructive);
        assert_eq!(effect(true, None, Some(true), None), Effect::ReadOnly);
        assert_eq!(effect(true, None, Some(false), Some(false)), Effect::Mutating);
    }

    #[test]
    fn safe_1_annotations_never_narrow_what_was_declared() {
        assert_eq!(effect(true, Some(Effect::Mutating), Some(true), None), Effect::Mutating);
        assert_eq!(effect(false, Some(Effect::ReadOnly), None, Some(true)), Effect::Destructive);
    }
}
