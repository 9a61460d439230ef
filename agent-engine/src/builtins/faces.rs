//! How the builtins look to a model. Every byte here is in every request: kept short.
//!
//! Clauses: BLT-1, BLT-4.

use crate::projection::{Face, Terms};
use agent_core::effect::Effect;
use agent_core::id::BUILTINS;
use agent_core::limits::{HITS_MAX, IDS_PER_REQUEST, QUERY_BYTES};
use agent_core::session::Listing;
use serde_json::{Value, json};

/// A builtin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Builtin {
    /// Finds tools.
    SearchTools,
    /// Switches tools on.
    ActivateTools,
    /// Calls an active tool by its id.
    CallTool,
    /// Gives tools up.
    DeactivateTools,
    /// Shows one tool.
    ToolDetails,
}

impl Builtin {
    /// All of them, as they are listed.
    pub const ALL: [Self; 5] = [Self::SearchTools, Self::ActivateTools, Self::CallTool, Self::DeactivateTools, Self::ToolDetails];

    /// The name a model calls it by.
    #[must_use]
    pub const fn name(self) -> &'static str {
        let [search, activate, call, deactivate, details] = BUILTINS;
        match self {
            Self::SearchTools => search,
            Self::ActivateTools => activate,
            Self::CallTool => call,
            Self::DeactivateTools => deactivate,
            Self::ToolDetails => details,
        }
    }

    /// The builtin of a name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|builtin| builtin.name() == name)
    }

    /// What it can change.
    #[must_use]
    pub const fn effect(self) -> Effect {
        match self {
            Self::SearchTools | Self::ToolDetails => Effect::ReadOnly,
            Self::ActivateTools | Self::DeactivateTools => Effect::Mutating,
            Self::CallTool => Effect::Destructive,
        }
    }

    const fn description(self, listing: Listing) -> &'static str {
        match self {
            Self::SearchTools => "Find tools that are not listed. Answers exact ids with a line each. Say what the tool should do.",
            Self::ActivateTools => {
                "Switch on tools by exact id from search_tools, all or none. A person may be asked first; if the answer is pending, go on with something else and call again later."
            }
            Self::CallTool => match listing {
                Listing::Held => "Call an active tool by its id. Use it if an activated tool does not appear in your list.",
                Listing::Builtins => "Call an active tool by its id. It is the only way to call one: this list stays as it is.",
            },
            Self::DeactivateTools => "Give up tools that are no longer needed.",
            Self::ToolDetails => "Show one tool's parameters by its exact id.",
        }
    }

    /// Whether a call that names no session opens one.
    #[must_use]
    pub const fn opens(self) -> bool {
        matches!(self, Self::SearchTools | Self::ActivateTools)
    }

    fn input(self, handles: bool) -> Value {
        let ids = json!({"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": IDS_PER_REQUEST});
        let (mut properties, mut required) = match self {
            Self::SearchTools => (
                json!({
                    "query": {"type": "string", "maxLength": QUERY_BYTES},
                    "limit": {"type": "integer", "minimum": 1, "maximum": HITS_MAX},
                    "server": {"type": "string", "description": "only tools of this server"},
                }),
                json!(["query"]),
            ),
            Self::ActivateTools | Self::DeactivateTools => (json!({"tools": ids}), json!(["tools"])),
            Self::CallTool => (json!({"id": {"type": "string"}, "arguments": {"type": "object"}}), json!(["id", "arguments"])),
            Self::ToolDetails => (json!({"id": {"type": "string"}}), json!(["id"])),
        };
        if handles && let (Some(properties), Some(required)) = (properties.as_object_mut(), required.as_array_mut()) {
            let description = if self.opens() { "as answered before; left out the first time" } else { "as search_tools answered it" };
            properties.insert(SESSION.to_owned(), json!({"type": "string", "description": description}));
            required.extend((!self.opens()).then(|| SESSION.into()));
        }
        json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
    }
}

/// The argument by which a call names its session, where calls have to.
pub const SESSION: &str = "session";

/// The faces of the builtins a host offers, under a client's terms.
#[must_use]
pub fn faces(offered: &[Builtin], terms: &Terms) -> Vec<Face> {
    let face = |builtin: &Builtin| Face {
        name: builtin.name().to_owned(),
        title: None,
        description: builtin.description(terms.listing).to_owned(),
        input: builtin.input(terms.handles),
        output: None,
        effect: builtin.effect(),
        open_world: *builtin == Builtin::CallTool,
    };
    offered.iter().map(face).collect()
}
