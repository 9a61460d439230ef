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

/// The sum of the products of parts, which times both steps is the cosine; exact in any order.
pub(crate) fn product(a: &[i8], b: &[i8]) -> i32 {
    a.iter().zip(b).map(|(a, b)| i32::from(i16::from(*a) * i16::from(*b))).sum()
}
