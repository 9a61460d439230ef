//! What words mean, as vectors: a static table, distilled offline from a transformer.
//!
//! Is: a vector for each text, by adding up the rows of its words; no network, no state, the same bytes every time. Is not:
//! a ranking; `search` decides what nearness is worth. How the table was made, from what and under which licence, and how to
//! make it again is in `table/README.md`. Clause: SRCH-5 (quality).

mod rows;

use rows::Rows;
use std::sync::LazyLock;

static ROWS: LazyLock<Rows> = LazyLock::new(|| Rows::read(include_bytes!("../table/table.bin")));

/// A direction in the table's space: parts from -127 to 127, and what one step of them is, so that its length is 1.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Vector {
    pub(crate) parts: Vec<i8>,
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
    /// The parts as a product takes them.
    pub(crate) fn wide(&self) -> Vec<i16> {
        self.parts.iter().copied().map(i16::from).collect()
    }

    /// The cosine between two directions, from -1 to 1.
    #[allow(clippy::cast_precision_loss)]
    pub(crate) fn nearness(&self, to: &Self) -> f32 {
        product(&self.parts, &to.wide()) as f32 * self.step * to.step
    }
}

/// The number of parts of a vector.
pub(crate) fn dimensions() -> usize {
    ROWS.dimensions
}

/// The vector of folded words, each with what it counts; nothing where the table knows no part of any.
pub(crate) fn embed<'a>(words: impl IntoIterator<Item = (&'a str, f32)>) -> Option<Vector> {
    let rows = &*ROWS;
    let mut sum = vec![0.0f32; rows.dimensions];
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
    let parts = sum.iter().map(|part| (part / most * 127.0).round() as i8).collect();
    Some(Vector { parts, step: most / 127.0 / length })
}

/// The sum of the products of parts, which times both steps is the cosine; exact in any order. It can't wrap, being below 2^31
/// up to a hundred thousand dimensions; said so, and in pieces of one length, it becomes vector instructions.
pub(crate) fn product(a: &[i8], b: &[i16]) -> i32 {
    fn sum(a: &[i8], b: &[i16]) -> i32 {
        a.iter().zip(b).fold(0, |sum: i32, (a, b)| sum.wrapping_add(i32::from(*a).wrapping_mul(i32::from(*b))))
    }
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<AT_ONCE>(), b.as_chunks::<AT_ONCE>());
    a.iter().zip(b).fold(sum(a_rest, b_rest), |all, (a, b)| all.wrapping_add(sum(a, b)))
}

/// Parts that are multiplied at once.
const AT_ONCE: usize = 32;

#[cfg(test)]
mod tests;
