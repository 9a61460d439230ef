//! What `agent-host.toml` holds, as it is written.
//!
//! Is: the one list of keys; the schema is made of these types and their docs. Is not: checked as a whole, nor resolved;
//! `config` does both. Clauses: POL-1, UP-2 (operator's files).

use super::http::{Http, Written};
use super::{Console, Entitled, Length, OAuth, OperatorName, Server, Surface};
use agent_core::id::{Alias, ToolId, WireName};
use agent_core::session::ProfileId;
use agent_engine::policy::{Rule, Verdict};
use agent_engine::session::Starts;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::PathBuf;
use toml::Spanned;

/// The configuration of agent-host. Relative paths are taken from this file's folder.
#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(title = "agent-host.toml"))]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    /// What holds where no rule matches.
    #[serde(default)]
    pub(super) activation: Activation,
    /// Rules over tools, in order; the first that matches decides.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<Rule>"))]
    pub(super) rule: Vec<Spanned<Rule>>,
    /// Ceilings and what is active under them from the start, by name.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(with = "BTreeMap<ProfileId, Written>"))]
    pub(super) profiles: BTreeMap<ProfileId, Spanned<Written>>,
    /// The profile that `serve` uses unless told another with `--profile`.
    #[cfg_attr(feature = "schema", schemars(with = "Option<ProfileId>"))]
    pub(super) profile: Option<Spanned<ProfileId>>,
    /// The servers by alias.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(with = "BTreeMap<Alias, Server>"))]
    pub(super) servers: BTreeMap<Alias, Spanned<Server>>,
    /// Wire names of the operator's own for preset tools, by id.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(with = "BTreeMap<ToolId, WireName>"))]
    pub(super) names: BTreeMap<ToolId, Spanned<WireName>>,
    /// What clients are listed. Left out, the client's era decides: `dynamic` for clients of MCP up to 2025-11-25, `stable` for
    /// later ones.
    pub(super) surface: Option<Surface>,
    /// How a person is waited for.
    #[serde(default)]
    pub(super) approval: Approval,
    /// How records are kept.
    #[serde(default)]
    pub(super) records: Records,
    /// What there is to be found.
    #[serde(default)]
    pub(super) catalog: Catalog,
    /// How tools are found.
    #[serde(default)]
    pub(super) search: Search,
    /// How clients come over HTTP.
    #[cfg_attr(feature = "schema", schemars(with = "Option<Http>"))]
    pub(super) http: Option<Spanned<Http>>,
    /// Whose access tokens clients may present over HTTP. Left out, nobody's.
    #[cfg_attr(feature = "schema", schemars(with = "Option<OAuth>"))]
    pub(super) oauth: Option<Spanned<OAuth>>,
    /// The operator's pages.
    #[cfg_attr(feature = "schema", schemars(with = "Option<Console>"))]
    pub(super) console: Option<Spanned<Console>>,
    /// The operators who log in, by name. Left out, there is `owner`, an admin over everybody.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(with = "BTreeMap<OperatorName, Entitled>"))]
    pub(super) operators: BTreeMap<OperatorName, Spanned<Entitled>>,
    /// The state folder, in place of the platform's.
    pub(super) state: Option<PathBuf>,
}

/// The decision where no rule matches; `hide` is for rules alone.
#[derive(Clone, Copy, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(super) enum Activation {
    /// Granted without asking.
    Auto,
    /// A person is asked.
    #[default]
    Prompt,
    /// Found, and refused when asked for.
    Deny,
}

impl From<Activation> for Verdict {
    fn from(activation: Activation) -> Self {
        match activation {
            Activation::Auto => Self::Auto,
            Activation::Prompt => Self::Prompt,
            Activation::Deny => Self::Deny,
        }
    }
}

/// How a person is waited for.
#[derive(Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub(super) struct Approval {
    /// How long a call waits for a person before the model is told `pending`; 25 seconds at the most, and where left out.
    #[cfg_attr(feature = "schema", schemars(with = "Option<Length>"))]
    pub(super) wait: Option<Spanned<Length>>,
    /// Whether the desktop is notified when something begins to wait; off where left out.
    pub(super) notify: bool,
    /// Whether an operator may approve for a principal that they are themselves. Left out, they may where no `[operators]` are named.
    pub(super) own: Option<bool>,
}

/// How records are kept.
#[derive(Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub(super) struct Records {
    /// When a call starts: once its record is on disk, or once it is handed over.
    pub(super) start: Starts,
}

/// What there is to be found.
#[derive(Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub(super) struct Catalog {
    /// Tools of all servers together: 100,000 where left out, 1,000,000 at the most. What is beyond is not served.
    #[cfg_attr(feature = "schema", schemars(with = "Option<usize>", range(min = 1, max = 1_000_000)))]
    pub(super) tools: Option<Spanned<usize>>,
}

/// How tools are found.
#[derive(Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub(super) struct Search {
    /// A file of words that stand in for others in a search, beside those that come with the host: a line for each, `ticket case`,
    /// `bugs -> issue` or `datei => file`.
    pub(super) synonyms: Option<PathBuf>,
}
