//! From a model's text to the terms that are looked up.
//!
//! Is: words, their synonyms, and for a word that no tool holds the words one letter away. Is not: a query language; no
//! character of the text is an operator. Clause: SRCH-5.

use super::synonyms::{StandIn, Synonyms};
use crate::index::{Field, Index, IndexError, Vocabulary, Word, words};
use std::collections::BTreeSet;
use std::iter::once;

/// Words of a query that are read.
const WORDS: usize = 64;
/// Words of a query that are mended.
const MENDED: usize = 3;
/// Words of the index that begin or end alike and stand in for one.
const KIN: usize = 16;

/// The weight of a mended word, shared by all that it may stand for.
const MENDED_WEIGHT: f64 = 0.8;
/// The weight of the two words that one is made of, shared.
const HALVES: f64 = 0.7;
/// The weight of words that begin or end alike, shared.
const KIN_WEIGHT: f64 = 0.3;
/// What is left of a translation's weight where a tool says the word itself.
const KNOWN: f64 = 0.6;

/// One stem to look up.
#[derive(Debug, Clone)]
pub(super) struct Term {
    pub(super) stem: String,
    /// 1 for a word of the query, less for what stands in for one; the sum where it is both, or stands in for several.
    pub(super) weight: f64,
    /// The words of the query that it answers for.
    pub(super) words: Vec<usize>,
}

/// A query, read.
pub(super) struct Query {
    words: Vec<Word>,
    pub(super) terms: Vec<Term>,
}

impl Query {
    pub(super) fn read(text: &str, index: &Index, synonyms: &Synonyms) -> Result<Self, IndexError> {
        let mut query = Self { words: words(text, WORDS), terms: Vec::new() };
        let words = query.words.clone();
        let mut mended = 0;
        for (place, word) in words.iter().enumerate() {
            if words.iter().take(place).any(|before| before.stem == word.stem) {
                continue;
            }
            query.add(&word.stem, 1.0, &[place]);
            let known = known(index, &word.stem)?;
            let following = words.iter().enumerate().skip(place + 1).filter(|(_, next)| !word.whole && !next.whole);
            let (places, phrase): (Vec<_>, Vec<_>) = once((place, word)).chain(following).take(synonyms.longest()).unzip();
            let mut translated = false;
            for (StandIn { stem, weight, translates }, count) in synonyms.of(&phrase) {
                let weight = if known && *translates { weight * KNOWN } else { *weight };
                query.add(stem, weight, places.get(..count).unwrap_or_default());
                translated |= translates;
            }
            if !known && mended < MENDED && mendable(word) {
                mended += 1;
                for (stem, weight) in stand_ins(index.vocabulary(), &word.plain, translated) {
                    query.add(&stem, weight, &[place]);
                }
            }
        }
        Ok(query)
    }

    fn add(&mut self, stem: &str, weight: f64, places: &[usize]) {
        match self.terms.iter_mut().find(|term| term.stem == stem) {
            Some(term) => {
                term.weight += weight;
                term.words.extend(places);
            }
            None => self.terms.push(Term { stem: stem.to_owned(), weight, words: places.to_vec() }),
        }
    }

    /// Words by their numbers, folded.
    pub(super) fn plain(&self, numbers: &[usize]) -> Vec<String> {
        numbers.iter().filter_map(|place| self.words.get(*place)).map(|word| word.plain.clone()).collect()
    }

    /// The words that may be an inner part of a name, each with its number.
    pub(super) fn inner(&self) -> Vec<(usize, &str)> {
        let long = self.words.iter().enumerate().filter(|(_, word)| word.plain.len() >= 3);
        long.map(|(place, word)| (place, word.plain.as_str())).collect()
    }

    /// The words that nothing answers, given the numbers of those that something does.
    pub(super) fn unmatched(&self, answered: &BTreeSet<usize>) -> Vec<String> {
        let stems: BTreeSet<_> = answered.iter().filter_map(|place| self.words.get(*place)).map(|word| &word.stem).collect();
        let runs: BTreeSet<_> = self.words.iter().filter(|word| word.whole && stems.contains(&word.stem)).map(|word| word.run).collect();
        let mut out: Vec<String> = Vec::new();
        for word in self.words.iter().filter(|word| !word.whole && !stems.contains(&word.stem) && !runs.contains(&word.run)) {
            if !out.contains(&word.plain) {
                out.push(word.plain.clone());
            }
        }
        out
    }
}

fn mendable(word: &Word) -> bool {
    !word.whole && word.plain.chars().all(char::is_alphabetic)
}

fn known(index: &Index, stem: &str) -> Result<bool, IndexError> {
    let mut found = false;
    for field in Field::ALL {
        index.places(field, stem, |_| found = true)?;
    }
    Ok(found)
}

/// The stems that may stand in for a word that no tool holds: those that differ in how an umlaut is written; else those one
/// letter away; else its two halves; else words that share a beginning or an end with it, as compounds and inflected forms
/// do. A word that is translated is spelt right and is one word: of those it has the first and the last.
fn stand_ins(vocabulary: &Vocabulary, word: &str, translated: bool) -> Vec<(String, f64)> {
    let (mut found, mut weight) = (vocabulary.respelt(word), MENDED_WEIGHT);
    if found.is_empty() && !translated {
        found = vocabulary.near(word);
    }
    if found.is_empty() && !translated {
        (found, weight) = (vocabulary.halves(word).map_or_else(Vec::new, Vec::from), HALVES);
    }
    if found.is_empty() {
        (found, weight) = (vocabulary.kin(word, KIN), KIN_WEIGHT);
    }
    let stems: BTreeSet<_> = found.into_iter().flat_map(|other| words(other, 1)).map(|word| word.stem).collect();
    #[allow(clippy::cast_precision_loss)]
    let each = weight / (stems.len() as f64).sqrt();
    stems.into_iter().map(|stem| (stem, each)).collect()
}
