//! Words and meaning brought together.
//!
//! Is: each brought to its best, then a weighed sum; it did better than reciprocal ranks on nearly every set. Is not: a
//! change of order among equals; points are whole numbers, and ties go by id.

/// What meaning is worth beside words (`table/README.md`).
const MEANING: f32 = 0.5;
/// Points of the best in both.
const POINTS: f32 = 1_000_000.0;

/// What one of each is worth, in points.
pub(super) struct Shares {
    words: f32,
    meaning: f32,
}

impl Shares {
    /// Given the most that any tool has of each.
    pub(super) fn of(words: f32, near: f32) -> Self {
        let meaning = match () {
            () if near <= 0.0 => 0.0,
            () if words <= 0.0 => 1.0,
            () => MEANING,
        };
        let per = |share: f32, most: f32| if most > 0.0 { share * POINTS / most } else { 0.0 };
        Self { words: per(1.0 - meaning, words), meaning: per(meaning, near) }
    }

    /// A tool's points: by its words, and by its meaning. Who holds any word has one at least.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    pub(super) fn points(&self, words: f32, near: f32) -> (u32, u32) {
        let by_words = (words * self.words) as u32 + u32::from(words > 0.0);
        (by_words, (near.max(0.0) * self.meaning) as u32)
    }
}
