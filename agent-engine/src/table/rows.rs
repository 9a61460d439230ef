//! The table's file, read in place.
//!
//! Little endian: `ahtable1`; rows and dimensions as 32 bits each; for each row one byte of length and a piece of a word,
//! sorted by its bytes; a 32-bit float for each row, what one step of its parts is; then the rows, a signed byte a part. A
//! piece that begins with `##` continues a word.

use super::{DIMENSIONS, paired};
use std::collections::HashMap;

/// What a piece begins with that continues a word.
const INNER: &str = "##";
/// Bytes of a piece, at the most.
const PIECE_BYTES: usize = 64;

/// The rows, by pieces of words.
pub(super) struct Rows {
    /// First pieces, and ones that continue a word without their mark.
    first: HashMap<&'static str, usize>,
    inner: HashMap<&'static str, usize>,
    steps: Vec<f32>,
    parts: &'static [u8],
}

impl Rows {
    /// Reads the file; a broken one, which a test would find, has no rows.
    pub(super) fn read(file: &'static [u8]) -> Self {
        let none = || Self { first: HashMap::new(), inner: HashMap::new(), steps: Vec::new(), parts: &[] };
        Self::parse(file).unwrap_or_else(none)
    }

    fn parse(file: &'static [u8]) -> Option<Self> {
        let mut rest = file.strip_prefix(b"ahtable1")?;
        let rows = usize::try_from(u32::from_le_bytes(take(&mut rest)?)).ok()?;
        let dimensions = usize::try_from(u32::from_le_bytes(take(&mut rest)?)).ok()?;
        let (mut first, mut inner) = (HashMap::new(), HashMap::new());
        for row in 0..rows {
            let [length] = take(&mut rest)?;
            let (piece, after) = rest.split_at_checked(usize::from(length))?;
            rest = after;
            let piece = std::str::from_utf8(piece).ok()?;
            match piece.strip_prefix(INNER).filter(|piece| !piece.is_empty()) {
                Some(piece) => inner.insert(piece, row),
                None => first.insert(piece, row),
            };
        }
        let steps = (0..rows).map(|_| take(&mut rest).map(f32::from_le_bytes)).collect::<Option<_>>()?;
        (dimensions == DIMENSIONS && rest.len() == rows * DIMENSIONS).then_some(Self { first, inner, steps, parts: rest })
    }

    /// Whether a word has a row of its own.
    pub(super) fn knows(&self, word: &str) -> bool {
        self.first.contains_key(word)
    }

    /// Whether a word says nothing of its own: it has an empty row, as stop words of other languages do.
    pub(super) fn empty(&self, word: &str) -> bool {
        self.first.get(word).is_some_and(|row| self.steps.get(*row) == Some(&0.0))
    }

    /// The rows of a word: its own, or those of the longest pieces from the left, letters that no piece has skipped. Words of
    /// scripts that have no spaces come in pairs of letters; these have a row or none.
    pub(super) fn pieces(&self, word: &str) -> impl Iterator<Item = usize> {
        let mut rest = if paired(word) && !self.knows(word) { "" } else { word };
        let mut begun = false;
        std::iter::from_fn(move || {
            while !rest.is_empty() {
                let known = if begun { &self.inner } else { &self.first };
                let ends = (1..=rest.len().min(PIECE_BYTES)).rev();
                let found = ends.filter_map(|end| rest.split_at_checked(end)).find_map(|(piece, after)| Some((known.get(piece)?, after)));
                begun = true;
                if let Some((row, after)) = found {
                    rest = after;
                    return Some(*row);
                }
                let mut letters = rest.chars();
                letters.next();
                rest = letters.as_str();
            }
            None
        })
    }

    /// Adds a row to a sum.
    pub(super) fn add(&self, row: usize, weight: f32, sum: &mut [f32]) {
        let parts = self.parts.get(row * DIMENSIONS..).unwrap_or_default();
        let step = weight * self.steps.get(row).copied().unwrap_or_default();
        for (sum, part) in sum.iter_mut().zip(parts) {
            *sum += step * f32::from(part.cast_signed());
        }
    }
}

fn take<const N: usize>(rest: &mut &'static [u8]) -> Option<[u8; N]> {
    let (taken, after) = rest.split_first_chunk::<N>()?;
    *rest = after;
    Some(*taken)
}
