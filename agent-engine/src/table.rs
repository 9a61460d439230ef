//! What words mean, as vectors: a static table, distilled offline from a transformer.
//!
//! Is: a vector for each text, by adding up the rows of its words; no network, no state, the same bytes every time. Is not:
//! a ranking; `search` decides what nearness is worth. How the table was made, from what and under which licence, and how to
//! make it again is in `table/README.md`. Clause: SRCH-5 (quality).

mod rows;

use rows::Rows;
use std::sync::LazyLock;

static ROWS: LazyLock<Rows> = LazyLock::new(|| Rows::read(include_bytes!("../table/table.bin")));

/// Numbers of a row.
pub(crate) const DIMENSIONS: usize = 128;

/// A direction's parts, from -127 to 127; as wide as products take them.
pub(crate) type Parts = [i16; DIMENSIONS];

/// A direction in the table's space: parts, and what one step of them is, so that its length is 1.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Vector {
    pub(crate) parts: Parts,
    pub(crate) step: f32,
}

/// Whether the table has a word as it is, folded: it is spelt right.
pub(crate) fn knows(word: &str) -> bool {
    ROWS.knows(word)
}

/// Whether a word says nothing of its own, as `wie` or `aber` do.
pub(crate) fn empty(word: &str) -> bool {
    ROWS.empty(word)
}

/// Whether a word comes as a pair of letters, of a script without spaces: Chinese, Japanese, Korean.
pub(crate) fn paired(word: &str) -> bool {
    word.starts_with(|letter| letter >= '\u{3040}')
}

impl Vector {
    /// The cosine between two directions, from -1 to 1.
    #[allow(clippy::cast_precision_loss)]
    pub(crate) fn nearness(&self, to: &Self) -> f32 {
        product(&self.parts, &to.parts) as f32 * self.step * to.step
    }
}

/// The vector of folded words, each with what it counts; nothing where the table knows no part of any.
pub(crate) fn embed<'a>(words: impl IntoIterator<Item = (&'a str, f32)>) -> Option<Vector> {
    let rows = &*ROWS;
    let mut sum = [0.0f32; DIMENSIONS];
    for (word, weight) in words {
        for row in rows.pieces(word) {
            rows.add(row, weight, &mut sum);
        }
    }
    let length = sum.iter().map(|part| part * part).sum::<f32>().sqrt();
    let most = sum.iter().fold(0.0f32, |most, part| most.max(part.abs()));
    if most == 0.0 {
        return None;
    }
    #[allow(clippy::cast_possible_truncation)]
    let parts = sum.map(|part| (part / most * 127.0).round() as i16);
    Some(Vector { parts, step: most / 127.0 / length })
}

/// The sum of the products of parts, which times both steps is the cosine; exact in any order. It can't wrap, being below 2^31
/// up to a hundred thousand dimensions. Said so, in lanes, with nothing that a compiler must inline first and by itself, it becomes the
/// one instruction that there is for it; as a sum over iterators it took three times as long.
#[inline(never)]
#[allow(clippy::indexing_slicing)]
pub(crate) fn product(a: &Parts, b: &Parts) -> i32 {
    let mut sums = [0i32; LANES];
    let mut at = 0;
    while at < DIMENSIONS {
        let mut lane = 0;
        while lane < LANES {
            sums[lane] = sums[lane].wrapping_add(i32::from(a[at + lane]).wrapping_mul(i32::from(b[at + lane])));
            lane += 1;
        }
        at += LANES;
    }
    let [a, b, c, d, e, f, g, h] = sums;
    [b, c, d, e, f, g, h].into_iter().fold(a, i32::wrapping_add)
}

/// Parts that are multiplied at once; a row is a multiple of them.
const LANES: usize = 8;

#[cfg(test)]
mod tests;
