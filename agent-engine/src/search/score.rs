//! The weight of each tool for the terms of a query: BM25F, then a bonus for a name that the query covers.
//!
//! Is: true BM25F. A term's counts in all fields are weighed, brought to the fields' lengths and summed before they
//! saturate, and its rarity is that over all fields. Measured with everything else alike against the best field for each
//! term (dis_max, .1 for the others), nDCG@10 on four sets: .634 .515 .756 .581, not .615 .493 .648 .523. Every place is
//! read, in the order of terms and fields, so that no limit moves a score.
//! Is not: open to repetition. A field counts a word twice at the most, and a long field counts it for less (attack 39).
//! Clauses: SRCH-3, SRCH-4.

use super::Parts;
use super::query::{Query, Role, Term};
use crate::index::{Field, Index, IndexError};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// How soon further places of a term stop to matter.
const SATURATION: f32 = 1.2;
/// How much a field's length matters: 0 not at all, 1 in full.
const LENGTH: f32 = 0.5;
/// Places of a word in one field that count.
const COUNTED: u32 = 2;
/// What a name that the query covers whole adds, as a share of the score.
const COVERAGE: f32 = 0.5;

/// What a word is worth in a field. A server's own description would find every tool of it alike: it has no weight.
const fn weight(field: Field) -> f32 {
    match field {
        Field::Name => 2.0,
        Field::Server | Field::Title | Field::Description | Field::Tags => 1.0,
        Field::Parameters => 0.5,
        Field::Details => 0.4,
    }
}

/// Whoever wants to know what makes up a score. Nothing is decided by what is noted.
pub(super) trait Watch {
    /// A term stands in a field of a document.
    fn place(&mut self, doc: usize, field: Field, weighed: f32);
    /// The term of this number adds to a document's score; its places were told.
    fn term(&mut self, doc: usize, term: usize, adds: f32);
}

/// Nobody does.
impl Watch for () {
    fn place(&mut self, _: usize, _: Field, _: f32) {}
    fn term(&mut self, _: usize, _: usize, _: f32) {}
}

/// What each tool gets.
pub(super) struct Scores {
    /// By document; 0 for one that holds no word.
    pub(super) points: Vec<f32>,
    /// What a tool would have that holds every word of the query, or what stands in for it, often.
    pub(super) most: f32,
    /// The numbers of the query's words that some tool in the range holds, or that are stood in for.
    pub(super) answered: BTreeSet<usize>,
}

/// One tool's account.
#[derive(Clone, Default)]
struct Tally {
    score: f32,
    /// The weighed counts of the term at hand.
    term: f32,
    /// Words of the name that terms covered.
    covered: f32,
}

impl Scores {
    /// Scores every tool of the index; the range narrows only which words count as answered.
    pub(super) fn of(
        index: &Index,
        query: &Query,
        within: &Range<usize>,
        parts: Parts,
        watch: &mut impl Watch,
    ) -> Result<Self, IndexError> {
        let mut tallies = vec![Tally::default(); index.tools().len()];
        let mut answered = BTreeSet::new();
        let mut worths = BTreeMap::new();
        let factors = Field::ALL.map(|field| factors(index, field));
        for (number, term) in query.terms.iter().enumerate() {
            let touched = count(index, term, &factors, &mut tallies, watch)?;
            if touched.iter().any(|doc| within.contains(doc)) {
                answered.extend(&term.words);
            }
            let rarity = rarity(touched.len(), tallies.len());
            for word in term.words.iter().filter(|_| !touched.is_empty()) {
                let worth = worths.entry(*word).or_insert(0.0f32);
                *worth = worth.max(rarity * term.weight.min(1.0) / term.words.len() as f32);
            }
            for doc in touched {
                let Some(tally) = tallies.get_mut(doc) else { continue };
                let found = std::mem::take(&mut tally.term);
                let adds = term.weight * rarity * found * (SATURATION + 1.0) / (SATURATION + found);
                tally.score += adds;
                watch.term(doc, number, adds);
            }
        }
        let points = |(doc, tally): (usize, &Tally)| match parts.coverage {
            true if tally.covered > 0.0 => tally.score * (1.0 + COVERAGE * share(tally.covered, index.names().words(doc))),
            _ => tally.score,
        };
        let unknown = rarity(0, tallies.len());
        let worth = |(word, doubtful)| worths.get(&word).copied().unwrap_or(if doubtful { 0.0 } else { unknown });
        let most = query.asked().map(worth).sum::<f32>() * (SATURATION + 1.0);
        Ok(Self { most, points: tallies.iter().enumerate().map(points).collect(), answered })
    }
}

/// How much of a name is covered.
fn share(covered: f32, words: u8) -> f32 {
    if words == 0 { 0.0 } else { (covered / f32::from(words)).min(1.0) }
}

/// What one place of a word is worth in a field of each length.
fn factors(index: &Index, field: Field) -> [f32; 256] {
    index.lengths(field).map(|length| weight(field) / (1.0 - LENGTH + LENGTH * length))
}

/// Counts a term in every field; returns the documents that hold it.
fn count(
    index: &Index,
    term: &Term,
    factors: &[[f32; 256]; Field::ALL.len()],
    tallies: &mut [Tally],
    watch: &mut impl Watch,
) -> Result<Vec<usize>, IndexError> {
    let mut touched = Vec::new();
    if term.role == Role::Inner {
        touched = index.names().holding(&term.stem);
        for doc in &touched {
            tallies.get_mut(*doc).into_iter().for_each(|tally| tally.term = 1.0);
            watch.place(*doc, Field::Name, 1.0);
        }
        return Ok(touched);
    }
    for (field, factors) in Field::ALL.into_iter().zip(factors) {
        index.places(field, &term.stem, |place| {
            let Some(tally) = tallies.get_mut(place.doc) else { return };
            if tally.term == 0.0 {
                touched.push(place.doc);
            }
            #[allow(clippy::cast_precision_loss)]
            let weighed = factors.get(usize::from(place.length)).copied().unwrap_or_default() * place.count.min(COUNTED) as f32;
            tally.term += weighed;
            watch.place(place.doc, field, weighed);
            if field == Field::Name {
                tally.covered += term.weight.min(1.0);
            }
        })?;
    }
    Ok(touched)
}

/// How much it says that a tool holds a term which `holding` of `all` hold.
#[allow(clippy::cast_precision_loss)]
pub(super) fn rarity(holding: usize, all: usize) -> f32 {
    let (holding, all) = (holding as f32, all as f32);
    ((all - holding + 0.5) / (holding + 0.5)).ln_1p()
}
