//! From a model's text to the terms that are looked up.
//!
//! Is: words, their synonyms, and for a word that no tool holds the words one letter away. Is not: a query language; no
//! character of the text is an operator. Clause: SRCH-5.

use super::synonyms::synonyms;
use crate::index::{Field, Index, IndexError, Word, words};
use std::collections::BTreeSet;

/// Words of a query that are read.
const WORDS: usize = 64;
/// Words of a query that are mended.
const MENDED: usize = 3;
/// Letters of an index word that a mistyped word may stand for.
const MENDED_LETTERS: usize = 5;

/// The weight of a synonym.
const SYNONYM: f64 = 0.2;
/// The weight of a mended word, shared by all that it may stand for.
const MENDED_WEIGHT: f64 = 0.8;

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
    pub(super) fn read(text: &str, index: &Index) -> Result<Self, IndexError> {
        let words = words(text, WORDS);
        let mut terms: Vec<Term> = Vec::new();
        let mut seen = BTreeSet::new();
        let mut mended = 0;
        for (place, word) in words.iter().enumerate() {
            if !seen.insert(word.stem.clone()) {
                continue;
            }
            let mut add = |stem: String, weight: f64| match terms.iter_mut().find(|term| term.stem == stem) {
                Some(term) => {
                    term.weight += weight;
                    term.words.push(place);
                }
                None => terms.push(Term { stem, weight, words: vec![place] }),
            };
            add(word.stem.clone(), 1.0);
            for other in synonyms(&word.stem) {
                add(other.clone(), SYNONYM);
            }
            if mended < MENDED && mendable(word) && !known(index, &word.stem)? {
                let near = near(index, &word.plain);
                mended += 1;
                #[allow(clippy::cast_precision_loss)]
                let weight = MENDED_WEIGHT / (near.len() as f64).sqrt();
                for stem in near {
                    add(stem, weight);
                }
            }
        }
        Ok(Self { words, terms })
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
    !word.whole && word.plain.chars().count() + 1 >= MENDED_LETTERS && word.plain.chars().all(char::is_alphabetic)
}

fn known(index: &Index, stem: &str) -> Result<bool, IndexError> {
    let mut found = false;
    for field in Field::ALL {
        index.places(field, stem, |_| found = true)?;
    }
    Ok(found)
}

/// The stems of the index's words that one letter more, less, other or swapped makes of this one.
fn near(index: &Index, word: &str) -> BTreeSet<String> {
    let fits = |other: &&String| one_apart(word, other) && other.chars().count() >= MENDED_LETTERS;
    index.vocabulary().iter().filter(fits).flat_map(|other| words(other, 1)).map(|word| word.stem).collect()
}

/// Whether two words are at Damerau's distance 1 or equal.
fn one_apart(a: &str, b: &str) -> bool {
    let same: usize = a.chars().zip(b.chars()).take_while(|(a, b)| a == b).map(|(letter, _)| letter.len_utf8()).sum();
    let (a, b) = (a.get(same..).unwrap_or_default(), b.get(same..).unwrap_or_default());
    let (mut a_rest, mut b_rest) = (a.chars(), b.chars());
    let (a_first, b_first) = (a_rest.next(), b_rest.next());
    if [a_rest.as_str(), a].contains(&b_rest.as_str()) || a_rest.as_str() == b {
        return true;
    }
    (a_rest.next(), b_rest.next()) == (b_first, a_first) && a_rest.as_str() == b_rest.as_str()
}
