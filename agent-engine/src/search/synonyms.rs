//! Words that mean about the same in the names of tools, and what words of other languages mean there.
//!
//! Is: the readable table `synonyms.txt`, and what an operator adds to it in the same form. Is not: a thesaurus; nor a file's
//! reader, for the host hands over a text. Clause: SRCH-5.

use crate::index::{Word, words};
use agent_core::limits::{SYNONYM_BYTES, SYNONYM_LINES, SYNONYM_WORDS};
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

/// The weight of a word that stands in for another.
const LIKE: f32 = 0.2;
/// The same where both are words of other languages than English.
const BESIDE: f32 = 0.2;
/// The weight of what a word of another language means, shared by all that it may mean.
const SAME: f32 = 0.8;

static BUILT_IN: LazyLock<Synonyms> = LazyLock::new(|| {
    let mut table = Table::default();
    for line in include_str!("synonyms.txt").lines() {
        let read = table.add(line);
        debug_assert!(read.is_ok(), "{line}: {read:?}");
    }
    Synonyms(Arc::new(table))
});

/// What stands in for what.
#[derive(Clone, PartialEq)]
pub struct Synonyms(Arc<Table>);

impl std::fmt::Debug for Synonyms {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Synonyms({} phrases)", self.0.written.len() + self.0.stems.len())
    }
}

/// A line of a table of synonyms can't be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct SynonymsError {
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong with it.
    pub what: String,
}

impl Default for Synonyms {
    /// Those that come with the host.
    fn default() -> Self {
        BUILT_IN.clone()
    }
}

impl Synonyms {
    /// The built-in ones and those of a text, in the form that the head of `synonyms.txt` explains.
    ///
    /// # Errors
    /// [`SynonymsError`] names the first line that can't be read, or that is beyond a bound.
    pub fn extended(text: &str) -> Result<Self, SynonymsError> {
        let mut table = (*BUILT_IN.0).clone();
        let mut bytes = 0;
        for (line, number) in text.lines().zip(1..) {
            bytes += line.len() + 1;
            let added = match () {
                () if bytes > SYNONYM_BYTES => Err(format!("more than {SYNONYM_BYTES} bytes up to here")),
                () if number > SYNONYM_LINES => Err(format!("more than {SYNONYM_LINES} lines")),
                () => table.add(line),
            };
            added.map_err(|what| SynonymsError { line: number, what })?;
        }
        Ok(Self(Arc::new(table)))
    }

    /// Words of the longest phrase that something stands in for.
    pub(super) fn longest(&self) -> usize {
        self.0.longest
    }

    /// What may stand in for the first of these words, for the first two together, and so on, with the number of the words.
    pub(super) fn of(&self, words: &[&Word]) -> impl Iterator<Item = (&StandIn, usize)> {
        (1..=self.0.longest.min(words.len())).flat_map(move |count| {
            let phrase = words.get(..count).unwrap_or_default();
            let found = [self.0.written.get(&*written(phrase)), self.0.stems.get(&*stems(phrase))];
            found.into_iter().flatten().flatten().map(move |one| (one, count))
        })
    }
}

/// A word that stands in for a phrase.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct StandIn {
    pub(super) plain: String,
    pub(super) stem: String,
    /// Beside 1 for the phrase itself.
    pub(super) weight: f32,
    /// Whether it says the same in English.
    pub(super) translates: bool,
}

/// What stands in for each phrase.
type Meanings = HashMap<String, Vec<StandIn>>;

#[derive(Clone, Default, PartialEq)]
struct Table {
    /// By the words as written but for case and accents: those of other languages, whose stems would be others' words.
    written: Meanings,
    /// By stems.
    stems: Meanings,
    /// Words of the longest phrase.
    longest: usize,
}

impl Table {
    fn add(&mut self, line: &str) -> Result<(), String> {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            return Ok(());
        }
        if let Some((left, right)) = line.split_once("=>") {
            let (left, right) = (phrases(left)?, phrases(right)?);
            // A pair of letters alone says little of another language's longer word.
            let short: Vec<_> = left.iter().filter(|phrase| phrase.len() == 1).cloned().collect();
            for phrase in &left {
                let key = self.key(phrase, written);
                let meanings = self.written.entry(key).or_default();
                note(meanings, phrase, &right, true, SAME);
                note(meanings, phrase, &short, false, BESIDE);
            }
        } else {
            let (left, right) = match line.split_once("->") {
                Some((left, right)) => (phrases(left)?, phrases(right)?),
                None => (phrases(line)?, phrases(line)?),
            };
            if left.len() + right.len() < 3 && left == right {
                return Err("a single word has nothing to stand in for".into());
            }
            for phrase in &left {
                let key = self.key(phrase, stems);
                note(self.stems.entry(key).or_default(), phrase, &right, false, LIKE);
            }
        }
        Ok(())
    }

    fn key(&mut self, phrase: &[Word], form: for<'a> fn(&[&'a Word]) -> Cow<'a, str>) -> String {
        self.longest = self.longest.max(phrase.len());
        form(&phrase.iter().collect::<Vec<_>>()).into_owned()
    }
}

/// Adds the words of some phrases to what stands in for one of them.
fn note(meanings: &mut Vec<StandIn>, own: &[Word], phrases: &[Vec<Word>], translates: bool, whole: f32) {
    let words: Vec<_> = phrases.iter().filter(|phrase| *phrase != own).flatten().collect();
    #[allow(clippy::cast_precision_loss)]
    let weight = if translates { whole / (words.len() as f32).sqrt() } else { whole };
    for word in words {
        let known = meanings.iter().any(|one| one.stem == word.stem) || own.iter().any(|own| own.stem == word.stem);
        if !known {
            meanings.push(StandIn { plain: word.plain.clone(), stem: word.stem.clone(), weight, translates });
        }
    }
}

/// The phrases of one side of a line.
fn phrases(side: &str) -> Result<Vec<Vec<Word>>, String> {
    let mut found = Vec::new();
    for phrase in side.split_whitespace() {
        let mut read = words(phrase, usize::MAX);
        read.retain(|word| !word.whole);
        match phrase {
            _ if phrase.contains(['>', '=', '<']) => return Err(format!("`{phrase}` is no word; a line has one `->` or `=>` at the most")),
            _ if read.is_empty() => return Err(format!("`{phrase}` has no word that a search looks for")),
            _ => found.push(read),
        }
    }
    match found.iter().map(Vec::len).sum() {
        0 => Err("there is no word on one side".into()),
        count if count > SYNONYM_WORDS => Err(format!("more than {SYNONYM_WORDS} words")),
        _ => Ok(found),
    }
}

fn written<'a>(phrase: &[&'a Word]) -> Cow<'a, str> {
    joined(phrase, |word| &word.plain)
}

fn stems<'a>(phrase: &[&'a Word]) -> Cow<'a, str> {
    joined(phrase, |word| &word.stem)
}

fn joined<'a>(phrase: &[&'a Word], form: fn(&Word) -> &str) -> Cow<'a, str> {
    match phrase {
        [word] => Cow::Borrowed(form(word)),
        _ => Cow::Owned(phrase.iter().map(|word| form(word)).collect::<Vec<_>>().join(" ")),
    }
}

#[cfg(test)]
mod tests;
