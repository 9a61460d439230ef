//! Why a search answers what it answers, for people.
//!
//! Is: what the one ranking notes while it runs, a second time, of the tools that it found the first time: what is noted is bounded by a
//! page and not by the catalog. Is not: another scorer; a search that nobody asks about runs the same code with nothing noted. Clauses: SRCH-3 (explain), SRCH-5.

use super::hit::{Hit, Tier};
use super::query::Role;
use super::score::{SERVER, Watch};
use super::{Found, Ranking, at};
use crate::catalog::Tool;
use crate::index::{Field, Index, IndexError};
use agent_core::id::Alias;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

/// A page, each hit with its reasons.
#[derive(Debug, Clone)]
pub struct Explained {
    /// The tools, in the order that a model gets them in.
    pub hits: Vec<Why>,
    /// Whether more tools than these answer.
    pub truncated: bool,
    /// Words of the query, in lower case, that nothing answers.
    pub unmatched: Vec<String>,
    /// As [`super::Page::confidence`].
    pub confidence: u16,
    /// As [`super::Page::low_confidence`].
    pub low_confidence: bool,
}

/// Why one tool answers.
#[derive(Debug, Clone)]
pub struct Why {
    /// The tool.
    pub tool: Arc<Tool>,
    /// In what way the query names it, the strongest way first in a page: `exact id`, `wire name`, `name`, `server and name`,
    /// `name in other letters`, `words` or `part of the name`.
    pub tier: &'static str,
    /// What it stands by among those of its tier.
    pub score: u64,
    /// How much of the score is by what the query means, not by its words.
    pub meaning: u64,
    /// How much of it is by one clause of the query alone, where that has several.
    pub clause: u64,
    /// How much of it is for a name that the query covers.
    pub coverage: u64,
    /// How much of it is for a server that the query says.
    pub server: u64,
    /// Whether tools of fewer points stand before it, because its server has had its share of the page.
    pub moved: bool,
    /// What makes up the rest, the most first: words, or for `part of the name` parts of it.
    pub terms: Vec<Term>,
}

/// What one looked-up term adds to a tool's score.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Term {
    /// What was looked up: a word's stem, of the query or standing in for one of its words; or a part of a name.
    pub stem: String,
    /// What it is to them: `word`, `synonym`, `translation`, `mended` or `part of a name`.
    pub role: &'static str,
    /// The words of the query that it answers for.
    pub words: Vec<String>,
    /// Its points, up to rounding.
    pub points: u64,
    /// Where it stands, with its points there.
    pub fields: Vec<(&'static str, u64)>,
}

/// What the ranking notes, by document.
#[derive(Default)]
struct Notes {
    /// The documents of which anything is noted.
    shown: BTreeSet<usize>,
    /// The tools of each server that the query says.
    servers: Vec<Range<usize>>,
    /// The fields of the term at hand, with their weighed counts.
    places: BTreeMap<usize, Vec<(Field, f32)>>,
    terms: BTreeMap<usize, Vec<Noted>>,
}

/// One term in one document.
struct Noted {
    /// Its number in the query.
    number: usize,
    adds: f32,
    fields: Vec<(Field, f32)>,
}

impl Watch for Notes {
    fn notes(&self) -> bool {
        true
    }

    fn place(&mut self, doc: usize, field: Field, weighed: f32) {
        if self.shown.contains(&doc) {
            self.places.entry(doc).or_default().push((field, weighed));
        }
    }

    fn term(&mut self, doc: usize, term: usize, adds: f32) {
        if self.shown.contains(&doc) {
            let fields = self.places.remove(&doc).unwrap_or_default();
            self.terms.entry(doc).or_default().push(Noted { number: term, adds, fields });
        }
    }

    fn server(&mut self, tools: &Range<usize>) {
        self.servers.push(tools.clone());
    }
}

/// Explains the first `limit` hits.
pub(super) fn explain(ranking: &Ranking, query: &str, limit: usize, server: Option<&Alias>) -> Result<Explained, IndexError> {
    let shown = ranking.rank(query, server, &mut ())?.order.iter().take(limit).map(Hit::doc).collect();
    let mut notes = Notes { shown, ..Notes::default() };
    let found = ranking.rank(query, server, &mut notes)?;
    let index = &*ranking.index;
    let why = |(place, hit): (usize, &Hit)| {
        let tool = index.tools().get(hit.doc())?.clone();
        let noted = notes.terms.get(&hit.doc()).map(Vec::as_slice).unwrap_or_default();
        let [score, meaning, clause] = [hit.points, hit.meaning, hit.clause].map(u64::from);
        let by_words = score - meaning - clause;
        let plain = share(by_words, noted.iter().map(|one| one.adds).sum(), at(&found.words, hit.doc()));
        let bonus = if noted.is_empty() { 0 } else { by_words.saturating_sub(plain) };
        let said = notes.servers.iter().filter(|tools| tools.contains(&hit.doc())).fold(1.0, |said, _| said * (1.0 + SERVER));
        let server = (by_words - share(by_words, 1.0, said)).min(bonus);
        let terms = if hit.tier == Tier::Inner { parts(index, &found, hit.doc()) } else { terms(&found, noted, by_words - bonus) };
        let moved = found.order.iter().take(place).any(|before| before > hit);
        Some(Why { tool, tier: hit.tier.name(), score, meaning, clause, coverage: bonus - server, server, moved, terms })
    };
    Ok(Explained {
        truncated: found.count > limit,
        hits: found.order.iter().take(limit).enumerate().filter_map(why).collect(),
        confidence: found.confidence,
        low_confidence: found.low(),
        unmatched: found.unmatched.clone(),
    })
}

/// The terms of a tool, their sum brought to these points.
fn terms(found: &Found, noted: &[Noted], score: u64) -> Vec<Term> {
    let sum: f32 = noted.iter().map(|one| one.adds).sum();
    let one = |Noted { number, adds, fields }: &Noted| {
        let term = found.query.terms.get(*number)?;
        let points = share(score, *adds, sum);
        let weighed: f32 = fields.iter().map(|(_, weighed)| weighed).sum();
        let fields = fields.iter().map(|(field, part)| (field.name(), share(points, *part, weighed))).collect();
        Some(Term { stem: term.stem.clone(), role: term.role.name(), words: found.query.plain(&term.words), points, fields })
    };
    let mut terms: Vec<_> = noted.iter().filter_map(one).collect();
    terms.sort_by(|a, b| (b.points, &a.stem).cmp(&(a.points, &b.stem)));
    terms
}

/// The parts of a name that the query's words are, each by its length.
fn parts(index: &Index, found: &Found, doc: usize) -> Vec<Term> {
    let holds = |part: &str| index.names().holding(part).binary_search(&doc).is_ok();
    let parts = found.query.inner().into_iter().filter(|(_, part)| holds(part));
    let term = |(word, part): (usize, &str)| {
        let points = part.len() as u64;
        Term {
            stem: part.to_owned(),
            role: Role::Inner.name(),
            words: found.query.plain(&[word]),
            points,
            fields: vec![(Field::Name.name(), points)],
        }
    };
    parts.map(term).collect()
}

#[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn share(of: u64, part: f32, whole: f32) -> u64 {
    if whole > 0.0 { (of as f32 * part / whole).round() as u64 } else { 0 }
}
