//! Regular expressions that a model wrote: their size is bounded, and they take time in proportion to the text.

use crate::server::Wrong;
use regex::{Regex, RegexBuilder};

/// Bytes of a compiled expression.
const SIZE: usize = 1 << 20;

/// An expression.
///
/// # Errors
/// Where it can't be read, or would be too large.
pub(crate) fn expression(pattern: &str, ignore_case: bool) -> Result<Regex, Wrong> {
    let built = RegexBuilder::new(pattern).case_insensitive(ignore_case).size_limit(SIZE).build();
    built.map_err(|error| Wrong(format!("that is no regular expression that can be used here: {error}")))
}
