//! How likely it is that a hit does what was asked for.
//!
//! Is: a logistic function of the root of how much of the query's words a tool holds and how near its meaning is, in numbers that mean the
//! same in every catalog. Fitted on development sets against queries that no tool answers; `docs/src/search.md` has the
//! curve and the command that draws it. Is not: a rank. Clause: SRCH-6.

const WORDS: f32 = 5.38;
const MEANING: f32 = 6.64;
const NONE: f32 = -4.84;

/// Below this nothing is found: of the right tools on the development sets fewer than one in a hundred lie there.
pub(super) const FLOOR: f32 = -2.07;
/// Below this a first hit is marked as a weak one, in thousandths: one in twenty.
pub(super) const LOW: u16 = 268;

/// The logit, of the share of a query's words' worth that a tool has, and its nearness.
pub(super) fn of(words: f32, near: f32) -> f32 {
    WORDS * words.sqrt() + (MEANING * if near > 0.0 { near } else { 0.0 } + NONE)
}

/// The likelihood of a logit.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
pub(super) fn thousandths(logit: f32) -> u16 {
    (1000.0 / (1.0 + (-logit).exp())).round() as u16
}
