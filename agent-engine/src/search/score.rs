//! The weight of each tool for the terms of a query: BM25F, then a bonus for a name that the query covers.
//!
//! Is: true BM25F. A term's counts in all fields are weighed, brought to the fields' lengths and summed before they
//! saturate, and its rarity is that over all fields. Measured with everything else alike against the best field for each
//! term (dis_max, .1 for the others), nDCG@10 on four sets: .634 .515 .756 .581, not .615 .493 .648 .523. Every place is
//! read, in the order of terms and fields, so that no limit moves a score.
//! Is not: open to repetition. A field counts a word twice at the most, a long field counts it for less, and a description far
//! longer than others for next to nothing (attack 39).
//! Clauses: SRCH-3, SRCH-4.

use super::query::{Query, Role, Term};
use super::{Parts, at};
use crate::index::{Field, Index, IndexError, Worth, Worths};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// How soon further places of a term stop to matter.
const SATURATION: f32 = 1.2;
/// How often the average length a description may have and be read as one. Each word beyond counts as so many, and there is no
/// first sentence: it is a list of words more likely than a text.
const LONG: f32 = 12.0;
/// Places of a word in one field that count.
const COUNTED: u32 = 2;
/// What a name that the query covers whole adds, as a share of the score.
const COVERAGE: f32 = 0.5;

/// What a server whose alias the query says adds to each of its tools, as a share of the score. The alias is the operator's choice.
pub(super) const SERVER: f32 = 1.0;

/// What a word is worth in a field. A server's own description would find every tool of it alike: it has no weight.
const fn weight(field: Field) -> f32 {
    match field {
        Field::Name => 2.0,
        Field::Server | Field::Title | Field::Description | Field::Tags | Field::Parameters => 1.0,
        Field::Details => 0.8,
        Field::Opening => 0.7,
    }
}

/// How much a field's length matters: 0 not at all, 1 in full. A description is longer where there is more to say.
const fn length_matters(field: Field) -> f32 {
    match field {
        Field::Description => 0.4,
        _ => 0.5,
    }
}

/// Whoever wants to know what makes up a score. Nothing is decided by what is noted.
pub(super) trait Watch {
    /// Whether places are wanted; who wants none is spared the counting of what was counted before.
    fn notes(&self) -> bool;
    /// A term stands in a field of a document.
    fn place(&mut self, doc: usize, field: Field, weighed: f32);
    /// The term of this number adds to a document's score; its places were told.
    fn term(&mut self, doc: usize, term: usize, adds: f32);
    /// The query says the server of these tools, which adds to the score of each.
    fn server(&mut self, tools: &Range<usize>);
}

/// Nobody does.
impl Watch for () {
    fn notes(&self) -> bool {
        false
    }
    fn place(&mut self, _: usize, _: Field, _: f32) {}
    fn term(&mut self, _: usize, _: usize, _: f32) {}
    fn server(&mut self, _: &Range<usize>) {}
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

/// What is counted of one term, by document.
#[derive(Default)]
struct Counts {
    /// The weighed counts; empty until there are any.
    weighed: Vec<f32>,
    /// The documents that hold it.
    touched: Vec<usize>,
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
        let all = index.tools().len();
        let mut points = vec![0.0; all];
        let (mut counts, mut covered, mut named) = (Counts::default(), vec![0.0f32; all], Vec::new());
        let mut answered = BTreeSet::new();
        let mut worths = BTreeMap::new();
        for (number, term) in query.terms.iter().enumerate() {
            let held = match term.role {
                Role::Inner => Cow::Owned(inner(index, term, watch)),
                _ if watch.notes() => Cow::Owned(count(index, &term.stem, &mut counts, watch)?),
                _ => index.worth(&term.stem, || count(index, &term.stem, &mut counts, &mut ()))?,
            };
            if held.each().is_empty() {
                continue;
            }
            if held.each().iter().any(|one| within.contains(&(one.doc as usize))) {
                answered.extend(&term.words);
            }
            let rarity = rarity(held.each().len(), all);
            for word in &term.words {
                let worth = worths.entry(*word).or_insert(0.0f32);
                *worth = worth.max(rarity * term.weight.min(1.0) / term.words.len() as f32);
            }
            for Worth { doc, worth } in held.each() {
                let doc = *doc as usize;
                let Some(points) = points.get_mut(doc) else { continue };
                let adds = term.weight * rarity * worth;
                *points += adds;
                watch.term(doc, number, adds);
            }
            for Worth { doc, .. } in held.named() {
                let doc = *doc as usize;
                let Some(covered) = covered.get_mut(doc) else { continue };
                if *covered == 0.0 {
                    named.push(doc);
                }
                *covered += term.weight.min(1.0);
            }
        }
        for doc in named.into_iter().filter(|_| parts.coverage) {
            let covered = share(at(&covered, doc), index.names().words(doc));
            points.get_mut(doc).into_iter().for_each(|points| *points *= 1.0 + COVERAGE * covered);
        }
        for tools in index.servers().named(&query.said()).filter(|_| parts.servers) {
            watch.server(&tools);
            points.get_mut(tools).into_iter().flatten().for_each(|points| *points *= 1.0 + SERVER);
        }
        let unknown = rarity(0, all);
        let worth = |(word, doubtful)| worths.get(&word).copied().unwrap_or(if doubtful { 0.0 } else { unknown });
        let most = query.asked().map(worth).sum::<f32>() * (SATURATION + 1.0);
        Ok(Self { most, points, answered })
    }
}

/// How much of a name is covered.
fn share(covered: f32, words: u8) -> f32 {
    if words == 0 { 0.0 } else { (covered / f32::from(words)).min(1.0) }
}

/// The tools whose names hold a term within.
fn inner(index: &Index, term: &Term, watch: &mut impl Watch) -> Worths {
    let held = index.names().holding(&term.stem);
    held.iter().for_each(|doc| watch.place(*doc, Field::Name, 1.0));
    Worths::of(held.into_iter().filter_map(|doc| Worth::of(doc, 1.0)).collect(), 0)
}

/// Counts a stem in every field.
fn count(index: &Index, stem: &str, counts: &mut Counts, watch: &mut impl Watch) -> Result<Worths, IndexError> {
    let Counts { weighed: found, touched } = counts;
    found.resize(index.tools().len(), 0.0);
    let mut named = 0;
    index.places(stem, |field, place| {
        let Some(found) = found.get_mut(place.doc) else { return };
        let length = match field {
            Field::Description => place.length + (place.length - LONG).max(0.0) * (LONG - 1.0),
            Field::Opening if index.length(Field::Description, place.doc) > LONG => return,
            _ => place.length,
        };
        if *found == 0.0 {
            touched.push(place.doc);
        }
        // Names are read first.
        named += usize::from(field == Field::Name);
        #[allow(clippy::cast_precision_loss)]
        let weighed = weight(field) / (1.0 + length_matters(field) * (length - 1.0)) * place.count.min(COUNTED) as f32;
        *found += weighed;
        watch.place(place.doc, field, weighed);
    })?;
    let worth = |doc: usize| Worth::of(doc, found.get_mut(doc).map(std::mem::take)?);
    Ok(Worths::of(touched.drain(..).filter_map(worth).collect(), named))
}

impl Worth {
    /// Of a weighed count, saturated.
    fn of(doc: usize, weighed: f32) -> Option<Self> {
        let worth = weighed * (SATURATION + 1.0) / (SATURATION + weighed);
        Some(Self { doc: u32::try_from(doc).ok()?, worth })
    }
}

/// How much it says that a tool holds a term which `holding` of `all` hold.
#[allow(clippy::cast_precision_loss)]
pub(super) fn rarity(holding: usize, all: usize) -> f32 {
    let (holding, all) = (holding as f32, all as f32);
    ((all - holding + 0.5) / (holding + 0.5)).ln_1p()
}
