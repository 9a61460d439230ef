//! Regular expressions that a model wrote: their size is bounded, and one search takes time in proportion to the text. Many
//! searches in one text need not: each may go through all that is left of it, so whoever searches again looks at the time.

use crate::server::{Wrong, wrong};
use regex::{Regex, RegexBuilder};
use std::time::{Duration, Instant};

/// Bytes of a compiled expression.
const SIZE: usize = 1 << 20;

/// How long one call searches.
const TIME: Duration = Duration::from_secs(3);

/// The time that one call has.
pub(crate) struct Patience(Instant);

impl Patience {
    pub(crate) fn new() -> Self {
        Self(Instant::now())
    }

    pub(crate) fn is_over(&self) -> bool {
        self.0.elapsed() > TIME
    }

    /// # Errors
    /// The time is over.
    pub(crate) fn holds(&self) -> Result<(), Wrong> {
        if self.is_over() { wrong("that expression takes too long on that text; give a part of it, or a simpler one") } else { Ok(()) }
    }
}

/// An expression.
///
/// # Errors
/// Where it can't be read, or would be too large.
pub(crate) fn expression(pattern: &str, ignore_case: bool) -> Result<Regex, Wrong> {
    let built = RegexBuilder::new(pattern).case_insensitive(ignore_case).size_limit(SIZE).build();
    built.map_err(|error| Wrong(format!("that is no regular expression that can be used here: {error}")))
}
