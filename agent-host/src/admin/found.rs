//! What a search finds and why, for people: a terminal's lines, JSON, the console's page.
//!
//! Is not: what a model is told. Clauses: SRCH-3 (explain), CAT-7 (pins).

use agent_core::digest::Digest;
use agent_core::id::ToolId;
use agent_engine::catalog::Tool;
use agent_engine::search::{Explained, Term, Why};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Where a served tool stands with what was accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Standing {
    /// It is what was accepted.
    Accepted,
    /// Nothing of it was ever accepted.
    New,
    /// Something else was accepted; it is withheld until this is.
    Changed,
}

impl Standing {
    /// Of a tool, by what was accepted.
    #[must_use]
    pub fn of(tool: &Tool, pins: &BTreeMap<ToolId, Digest>) -> Self {
        match pins.get(&tool.descriptor.id) {
            None => Self::New,
            Some(pinned) if *pinned == tool.descriptor.digest => Self::Accepted,
            Some(_) => Self::Changed,
        }
    }

    /// As it is shown.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Accepted => "accepted",
            Self::New => "new",
            Self::Changed => "changed",
        }
    }
}

/// A page of hits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Found {
    /// The best first, as a model gets them.
    pub hits: Vec<Hit>,
    /// Whether more tools than these answer.
    pub truncated: bool,
    /// How likely the first hit does what was asked for, in thousandths.
    pub confidence: u16,
    /// Whether it is likelier that none of the hits does.
    pub low_confidence: bool,
    /// Words of the query that nothing answers.
    pub unmatched: Vec<String>,
}

/// One tool that answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Hit {
    /// Its id.
    pub id: String,
    /// What a call can change.
    pub effect: String,
    /// Where it stands with what was accepted.
    pub state: Standing,
    /// In what way the query names it.
    pub tier: String,
    /// What it stands by among those of its tier.
    pub score: u64,
    /// What of the score is by meaning.
    pub meaning: u64,
    /// What of it is for a name that the query covers.
    pub coverage: u64,
    /// What of it is for a server that the query says.
    pub server: u64,
    /// Whether tools of fewer points stand before it, because its server has had its share of the page.
    pub moved: bool,
    /// What of it is by one clause of the query alone.
    pub clause: u64,
    /// What makes up the rest, the most first.
    pub terms: Vec<Reason>,
    /// The first words of its description: a stranger's.
    pub summary: String,
}

/// What one term adds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Reason {
    /// What was looked up.
    pub term: String,
    /// What it is to the query's words.
    pub role: String,
    /// The words that it answers for.
    pub words: Vec<String>,
    /// Its points, up to rounding.
    pub points: u64,
    /// Where it stands, with its points there.
    pub fields: Vec<(String, u64)>,
}

impl Found {
    /// A search's answer, with where each tool stands.
    #[must_use]
    pub fn of(explained: Explained, pins: &BTreeMap<ToolId, Digest>) -> Self {
        let Explained { hits, truncated, unmatched, confidence, low_confidence } = explained;
        let hits = hits.into_iter().map(|why| Hit::of(why, pins)).collect();
        Self { hits, truncated, confidence, low_confidence, unmatched }
    }
}

impl Hit {
    fn of(why: Why, pins: &BTreeMap<ToolId, Digest>) -> Self {
        Self {
            id: why.tool.descriptor.id.to_string(),
            effect: why.tool.descriptor.safety.effect.as_str().to_owned(),
            state: Standing::of(&why.tool, pins),
            tier: why.tier.to_owned(),
            score: why.score,
            meaning: why.meaning,
            coverage: why.coverage,
            server: why.server,
            moved: why.moved,
            clause: why.clause,
            terms: why.terms.into_iter().map(Reason::of).collect(),
            summary: why.tool.descriptor.summary.clone(),
        }
    }
}

impl Reason {
    fn of(term: Term) -> Self {
        let fields = term.fields.into_iter().map(|(field, points)| (field.to_owned(), points)).collect();
        Self { term: term.stem, role: term.role.to_owned(), words: term.words, points: term.points, fields }
    }
}
