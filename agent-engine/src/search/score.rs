//! The weight of each tool for the terms of a query: BM25F, then a bonus for a name that the query covers.
//!
//! Is: true BM25F. A term's counts in all fields are weighed, brought to the fields' lengths and summed before they
//! saturate, and its rarity is that over all fields. Measured with everything else alike against the best field for each
//! term (dis_max, .1 for the others), nDCG@10 on four sets: .634 .515 .756 .581, not .615 .493 .648 .523. Every place is
//! read, in the order of terms and fields, so that no limit moves a score, and of a score thousandths are kept.
//! Is not: open to repetition. A field counts a word twice at the most, and a long field counts it for less (attack 39).
//! Clauses: SRCH-3, SRCH-4.

use super::query::{Query, Term};
use crate::index::{Field, Index, IndexError};
use std::collections::BTreeSet;
use std::ops::Range;

/// How soon further places of a term stop to matter.
const SATURATION: f64 = 1.2;
/// How much a field's length matters: 0 not at all, 1 in full.
const LENGTH: f64 = 0.5;
/// Places of a word in one field that count.
const COUNTED: u32 = 2;
/// What a name that the query covers whole adds, as a share of the score.
const COVERAGE: f64 = 0.5;

/// What a word is worth in a field. A server's own description would find every tool of it alike: it has no weight.
const fn weight(field: Field) -> f64 {
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
    fn place(&mut self, doc: usize, field: Field, weighed: f64);
    /// The term of this number adds to a document's score; its places were told.
    fn term(&mut self, doc: usize, term: usize, adds: f64);
}

/// Nobody does.
impl Watch for () {
    fn place(&mut self, _: usize, _: Field, _: f64) {}
    fn term(&mut self, _: usize, _: usize, _: f64) {}
}

/// What each tool gets.
pub(super) struct Scores {
    /// By document, in thousandths, rounded up: a tool that holds any word has one at least.
    pub(super) points: Vec<u64>,
    /// The numbers of the query's words that some tool in the range holds, or that are stood in for.
    pub(super) answered: BTreeSet<usize>,
}

/// One tool's account.
#[derive(Clone, Default)]
struct Tally {
    score: f64,
    /// The weighed counts of the term at hand.
    term: f64,
    /// Words of the name that terms covered.
    covered: f64,
    /// Words of the name.
    name: f64,
}

impl Tally {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    fn points(&self) -> u64 {
        let share = if self.name > 0.0 { (self.covered / self.name).min(1.0) } else { 0.0 };
        (self.score * COVERAGE.mul_add(share, 1.0) * 1000.0).ceil() as u64
    }
}

impl Scores {
    /// Scores every tool of the index; the range narrows only which words count as answered.
    pub(super) fn of(index: &Index, query: &Query, within: &Range<usize>, watch: &mut impl Watch) -> Result<Self, IndexError> {
        let mut tallies = vec![Tally::default(); index.tools().len()];
        let mut answered = BTreeSet::new();
        for (number, term) in query.terms.iter().enumerate() {
            let touched = count(index, term, &mut tallies, watch)?;
            if touched.iter().any(|doc| within.contains(doc)) {
                answered.extend(&term.words);
            }
            let rarity = rarity(touched.len(), tallies.len());
            for doc in touched {
                let Some(tally) = tallies.get_mut(doc) else { continue };
                let found = std::mem::take(&mut tally.term);
                let adds = term.weight * rarity * found * (SATURATION + 1.0) / (SATURATION + found);
                tally.score += adds;
                watch.term(doc, number, adds);
            }
        }
        Ok(Self { points: tallies.iter().map(Tally::points).collect(), answered })
    }
}

/// Counts a term in every field; returns the documents that hold it.
fn count(index: &Index, term: &Term, tallies: &mut [Tally], watch: &mut impl Watch) -> Result<Vec<usize>, IndexError> {
    let mut touched = Vec::new();
    for field in Field::ALL {
        let average = index.average(field);
        index.places(field, &term.stem, |place| {
            let Some(tally) = tallies.get_mut(place.doc as usize) else { return };
            if tally.term == 0.0 {
                touched.push(place.doc as usize);
            }
            let length = 1.0 - LENGTH + LENGTH * f64::from(place.words) / average;
            let weighed = weight(field) * f64::from(place.count.min(COUNTED)) / length;
            tally.term += weighed;
            watch.place(place.doc as usize, field, weighed);
            if field == Field::Name {
                tally.name = f64::from(place.words);
                tally.covered += term.weight * f64::from(place.count);
            }
        })?;
    }
    Ok(touched)
}

/// How much it says that a tool holds a term which `holding` of `all` hold.
#[allow(clippy::cast_precision_loss)]
fn rarity(holding: usize, all: usize) -> f64 {
    let (holding, all) = (holding as f64, all as f64);
    ((all - holding + 0.5) / (holding + 0.5)).ln_1p()
}
