//! From text to the words that the index holds: split, folded, without stop words, stemmed.
//!
//! Is: one reading for tools and queries alike, so that the two always meet. Is not: a parser; nothing in a text is an
//! operator. Where no spaces part the words, neighbouring letters are taken in pairs. Clause: SRCH-5.
//! Source: Porter2 by way of Snowball; NFKD of UAX 15 for accents.

use frostem::{Algorithm, Stemmer};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Bytes of a word at the most; what is longer is a blob and no word.
const WORD_BYTES: usize = 64;
/// Runs that a reader remembers; one that met more begins anew.
const RUNS: usize = 32 * 1024;

/// Letters from which Hiragana beside other letters is more than a particle or the ending of a verb.
const ENDING: usize = 5;

/// Words that say nothing about a tool. Verbs, and words that give a direction or a moment, are not among them; nor are
/// words that are stop words in one language and say something in another. Of pairs of letters, the endings of verbs.
const STOP: &str = "a an the this that these those it its i me my we us our you your he she his her they them their \
    and or but so if then than as of at by for with about into is are was were be been being am do does did \
    have has had will would shall should can could may might must please want wants need needs like \
    there here which what who whom whose where how why some any such very just also each other own same too \
    s t d m ll re ve don didn doesn isn etc eg ie using via tool tools mcp \
    der das den dem des ein eine einen einer eines und oder fur mit von vom zum zur im ist sind bitte mir mich ich \
    le la les un une du de et pour avec est je el los las una del y para con por \
    的 了 和 与 及 或 是 在 我 你 用 请 把 工具 什么 怎么 一个 这个 可以 帮我 \
    を に は が の で と も です ます した して てい いる する くだ ださ さい こと れる られ \
    을 를 은 는 이 가 니다 습니 합니 하는 하고 해줘 해주 주세 세요";

static STOPS: LazyLock<HashSet<&str>> = LazyLock::new(|| STOP.split_whitespace().collect());

/// One word of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Word {
    /// Folded: lower case, without accents.
    pub(crate) plain: String,
    /// What the index holds of it.
    pub(crate) stem: String,
    /// The run of letters and digits that it was split from, counted from 0.
    pub(crate) run: usize,
    /// Whether it is several parts of such a run in one, beside those.
    pub(crate) whole: bool,
    /// Whether it is a pair of letters of a script without spaces.
    pub(crate) paired: bool,
}

/// The words of a text in order; at most `limit` of them.
pub(crate) fn words(text: &str, limit: usize) -> Vec<Word> {
    read(text, limit, |run, number, found| found.extend(run_words(run).into_iter().map(|word| Word { run: number, ..word })))
}

/// What a word of a query is there for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Use {
    /// It says what is wanted.
    Asked,
    /// It says what that is to be about.
    Topic,
    /// Part of a path or an address: what a tool is given, and not what it does.
    Given,
}

/// What each run of a text is there for.
pub(crate) fn uses(text: &str) -> Vec<Use> {
    let place = |word: &str| ["/", "~/", "./"].iter().any(|begin| word.starts_with(begin)) || word.contains("://");
    let (mut topic, mut found) = (false, Vec::new());
    for word in normal(text).split_whitespace() {
        let used = match topic {
            _ if place(word) => Use::Given,
            true => Use::Topic,
            false => Use::Asked,
        };
        found.extend(runs(word).map(|_| used));
        topic = (topic || ABOUT.iter().any(|about| word.eq_ignore_ascii_case(about))) && !word.ends_with(ENDS);
    }
    found
}

/// Words before a topic, and letters after it.
const ABOUT: [&str; 3] = ["about", "regarding", "concerning"];
const ENDS: [char; 6] = [',', ';', '.', ':', '?', '!'];

/// Reads many texts, and remembers the words of each run that it met: most runs come again and again.
#[derive(Default)]
pub(crate) struct Reader {
    runs: HashMap<String, Vec<Word>>,
}

impl Reader {
    /// As [`words`].
    pub(crate) fn words(&mut self, text: &str, limit: usize) -> Vec<Word> {
        read(text, limit, |run, number, found| found.extend(self.run(run).iter().map(|word| Word { run: number, ..word.clone() })))
    }

    fn run(&mut self, run: &str) -> Cow<'_, [Word]> {
        if run.len() > WORD_BYTES {
            return Cow::Owned(run_words(run));
        }
        if self.runs.len() >= RUNS {
            self.runs.clear();
        }
        if !self.runs.contains_key(run) {
            self.runs.insert(run.to_owned(), run_words(run));
        }
        self.runs.get(run).map_or(Cow::Owned(Vec::new()), Cow::from)
    }
}

/// The words of a text, given who adds those of one run of it, which is told the run's number.
fn read(text: &str, limit: usize, mut add: impl FnMut(&str, usize, &mut Vec<Word>)) -> Vec<Word> {
    let mut found = Vec::new();
    for (number, run) in runs(&normal(text)).enumerate() {
        add(run, number, &mut found);
        if found.len() >= limit {
            found.truncate(limit);
            break;
        }
    }
    found
}

/// A text with one form for letters that are the same; of plain ones there is one.
fn normal(text: &str) -> Cow<'_, str> {
    if text.is_ascii() { Cow::Borrowed(text) } else { text.nfkc().collect() }
}

/// What stands between white space, punctuation and signs.
fn runs(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_alphanumeric() && !is_combining_mark(letter)).filter(|run| !run.is_empty())
}

/// The words of one run of letters and digits: its parts, and whole what is written as one.
fn run_words(run: &str) -> Vec<Word> {
    let parts = parts(run);
    let alone = parts.len() == 1;
    let ending = |part: &&Part| !alone && part.kind == Kind::Hiragana && part.text.chars().count() < ENDING;
    let split =
        parts.iter().filter(|part| !ending(part)).flat_map(|part| part.pieces().into_iter().map(|plain| (plain, part.kind.paired())));
    let split = split.map(|(plain, paired)| (plain, false, paired));
    let joined = joined(run, &parts).into_iter().map(|plain| (plain, true, false));
    let stemmer = Stemmer::new(Algorithm::English);
    let word =
        |(plain, whole, paired): (String, bool, bool)| Word { stem: stemmer.stem(&plain).into_owned(), plain, run: 0, whole, paired };
    let says = |plain: &str| (1..=WORD_BYTES).contains(&plain.len()) && !STOPS.contains(plain);
    split.chain(joined).filter(|(plain, ..)| says(plain)).map(word).collect()
}

/// What is one word to most though its case changes: the whole run, and a single letter with what follows it (`OAuth2` is
/// `oauth` too, `IPv4` is `ipv`).
fn joined(run: &str, parts: &[Part]) -> Vec<String> {
    if parts.len() < 2 || parts.iter().any(|part| part.kind.paired()) {
        return Vec::new();
    }
    let letters = |part: &Part| part.kind != Kind::Digit;
    let single = |pair: &&[Part]| pair.iter().all(letters) && pair.first().is_some_and(|part| part.text.chars().count() == 1);
    let mut found: Vec<String> = if parts.len() == 2 {
        Vec::new()
    } else {
        parts.windows(2).filter(single).map(|pair| pair.iter().map(|part| fold(part.text)).collect()).collect()
    };
    found.push(fold(run));
    found
}

/// A text in the form in which words are compared: lower case, without accents.
pub(crate) fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let plain = text.nfkd().filter(|letter| !accent(*letter)).flat_map(char::to_lowercase);
    let mut out = String::with_capacity(text.len());
    for letter in plain {
        match letter {
            'ß' => out.push_str("ss"),
            'æ' => out.push_str("ae"),
            'œ' => out.push_str("oe"),
            'ø' => out.push('o'),
            'ł' => out.push('l'),
            'đ' => out.push('d'),
            'ı' => out.push('i'),
            'ς' => out.push('σ'),
            letter => out.push(letter),
        }
    }
    out.nfc().collect()
}

/// The accents of Latin, Greek and Cyrillic letters; the marks of other scripts make other letters.
const fn accent(letter: char) -> bool {
    matches!(letter, '\u{300}'..='\u{36f}')
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Lower,
    Upper,
    Digit,
    Han,
    Hiragana,
    Katakana,
    /// Of another script with no space at every word's end: Hangul, Thai, Lao, Burmese, Khmer.
    Other,
}

impl Kind {
    fn of(letter: char) -> Self {
        match letter {
            letter if letter.is_ascii_digit() => Self::Digit,
            '\u{3041}'..='\u{309f}' => Self::Hiragana,
            '\u{30a0}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}' => Self::Katakana,
            '\u{3005}'..='\u{3007}'
            | '\u{3400}'..='\u{4dbf}'
            | '\u{4e00}'..='\u{9fff}'
            | '\u{f900}'..='\u{faff}'
            | '\u{20000}'..='\u{3134f}' => Self::Han,
            '\u{ac00}'..='\u{d7a3}' | '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' => Self::Other,
            letter if letter.is_numeric() => Self::Digit,
            letter if letter.is_uppercase() => Self::Upper,
            _ => Self::Lower,
        }
    }

    /// Whether its letters are taken in pairs.
    const fn paired(self) -> bool {
        matches!(self, Self::Han | Self::Hiragana | Self::Katakana | Self::Other)
    }
}

/// Letters of one kind that stand together.
struct Part<'a> {
    kind: Kind,
    text: &'a str,
}

impl Part<'_> {
    /// Folded: a word, or the pairs of neighbouring letters where no spaces part the words.
    fn pieces(&self) -> Vec<String> {
        let plain = fold(self.text);
        let letters: Vec<char> = plain.chars().collect();
        if !self.kind.paired() || letters.len() < 3 {
            return vec![plain];
        }
        letters.windows(2).map(|pair| pair.iter().collect()).collect()
    }
}

/// Splits one run of letters and digits where case, digits or script change: `getHTTPResponse2` is `get`, `HTTP`,
/// `Response`, `2`. A plural of an acronym (`URLs`) stays whole.
fn parts(run: &str) -> Vec<Part<'_>> {
    let letters: Vec<(usize, char)> = run.char_indices().filter(|(_, letter)| !accent(*letter)).collect();
    let mut found = Vec::new();
    let mut from = 0;
    let mut part = |from, to| found.extend(run.get(from..to).and_then(|text| Some(Part { kind: Kind::of(text.chars().next()?), text })));
    for (place, pair) in letters.windows(2).enumerate() {
        let &[(_, left), (at, right)] = pair else { continue };
        let next = letters.get(place + 2).map(|(_, letter)| Kind::of(*letter));
        let plural = letters.get(place + 2).is_some_and(|(_, letter)| *letter == 's') && place + 3 == letters.len();
        let cut = match (Kind::of(left), Kind::of(right)) {
            (Kind::Lower, Kind::Upper) => true,
            (Kind::Upper, Kind::Upper) => next == Some(Kind::Lower) && !plural,
            (Kind::Upper, Kind::Lower) => false,
            (left, right) => left != right,
        };
        if cut {
            part(from, at);
            from = at;
        }
    }
    part(from, run.len());
    found
}
