//! From a model's text to the terms that are looked up.
//!
//! Is: words, their synonyms, and for a word that no tool holds, or one server alone, the words one letter away. Is not: a query language; no
//! character of the text is an operator. Clauses: SRCH-5, SRCH-7 (a server's word
//! keeps nobody from being found).

use super::Parts;
use super::synonyms::{StandIn, Synonyms};
use crate::index::{Index, Use, Vocabulary, Word, uses, words};
use crate::table::{Vector, embed, empty, knows};
use agent_core::safety::cut;
use std::collections::{BTreeMap, BTreeSet};
use std::iter::once;

/// Words of a query that are read: as many as its bytes hold, but for single letters and digits written as one.
const WORDS: usize = 128;
/// Words of a query that are mended.
const MENDED: usize = 3;
/// Words of the index that stand in for one, at the most.
const STANDING: usize = 16;

/// The weight of a mended word, shared by all that it may stand for.
const MENDED_WEIGHT: f32 = 0.8;
/// The same where one server says the word that may be a slip.
const DOUBTED_WEIGHT: f32 = 0.6;
/// The weight of the two words that one is made of, shared.
const HALVES: f32 = 0.7;
/// The weight of an inner part of a name that no tool has as a word.
const INNER: f32 = 0.8;
/// Bytes of an inner part.
const INNER_BYTES: usize = 3;
/// The weight of words that begin or end alike, shared.
const KIN_WEIGHT: f32 = 0.3;
/// The weight of a word of a path or an address, where a query is not all of them.
const GIVEN: f32 = 0.4;
/// The weight of a word that says what something is to be about.
const TOPIC: f32 = 0.8;
/// What is left of a translation's weight where a tool says the word itself.
const KNOWN: f32 = 0.6;

/// What a word that no tool says adds to the weight of those that mean about the same.
const UNKNOWN: f32 = 2.5;
/// The same of a word that tools say, and none in its name. At 1.6 a list of synonyms stood before a tool that said the word itself.
const UNNAMED: f32 = 1.4;

/// One stem to look up.
#[derive(Debug, Clone)]
pub(super) struct Term {
    pub(super) stem: String,
    /// 1 for a word of the query, less for one that is given to a tool and for what stands in for one; the sum where it is both, or stands in for several.
    pub(super) weight: f32,
    /// The words of the query that it answers for.
    pub(super) words: Vec<usize>,
    /// What it is to the first of these words.
    pub(super) role: Role,
}

/// What a term is to the word that it answers for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Word,
    Synonym,
    Translation,
    Mended,
    /// No stem, but an inner part of names.
    Inner,
}

impl Role {
    /// For people.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Word => "word",
            Self::Synonym => "synonym",
            Self::Translation => "translation",
            Self::Mended => "mended",
            Self::Inner => "part of a name",
        }
    }
}

/// A query, read.
pub(super) struct Query {
    words: Vec<Word>,
    /// Whether it is one word as it is typed, as a tool's name is.
    single: bool,
    pub(super) terms: Vec<Term>,
    /// The words that the table is asked for, each with what it counts.
    meaning: Vec<(String, f32)>,
}

/// What stands in for a word that no tool holds.
#[derive(Default, Clone)]
struct Mends {
    stems: BTreeSet<String>,
    /// What each stem weighs.
    each: f32,
    /// The words themselves, where they are surely what was meant.
    sure: Vec<String>,
}

/// The words of a query that were mended: the whole and its clauses share them, and their bound.
#[derive(Default)]
pub(super) struct Mended(BTreeMap<String, Mends>);

impl Mended {
    fn of(&mut self, word: &str, mends: impl FnOnce() -> Mends) -> Mends {
        match self.0.get(word) {
            Some(mends) => mends.clone(),
            None if self.0.len() >= MENDED => Mends::default(),
            None => self.0.entry(word.to_owned()).or_insert_with(mends).clone(),
        }
    }
}

/// What is known of a word that may be mended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Doubt {
    /// No tool holds it, nor is it a word of any language that is known here.
    Unknown,
    /// No tool holds it, but it is spelt right: it is translated, or the table has it.
    Spelt,
    /// Tools of one server alone hold it, and it may as well be a slip: what one server says must not keep others from being found.
    SaidByOne,
}

impl Doubt {
    fn of(word: &Word, index: &Index, translated: bool) -> Option<Self> {
        let spelt = translated || knows(&word.plain);
        match index.knows(&word.stem) {
            false if spelt => Some(Self::Spelt),
            false => Some(Self::Unknown),
            true if !spelt && index.said_by_one(&word.stem) => Some(Self::SaidByOne),
            true => None,
        }
    }
}

impl Query {
    pub(super) fn read(text: &str, index: &Index, synonyms: &Synonyms, parts: Parts, mended: &mut Mended) -> Self {
        let single = text.split_whitespace().nth(1).is_none();
        let mut query = Self { words: words(text, WORDS), single, terms: Vec::new(), meaning: Vec::new() };
        let words = query.words.clone();
        let uses = uses(text);
        let asked = uses.contains(&Use::Asked);
        for (place, word) in words.iter().enumerate() {
            if words.iter().take(place).any(|before| before.whole <= word.whole && before.stem == word.stem) {
                continue;
            }
            let counts = match uses.get(word.run) {
                Some(Use::Given) if asked => GIVEN,
                Some(Use::Topic) if asked => TOPIC,
                _ => 1.0,
            };
            query.add(&word.stem, counts, &[place], Role::Word);
            let known = index.knows(&word.stem);
            let mut translated = Vec::new();
            if parts.synonyms {
                let following = words.iter().enumerate().skip(place + 1).filter(|(_, next)| !word.whole && !next.whole);
                let (places, phrase): (Vec<_>, Vec<_>) = once((place, word)).chain(following).take(synonyms.longest()).unzip();
                for (StandIn { plain, stem, weight, translates }, count) in synonyms.of(&phrase) {
                    let weight = match (known, translates) {
                        (true, true) => weight * KNOWN,
                        (false, false) => weight * UNKNOWN,
                        (true, false) if !index.names_with(&word.stem) => weight * UNNAMED,
                        _ => *weight,
                    };
                    let role = if *translates { Role::Translation } else { Role::Synonym };
                    query.add(stem, weight * counts, places.get(..count).unwrap_or_default(), role);
                    if *translates {
                        translated.push(plain.clone());
                    }
                }
            }
            let doubt =
                Some(word).filter(|word| parts.typos && mendable(word)).and_then(|word| Doubt::of(word, index, !translated.is_empty()));
            let mends = doubt.map_or_else(Mends::default, |doubt| mended.of(&word.plain, || stand_ins(index, word, doubt)));
            for stem in &mends.stems {
                query.add(stem, mends.each * counts, &[place], Role::Mended);
            }
            if !known && mends.stems.is_empty() && !word.whole && word.plain.len() >= INNER_BYTES {
                query.terms.push(Term { stem: word.plain.clone(), weight: INNER * counts, words: vec![place], role: Role::Inner });
            }
            query.mean(word, counts, if translated.is_empty() || knows(&word.plain) { mends.sure } else { translated });
        }
        query
    }

    fn add(&mut self, stem: &str, weight: f32, places: &[usize], role: Role) {
        match self.terms.iter_mut().find(|term| term.role != Role::Inner && term.stem == stem) {
            Some(term) => {
                term.weight += weight;
                term.words.extend(places);
            }
            None => self.terms.push(Term { stem: stem.to_owned(), weight, words: places.to_vec(), role }),
        }
    }

    /// Notes what the table is asked for: the word, or the words that are surely meant by it.
    fn mean(&mut self, word: &Word, counts: f32, meant: Vec<String>) {
        #[allow(clippy::cast_precision_loss)]
        let each = counts / meant.len() as f32;
        match word.whole {
            true => {}
            false if meant.is_empty() => self.meaning.push((word.plain.clone(), counts)),
            false => self.meaning.extend(meant.into_iter().map(|word| (word, each))),
        }
    }

    /// Where it stands in the table's space; nowhere where the table knows no word of it.
    pub(super) fn vector(&self) -> Option<Vector> {
        embed(self.meaning.iter().map(|(word, weight)| (word.as_str(), *weight)))
    }

    /// The numbers of the words that a tool should hold, and whether each counts only where one does: a pair of letters of a
    /// script without spaces often spans two words, and stop words of other languages say nothing.
    pub(super) fn asked(&self) -> impl Iterator<Item = (usize, bool)> {
        let first = |place: &usize, word: &Word| self.words.iter().take(*place).all(|before| before.whole || before.stem != word.stem);
        let words = self.words.iter().enumerate().filter(move |(place, word)| !word.whole && first(place, word));
        words.map(|(place, word)| (place, word.paired || empty(&word.plain)))
    }

    /// Its words in order, folded, that may be a server's alias; none where it is a single one, which is a name more likely.
    pub(super) fn said(&self) -> Vec<&str> {
        self.words.iter().filter(|word| !word.whole && !self.single).map(|word| word.plain.as_str()).collect()
    }

    /// Words by their numbers, folded.
    pub(super) fn plain(&self, numbers: &[usize]) -> Vec<String> {
        numbers.iter().filter_map(|place| self.words.get(*place)).map(|word| word.plain.clone()).collect()
    }

    /// The words that may be an inner part of a name, each with its number.
    pub(super) fn inner(&self) -> Vec<(usize, &str)> {
        let long = self.words.iter().enumerate().filter(|(_, word)| word.plain.len() >= INNER_BYTES);
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

/// What a query says that has no word to look up: signs, blobs, or words that say nothing of a tool.
pub(super) fn wordless(text: &str) -> Vec<String> {
    text.split_whitespace().take(SAID).map(|word| cut(&word.to_lowercase(), WORD_BYTES)).collect()
}

/// For words that nothing answers, the word of a tool's name that each may be meant for.
pub(super) fn better(index: &Index, unmatched: &[String]) -> Vec<(String, String)> {
    let better = |word: &String| Some((word.clone(), index.vocabulary().better(word)?.to_owned()));
    unmatched.iter().take(SAID).filter_map(better).collect()
}

/// Words of a query that nothing answers which are looked at, or repeated where they are no words; and bytes of each of these.
const SAID: usize = 8;
const WORD_BYTES: usize = 64;

fn mendable(word: &Word) -> bool {
    !word.whole && word.plain.chars().all(char::is_alphabetic)
}

/// What may stand in for a word that no tool holds: words that differ in how an umlaut is written; else those one letter
/// away; else its two halves; else words that share a beginning or an end with it, as compounds and inflected forms do. A
/// word that is spelt right is one word: of those it has the first and the last. One that a single server says may be a slip for a word
/// that is better known, and for nothing else.
fn stand_ins(index: &Index, word: &Word, doubt: Doubt) -> Mends {
    let (vocabulary, plain) = (index.vocabulary(), &*word.plain);
    if doubt == Doubt::SaidByOne {
        let better = |other: &&str| stem(other) != word.stem && (knows(other) || !index.said_by_one(&stem(other)));
        let mut mends = Mends::of(&near(vocabulary, plain).into_iter().filter(better).collect::<Vec<_>>(), DOUBTED_WEIGHT, true);
        mends.sure.extend(Some(plain.to_owned()).filter(|_| !mends.stems.is_empty()));
        return mends;
    }
    let (mut found, mut weight, mut sure) = (vocabulary.respelt(plain), MENDED_WEIGHT, true);
    if found.is_empty() && doubt == Doubt::Unknown {
        found = near(vocabulary, plain);
    }
    // What is near to a name that is written as one is another such name, and is made of words as that one is.
    if found.iter().all(|other| vocabulary.joined(other)) && doubt == Doubt::Unknown {
        weight = if found.is_empty() { HALVES } else { weight };
        found.extend(vocabulary.halves(plain).into_iter().flatten());
    }
    if found.is_empty() {
        (found, weight, sure) = (vocabulary.kin(plain, STANDING), KIN_WEIGHT, false);
    }
    Mends::of(&found, weight, sure)
}

impl Mends {
    /// Of these words, which share a weight.
    fn of(found: &[&str], weight: f32, sure: bool) -> Self {
        let stems: BTreeSet<_> = found.iter().map(|other| stem(other)).collect();
        #[allow(clippy::cast_precision_loss)]
        let each = weight / (stems.len().max(1) as f32).sqrt();
        Self { stems, each, sure: found.iter().filter(|_| sure).map(|other| (*other).to_owned()).collect() }
    }
}

/// The words one letter away, those first that are words of a language: nobody can crowd them out.
fn near<'a>(vocabulary: &'a Vocabulary, word: &str) -> Vec<&'a str> {
    let mut found = vocabulary.near(word, usize::MAX);
    found.sort_by_key(|other| !knows(other));
    found.truncate(STANDING);
    found
}

/// What the index holds of a word of its vocabulary. It is the whole word, though it may be several in one.
fn stem(word: &str) -> String {
    words(word, usize::MAX).pop().map(|word| word.stem).unwrap_or_default()
}
