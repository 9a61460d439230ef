//! What an operator is shown of the host as a whole: catalog, policy, records, numbers. Plain values, with no power.
//!
//! Clauses: CAT-7 (pins), CAT-8 (diff), POL-1, AUD-2.

use super::{Session, Standing};
use agent_core::descriptor::Descriptor;
use agent_core::digest::Digest;
use agent_core::id::{Alias, ToolId};
use agent_core::transition::{Record, Stream};
use agent_engine::catalog::diff::Moved;
use agent_engine::policy::{Profile, Rule, Verdict};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Which sessions of a page.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Listed {
    /// Those that hold this text in an id, a principal, a profile, the client's name or a tool.
    pub text: String,
    /// Those that ended as well.
    pub ended: bool,
    /// How many are skipped.
    pub from: usize,
}

/// A page of sessions.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionPage {
    /// At most [`super::look::SESSIONS`].
    pub sessions: Vec<Session>,
    /// How many fit.
    pub fit: usize,
    /// How many there are.
    pub all: usize,
}

/// A page of the catalog.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CatalogPage {
    /// Its number; 0 for none.
    pub generation: u64,
    /// The digest of the whole.
    pub digest: Digest,
    /// How many tools there are of all servers.
    pub tools: usize,
    /// Each server.
    pub servers: BTreeMap<Alias, Served>,
    /// Tools by id, of the server that was asked for, from where it was asked for.
    pub rows: Vec<ToolRow>,
    /// After which id there are more.
    pub next: Option<ToolId>,
    /// What is not served, at most [`super::look::REFUSED`].
    pub refused: Vec<RefusedTool>,
    /// What drifted: accepted once, and another thing now.
    pub changed: Vec<ToolId>,
}

/// One server's part of the catalog.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Served {
    /// The operator's description of it.
    pub description: String,
    /// Tools that are served.
    pub tools: usize,
    /// Tools that are not.
    pub refused: usize,
}

/// One tool in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ToolRow {
    /// Its id.
    pub id: ToolId,
    /// What a call can change.
    pub effect: String,
    /// Where it stands with what was accepted.
    pub state: Standing,
    /// The first words of its description: a stranger's.
    pub summary: String,
}

/// One tool that is not served.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RefusedTool {
    /// Its server.
    pub server: Alias,
    /// Its name as far as it has one, made visible.
    pub name: String,
    /// Why.
    pub why: String,
}

/// Everything about one tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WholeTool {
    /// Its compact face.
    pub descriptor: Descriptor,
    /// Where it stands with what was accepted.
    pub state: Standing,
    /// What was accepted last.
    pub accepted: Option<Digest>,
    /// What was read otherwise than it was written, and what is claimed and not believed.
    pub notes: Vec<String>,
    /// The definition as its source sent it.
    pub definition: String,
    /// What moved since it was accepted; none where nothing did, or where the accepted definition is not kept.
    pub moved: Option<Vec<Moved>>,
}

/// The policy in force, as far as it is the asker's to see.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PolicyPage {
    /// What holds where no rule matches.
    pub activation: Verdict,
    /// By which records and grants name it.
    pub digest: Digest,
    /// The rules, in order.
    pub rules: Vec<RuleRow>,
    /// Tools that no rule is about, for an asker whom no rule names.
    pub otherwise: usize,
    /// Tools there are.
    pub tools: usize,
    /// The profiles.
    pub profiles: BTreeMap<String, Profile>,
}

/// One rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RuleRow {
    /// It; none where it is about a principal that is not the asker's.
    pub rule: Option<Rule>,
    /// How many tools it decides, for whom it names; for a rule that names nobody, for an asker whom no rule names.
    pub decides: usize,
}

/// Records, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RecordPage {
    /// Those that could be read.
    pub records: Vec<Record>,
    /// What could not be.
    pub broken: Vec<String>,
    /// From where older ones can be asked for.
    pub next: Option<u64>,
    /// At which record the look ended for having looked at as many as one may, where it did; older ones were not looked at.
    #[serde(default)]
    pub stopped: Option<u64>,
}

/// Which records.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Records {
    /// Those of one stream.
    pub stream: Option<Stream>,
    /// Those of one kind, such as `granted`.
    pub kind: Option<String>,
    /// Those that hold this text.
    pub text: Option<String>,
    /// Those before this place.
    pub before: Option<u64>,
}

/// How the host is now, and what happened lately.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Numbers {
    /// Sessions that have not ended.
    pub sessions: usize,
    /// Requests that wait for a person.
    pub waiting: usize,
    /// Tools active in all sessions together.
    pub active: usize,
    /// Calls that run.
    pub running: usize,
    /// Servers that failed or lack a login.
    pub down: Vec<Alias>,
    /// Servers there are.
    pub servers: usize,
    /// Tools that are served.
    pub tools: usize,
    /// Tools that are not.
    pub refused: usize,
    /// Tools that drifted.
    pub changed: usize,
    /// Bytes of all served definitions together.
    pub bytes: u64,
    /// From when the buckets count, in milliseconds since the epoch.
    pub from: u64,
    /// How long each is, in milliseconds.
    pub width: u64,
    /// What happened, by time; the last one is now's.
    pub buckets: Vec<Counts>,
}

/// What happened in a while.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Counts {
    /// Sessions opened.
    pub opened: u64,
    /// Tools activated, presets included.
    pub activated: u64,
    /// Requests that a person said yes to.
    pub approved: u64,
    /// Requests that a person said no to.
    pub denied: u64,
    /// Calls started.
    pub calls: u64,
    /// Calls that did not end well.
    pub errors: u64,
    /// Refusals by the host.
    pub refused: u64,
    /// Searches.
    pub searches: u64,
}

impl Counts {
    /// Both together.
    pub const fn add(&mut self, other: &Self) {
        self.opened += other.opened;
        self.activated += other.activated;
        self.approved += other.approved;
        self.denied += other.denied;
        self.calls += other.calls;
        self.errors += other.errors;
        self.refused += other.refused;
        self.searches += other.searches;
    }
}

/// How far back the numbers go.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Span {
    /// One hour, by 2 minutes.
    Hour,
    /// A day, by half hours.
    #[default]
    Day,
    /// A week, by 4 hours.
    Week,
}

impl Span {
    /// How long a bucket is, in milliseconds, and how many there are.
    #[must_use]
    pub const fn buckets(self) -> (u64, usize) {
        match self {
            Self::Hour => (2 * 60_000, 30),
            Self::Day => (30 * 60_000, 48),
            Self::Week => (4 * 3_600_000, 42),
        }
    }
}
