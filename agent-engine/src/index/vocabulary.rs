//! Every word that a tool holds, to find those that a mistyped or an unheard one may stand for.
//!
//! Is: the words as written but for case and accents. Is not: stems, nor counts; what a found word is worth is for `search`.
//! One pass over all words rules out nearly every one by its letters alone. Clause: SRCH-5.

use std::collections::{BTreeSet, HashMap};

/// Letters of a word that a mistyped one may stand for.
const MENDED: u8 = 4;
/// Letters of each word that another is made of.
const HALF: usize = 3;
/// Letters that words must at least share at their beginning to be kin.
const START: usize = 4;
/// Letters of a word that a longer one ends with.
const ENDS: u8 = 5;

/// The words of one visible catalog.
#[derive(Debug, Default)]
pub(crate) struct Vocabulary {
    /// Sorted.
    words: Vec<Box<str>>,
    /// Of each word.
    looks: Vec<Look>,
}

/// What of a word is compared first.
#[derive(Debug, Clone, Copy)]
struct Look {
    /// A bit for each letter that it holds; rare letters share some.
    letters: u32,
    /// How many letters it has.
    length: u8,
    /// Its last byte.
    last: u8,
    said: Said,
}

/// How tools say a word.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Said {
    /// Whether it stands in a tool's name.
    pub(crate) named: bool,
    /// Whether it stands by itself anywhere, and is not only several words written as one.
    pub(crate) apart: bool,
}

impl Vocabulary {
    /// Of these words, each with how tools say it.
    pub(crate) fn of(words: HashMap<String, Said>) -> Self {
        let mut words: Vec<_> = words.into_iter().map(|(word, said)| (word.into_boxed_str(), said)).collect();
        words.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
        let looks = words.iter().map(|(word, said)| Look::of(word, *said)).collect();
        Self { words: words.into_iter().map(|(word, _)| word).collect(), looks }
    }

    /// Bytes in memory.
    pub(crate) fn bytes(&self) -> usize {
        self.words.iter().map(|word| word.len() + size_of::<Box<str>>() + size_of::<Look>()).sum()
    }

    fn holds(&self, word: &str) -> bool {
        self.words.binary_search_by(|held| (**held).cmp(word)).is_ok()
    }

    /// Whether a word is held, and only as several words in one.
    pub(crate) fn joined(&self, word: &str) -> bool {
        let place = self.words.binary_search_by(|held| (**held).cmp(word)).ok();
        place.and_then(|place| self.looks.get(place)).is_some_and(|look| !look.said.apart)
    }

    /// The words that differ from this one only in whether umlauts are written with an `e`.
    pub(crate) fn respelt(&self, word: &str) -> Vec<&str> {
        let (own, e) = (Look::of(word, Said::default()), Look::of("e", Said::default()).letters);
        let (alike, spelt) = (self.like(|held| (held.letters ^ own.letters) & !e == 0), one_spelling(word));
        alike.filter(|(held, _)| *held != word && one_spelling(held) == spelt).map(|(held, _)| held).collect()
    }

    /// The words that one letter more, less, other or swapped makes of this one: those in names where there are any, at most
    /// `most` of them.
    pub(crate) fn near(&self, word: &str, most: usize) -> Vec<&str> {
        let own = Look::of(word, Said::default());
        let like = |held: Look| held.length.abs_diff(own.length) <= 1 && two_at_most(held.letters ^ own.letters) && held.length >= MENDED;
        let found = self.like(like).filter(|(held, _)| one_apart(word, held));
        let (named, others): (Vec<_>, Vec<_>) = found.partition(|(_, look)| look.said.named);
        let best = if named.is_empty() { others } else { named };
        best.into_iter().take(most).map(|(word, _)| word).collect()
    }

    /// The word of a tool's name that is least unlike this one, of at most two letters' difference, and of no more than one in three. Letters
    /// alone, and a word by itself: it is said to a model.
    pub(crate) fn better(&self, word: &str) -> Option<&str> {
        let own = Look::of(word, Said::default());
        let alike = move |held: Look| held.length.abs_diff(own.length) <= 2 && (held.letters ^ own.letters).count_ones() <= 4;
        let plain = self.like(move |held| held.said.named && held.said.apart && held.length >= MENDED && alike(held));
        let plain = plain.map(|(held, _)| held).filter(|held| held.chars().all(char::is_alphabetic));
        let apart = |held: &str| strsim::osa_distance(word, held);
        let near = plain.map(|held| (apart(held), held)).filter(|(apart, _)| *apart <= 2 && apart * 3 <= usize::from(own.length));
        near.min().map(|(_, held)| held)
    }

    /// The two words that this one is made of, with or without an `s` between: those nearest to halves of it.
    pub(crate) fn halves<'a>(&self, word: &'a str) -> Option<[&'a str; 2]> {
        let cuts = word.char_indices().map(|(at, _)| word.split_at(at));
        let cuts = cuts.flat_map(|(left, right)| [Some(left), left.strip_suffix('s')].map(|left| Some([left?, right]))).flatten();
        let shorter = |halves: &[&str; 2]| halves.map(|half| half.chars().count()).into_iter().min();
        cuts.filter(|halves| shorter(halves) >= Some(HALF) && halves.iter().all(|half| self.holds(half))).max_by_key(shorter)
    }

    /// Words that begin or end as this one does, being longer or shorter or of another ending: at most `most`, the nearest in
    /// length first. Of a single letter, all pairs with it.
    pub(crate) fn kin(&self, word: &str, most: usize) -> Vec<&str> {
        let own = Look::of(word, Said::default());
        let start: String = word.chars().take(START).collect();
        let first = self.words.partition_point(|held| **held < *start);
        let alike = self.words.iter().skip(first).map(|held| &**held).take_while(|held| held.starts_with(&start));
        let alike = alike.filter(|held| own.length > 1 && begin_alike(word, held));
        let within = |held: Look| match own.length {
            1 => held.length == 2 && held.letters & own.letters == own.letters,
            _ if held.last != own.last => false,
            length if length < held.length => length >= ENDS && held.letters & own.letters == own.letters,
            _ => held.length > ENDS && held.letters & own.letters == held.letters,
        };
        let ends = |held: &&str| own.length == 1 && held.starts_with(word) || held.ends_with(word) || word.ends_with(held);
        let ending = self.like(within).map(|(held, _)| held).filter(ends);
        let apart = |held: &str| held.chars().count().abs_diff(own.length.into());
        let mut found = BTreeSet::new();
        for held in alike.chain(ending) {
            found.insert((apart(held), held));
            if found.len() > most {
                found.pop_last();
            }
        }
        found.into_iter().map(|(_, held)| held).collect()
    }

    fn like(&self, like: impl Fn(Look) -> bool) -> impl Iterator<Item = (&str, Look)> {
        let looks = self.looks.iter().zip(&self.words);
        looks.filter(move |(look, _)| like(**look)).map(|(look, word)| (&**word, *look))
    }
}

impl Look {
    fn of(word: &str, said: Said) -> Self {
        let bit = |letter: char| 1 << (letter as u32 % 32);
        let length = word.chars().count();
        Self {
            letters: word.chars().fold(0, |letters, letter| letters | bit(letter)),
            length: u8::try_from(length).unwrap_or(u8::MAX),
            last: word.bytes().last().unwrap_or_default(),
            said,
        }
    }
}

/// Whether at most two bits are set, without the instruction that counts them, which not every processor has.
const fn two_at_most(bits: u32) -> bool {
    let but_one = bits & bits.wrapping_sub(1);
    but_one & but_one.wrapping_sub(1) == 0
}

/// Whether one of two words begins with the other, or they differ in an ending alone.
fn begin_alike(word: &str, held: &str) -> bool {
    let (own, other) = (word.chars().count(), held.chars().count());
    let (shorter, longer) = (own.min(other), own.max(other));
    let same = word.chars().zip(held.chars()).take_while(|(a, b)| a == b).count();
    same == shorter && (shorter > START || longer <= START + 3) || same > START + 1 && same * 10 >= longer * 7
}

fn one_spelling(word: &str) -> String {
    word.replace("ae", "a").replace("oe", "o").replace("ue", "u")
}

/// Whether two words are equal, or one letter added, lost or changed, or two neighbours swapped, makes one of the other.
pub(crate) fn one_apart(a: &str, b: &str) -> bool {
    let same: usize = a.chars().zip(b.chars()).take_while(|(a, b)| a == b).map(|(letter, _)| letter.len_utf8()).sum();
    let (a, b) = (a.get(same..).unwrap_or_default(), b.get(same..).unwrap_or_default());
    let (mut a_rest, mut b_rest) = (a.chars(), b.chars());
    let (a_first, b_first) = (a_rest.next(), b_rest.next());
    if [a_rest.as_str(), a].contains(&b_rest.as_str()) || a_rest.as_str() == b {
        return true;
    }
    (a_rest.next(), b_rest.next()) == (b_first, a_first) && a_rest.as_str() == b_rest.as_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(words: &str) -> Vocabulary {
        let named = |word: &str| (word.trim_end_matches('+').to_owned(), Said { named: word.ends_with('+'), apart: true });
        Vocabulary::of(words.split_whitespace().map(named).collect())
    }

    #[test]
    fn srch_5_one_letter_more_less_other_or_swapped_is_near() {
        let held = of("forecast file issue bzqissue größer ab");
        for typed in ["forcast", "orecast", "fforecast", "forecost", "xorecast", "froecast", "forecasts", "forecats"] {
            assert_eq!(held.near(typed, 9), ["forecast"], "{typed}");
        }
        for typed in ["forcat", "frecsat", "fo", "fill", "ac", ""] {
            assert!(held.near(typed, 9).iter().all(|found| *found == "file"), "{typed}");
        }
        assert_eq!(held.near("grösser", 9), Vec::<&str>::new());
        assert_eq!(held.near("grüßer", 9), ["größer"]);
    }

    #[test]
    fn srch_5_a_word_of_a_name_is_preferred_to_others() {
        assert_eq!(of("issue+ tissue").near("issuee", 9), ["issue"]);
        assert_eq!(of("abcde abcdf").near("abcdx", 9), ["abcde", "abcdf"]);
    }

    #[test]
    fn srch_6_a_better_word_is_one_of_a_name_and_not_far() {
        let held = of("repository+ deployment+ issue+ repositoire forecast2+");
        assert_eq!(held.better("repositry"), Some("repository"));
        assert_eq!(held.better("deploimant"), Some("deployment"));
        assert_eq!(held.better("issys"), None, "two of five letters");
        assert_eq!(held.better("forecast"), None);
        assert_eq!(held.better("zebra"), None);
    }

    #[test]
    fn srch_5_a_word_of_two_is_halved() {
        let held = of("pull request web fetch rechnung liste s we");
        assert_eq!(held.halves("pullrequest"), Some(["pull", "request"]));
        assert_eq!(held.halves("rechnungsliste"), Some(["rechnung", "liste"]));
        assert_eq!(held.halves("wefetch"), None);
        assert_eq!(held.halves("pullx"), None);
    }

    #[test]
    fn srch_5_umlauts_are_found_in_either_spelling() {
        let held = of("loeschen prufen uberfallige");
        assert_eq!(held.respelt("loschen"), ["loeschen"]);
        assert_eq!(held.respelt("pruefen"), ["prufen"]);
        assert_eq!(held.respelt("ueberfaellige"), ["uberfallige"]);
        assert!(held.respelt("prufen").is_empty());
    }

    #[test]
    fn srch_5_kin_begin_or_end_alike() {
        let held = of("rechnung rechnungsliste файл ubersetzt 文件 附件 文字 list scope internet");
        assert_eq!(held.kin("rechnungen", 9), ["rechnung"]);
        assert_eq!(held.kin("liste", 9), ["list", "rechnungsliste"]);
        assert_eq!(held.kin("файлов", 9), ["файл"]);
        assert_eq!(held.kin("ubersetzung", 9), ["ubersetzt"]);
        assert_eq!(held.kin("件", 9), ["文件", "附件"]);
        assert_eq!(held.kin("件", 1), ["文件"]);
        assert!(held.kin("telescope", 9).is_empty());
        assert!(held.kin("international", 9).is_empty());
    }
}
