//! How often a tool's own names find it first, as they are and with a letter wrong.
//!
//! Is: over a thousand tools at the most, spread evenly, and always the same. A name that several tools have counts for each of them.
//! Is not: chance; which letter is wrong, and how, follows from the tool's id.

use super::bench::Bench;
use agent_engine::catalog::Tool;
use std::ops::Range;

/// Tools that are tried.
const TRIED: usize = 1000;
/// Letters of a word that is mistyped, at least.
const LETTERS: usize = 5;

/// Shares of the tools tried that come first.
#[derive(Clone, Copy)]
pub(crate) struct Names {
    pub(crate) id: f64,
    pub(crate) name: f64,
    pub(crate) wire: f64,
    /// Of those whose name has a word that is long enough.
    pub(crate) typo: f64,
}

impl Names {
    pub(crate) async fn of(bench: &Bench) -> anyhow::Result<Self> {
        let tools = bench.snapshot().tools();
        let sample: Vec<_> = tools.iter().step_by(tools.len().div_ceil(TRIED).max(1)).collect();
        let [mut id, mut name, mut wire, mut typo] = [Share::default(); 4];
        for tool in sample {
            let own = &tool.descriptor.id;
            let itself = |hit: &Tool| hit.descriptor.id == *own;
            let named = |hit: &Tool| hit.descriptor.id.name() == own.name();
            id.add(first(bench, own.as_str(), itself).await?);
            wire.add(first(bench, tool.descriptor.wire.as_str(), itself).await?);
            name.add(first(bench, own.name(), named).await?);
            if let Some(wrong) = mistyped(own.name(), scattered(own.as_str())) {
                typo.add(first(bench, &wrong, named).await?);
            }
        }
        Ok(Self { id: id.share(), name: name.share(), wire: wire.share(), typo: typo.share() })
    }
}

async fn first(bench: &Bench, query: &str, right: impl Fn(&Tool) -> bool) -> anyhow::Result<bool> {
    Ok(bench.hits(query).await?.first().is_some_and(|hit| right(hit)))
}

/// How many of how many.
#[derive(Clone, Copy, Default)]
pub(crate) struct Share {
    pub(crate) some: u32,
    pub(crate) all: u32,
}

impl Share {
    pub(crate) fn add(&mut self, is: bool) {
        self.some += u32::from(is);
        self.all += 1;
    }

    /// 0 to 1; not a number of none.
    pub(crate) fn share(self) -> f64 {
        f64::from(self.some) / f64::from(self.all)
    }
}

/// A number that says nothing of the text, the same on every machine (FNV-1a).
pub(crate) fn scattered(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// The name with one letter of one word swapped with the next, lost, another, or added; none where no word is long enough.
/// A word's first letter is left alone, as people seldom get that wrong.
fn mistyped(name: &str, choice: u64) -> Option<String> {
    let letters: Vec<char> = name.chars().collect();
    let long: Vec<_> = words(&letters).into_iter().filter(|word| word.len() >= LETTERS).collect();
    let mut digits = Digits(choice);
    let word = long.get(digits.next(long.len())?)?;
    let place = word.start + 1 + digits.next(word.len() - 2)?;
    let (at, after) = (*letters.get(place)?, *letters.get(place + 1)?);
    let other = (b'a' + u8::try_from(digits.next(26)?).ok()?) as char;
    let other = if other == at.to_ascii_lowercase() { 'q' } else { other };
    let instead: Vec<char> = match digits.next(4)? {
        0 if at != after => vec![after, at],
        0 | 1 => vec![after],
        2 => vec![other, after],
        _ => vec![at, other, after],
    };
    let mut wrong = letters;
    wrong.splice(place..place + 2, instead);
    Some(wrong.into_iter().collect())
}

/// The words of a name: runs of plain letters of which the first alone may be a capital, or all are.
fn words(letters: &[char]) -> Vec<Range<usize>> {
    let mut out: Vec<Range<usize>> = Vec::new();
    for (place, letter) in letters.iter().enumerate().filter(|(_, letter)| letter.is_ascii_alphabetic()) {
        let before = place.checked_sub(1).and_then(|before| letters.get(before)).filter(|before| before.is_ascii_alphabetic());
        match (before, out.last_mut()) {
            (Some(before), Some(word)) if !(before.is_ascii_lowercase() && letter.is_ascii_uppercase()) => word.end = place + 1,
            _ => out.push(place..place + 1),
        }
    }
    out
}

/// A number taken apart.
struct Digits(u64);

impl Digits {
    /// The next digit, less than `base`; none where there is nothing to choose.
    fn next(&mut self, base: usize) -> Option<usize> {
        let base = u64::try_from(base).ok().filter(|base| *base > 0)?;
        let digit = self.0 % base;
        self.0 /= base;
        usize::try_from(digit).ok()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn one_letter_of_a_long_word_is_wrong() {
        assert_eq!(mistyped("get_url", 7), None);
        for choice in (0..4000).map(|count| scattered(&format!("{count}"))) {
            let wrong = mistyped("getWeatherForecast_v2", choice).unwrap();
            let (rest, whole) = (wrong.replace("getWeather", ""), wrong.replace("Forecast_v2", ""));
            assert!(rest.len() < wrong.len() || whole.len() < wrong.len(), "{wrong}: one word is as it was");
            assert!(wrong != "getWeatherForecast_v2" && wrong.len().abs_diff(21) < 2, "{wrong}");
            assert!(wrong.starts_with("getW") && wrong.ends_with("_v2"), "{wrong}");
        }
    }
}
