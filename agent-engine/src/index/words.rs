//! From text to the words that the index holds: split, folded, without stop words, stemmed.
//!
//! Is: one function for tools and queries alike, so that the two always meet. Is not: a parser; nothing in a text is an
//! operator. Clause: SRCH-5. Source: Porter2 by way of tantivy's stemmer; NFKD of UAX 15 for accents.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::LazyLock;
use tantivy::tokenizer::{Language, Stemmer, TextAnalyzer, TokenStream, WhitespaceTokenizer};
use unicode_normalization::UnicodeNormalization;

/// Bytes of a word at the most; what is longer is a blob and no word.
const WORD_BYTES: usize = 64;

/// Words that say nothing about a tool. Verbs, and words that give a direction or a moment, are not among them.
const STOP: &str = "a an the this that these those it its i me my we us our you your he she his her they them their \
    and or but so if then than as of at by for with about into is are was were be been being am do does did \
    have has had will would shall should can could may might must please want wants need needs like \
    there here which what who whom whose where how why some any such very just also each other own same too \
    s t d m ll re ve don didn doesn isn etc eg ie using via tool tools mcp";

static STOPS: LazyLock<BTreeSet<&str>> = LazyLock::new(|| STOP.split_whitespace().collect());

/// One word of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Word {
    /// Folded: lower case, without accents.
    pub(crate) plain: String,
    /// What the index holds of it.
    pub(crate) stem: String,
    /// The run of letters and digits that it was split from, counted from 0.
    pub(crate) run: usize,
    /// Whether it is such a run whole, beside its parts.
    pub(crate) whole: bool,
}

/// The words of a text in order; at most `limit` of them.
pub(crate) fn words(text: &str, limit: usize) -> Vec<Word> {
    let mut found = Vec::new();
    // Of plain letters there is one form.
    let text = if text.is_ascii() { Cow::Borrowed(text) } else { text.nfkc().collect() };
    for (run, letters) in text.split(|letter: char| !letter.is_alphanumeric() && !mark(letter)).enumerate() {
        let parts = parts(letters);
        let several = parts.len() > 1 && !parts.iter().any(|part| part.chars().any(cjk));
        let whole = several.then(|| (fold(letters), true));
        for (plain, whole) in parts.iter().flat_map(|part| pieces(part)).map(|part| (part, false)).chain(whole) {
            if (1..=WORD_BYTES).contains(&plain.len()) && !STOPS.contains(plain.as_str()) {
                found.push(Word { stem: String::new(), plain, run, whole });
            }
        }
        if found.len() >= limit {
            found.truncate(limit);
            break;
        }
    }
    stem(&mut found);
    found
}

/// A text in the form in which words are compared: lower case, without accents.
pub(crate) fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let plain = text.nfkd().filter(|letter| !mark(*letter)).flat_map(char::to_lowercase);
    let mut out = String::with_capacity(text.len());
    for letter in plain {
        match letter {
            'ß' => out.push_str("ss"),
            'æ' => out.push_str("ae"),
            'ø' => out.push('o'),
            'ł' => out.push('l'),
            'đ' => out.push('d'),
            'ı' => out.push('i'),
            letter => out.push(letter),
        }
    }
    out.nfc().collect()
}

/// The accents of Latin, Greek and Cyrillic letters; the marks of other scripts make other letters.
const fn mark(letter: char) -> bool {
    matches!(letter, '\u{300}'..='\u{36f}')
}

/// Whether the letter belongs to a script that is written without spaces between words.
fn cjk(letter: char) -> bool {
    matches!(letter, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3134f}')
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Lower,
    Upper,
    Digit,
    Cjk,
}

fn kind(letter: char) -> Kind {
    match letter {
        letter if cjk(letter) => Kind::Cjk,
        letter if letter.is_numeric() => Kind::Digit,
        letter if letter.is_uppercase() => Kind::Upper,
        _ => Kind::Lower,
    }
}

/// Splits one run of letters and digits where case, digits or script change: `getHTTPResponse2` is `get`, `HTTP`,
/// `Response`, `2`. A plural of an acronym (`URLs`) stays whole.
fn parts(run: &str) -> Vec<&str> {
    let letters: Vec<(usize, char)> = run.char_indices().filter(|(_, letter)| !mark(*letter)).collect();
    let mut found = Vec::new();
    let mut from = 0;
    for (place, pair) in letters.windows(2).enumerate() {
        let &[(_, left), (at, right)] = pair else { continue };
        let next = letters.get(place + 2).map(|(_, letter)| kind(*letter));
        let plural = letters.get(place + 2).is_some_and(|(_, letter)| *letter == 's') && place + 3 == letters.len();
        let cut = match (kind(left), kind(right)) {
            (Kind::Lower, Kind::Upper) => true,
            (Kind::Upper, Kind::Upper) => next == Some(Kind::Lower) && !plural,
            (Kind::Upper, Kind::Lower) => false,
            (left, right) => left != right,
        };
        if cut {
            found.extend(run.get(from..at));
            from = at;
        }
    }
    found.extend(run.get(from..).filter(|rest| !rest.is_empty()));
    found
}

/// One part folded: a word, or the pairs of neighbouring letters where no spaces part the words.
fn pieces(part: &str) -> Vec<String> {
    let plain = fold(part);
    let letters: Vec<char> = plain.chars().collect();
    if !letters.iter().copied().any(cjk) || letters.len() < 3 {
        return vec![plain];
    }
    letters.windows(2).map(|pair| pair.iter().collect()).collect()
}

fn stem(words: &mut [Word]) {
    let text = words.iter().map(|word| word.plain.as_str()).collect::<Vec<_>>().join(" ");
    let mut analyzer = TextAnalyzer::builder(WhitespaceTokenizer::default()).filter(Stemmer::new(Language::English)).build();
    let mut stems = analyzer.token_stream(&text);
    for word in words {
        word.stem = if stems.advance() { stems.token().text.clone() } else { word.plain.clone() };
    }
}
