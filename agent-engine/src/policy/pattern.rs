//! The operator's patterns over ids: exact bytes, and `*` for any run of them.
//!
//! Is not: anything a model's string is ever read as (ID-1, POL-1).

use agent_core::limits::ID_BYTES;
use serde::{Deserialize, Serialize};

/// A pattern over whole ids: `*` alone, or a namespace such as `mcp:` and what follows, in which `*` is any run of bytes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(extend("pattern" = r"^(\*$|mcp:|native:|ext:|agent:)", "maxLength" = ID_BYTES)))]
#[serde(try_from = "String", into = "String")]
pub struct Pattern(String);

/// A text is not a pattern.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a pattern is `*`, or `<namespace>:` and what follows, of at most {ID_BYTES} bytes")]
pub struct PatternError;

impl Pattern {
    /// Checks an operator's pattern: it names a namespace or is `*` alone, so that a slip doesn't match nothing silently.
    ///
    /// # Errors
    /// [`PatternError`].
    pub fn parse(text: &str) -> Result<Self, PatternError> {
        let named = ["mcp:", "native:", "ext:", "agent:"].iter().any(|namespace| text.starts_with(namespace));
        if (named || text == "*") && text.len() <= ID_BYTES { Ok(Self(text.to_owned())) } else { Err(PatternError) }
    }

    /// Whether the pattern covers the whole id.
    #[must_use]
    pub fn matches(&self, id: &str) -> bool {
        let mut parts = self.0.split('*');
        let Some(rest) = parts.next().and_then(|first| id.strip_prefix(first)) else { return false };
        let Some(last) = parts.next_back() else { return rest.is_empty() };
        let Some(mut rest) = rest.strip_suffix(last) else { return false };
        for part in parts {
            match rest.split_once(part) {
                Some((_, after)) => rest = after,
                None => return false,
            }
        }
        true
    }
}

impl TryFrom<String> for Pattern {
    type Error = PatternError;
    fn try_from(text: String) -> Result<Self, PatternError> {
        Self::parse(&text)
    }
}

impl From<Pattern> for String {
    fn from(pattern: Pattern) -> Self {
        pattern.0
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn pol_1_patterns_cover_whole_ids() {
        let matches = |pattern: &str, id: &str| Pattern::parse(pattern).unwrap().matches(id);
        assert!(matches("*", "mcp:a/b"));
        assert!(matches("mcp:a/*", "mcp:a/b") && !matches("mcp:a/*", "mcp:ab/c"));
        assert!(matches("mcp:*/read_*", "mcp:a/read_x") && !matches("mcp:*/read_*", "mcp:a/write"));
        assert!(matches("mcp:a/b", "mcp:a/b") && !matches("mcp:a/b", "mcp:a/bc") && !matches("mcp:a/b", "mcp:a/"));
        assert!(matches("mcp:a/*x*y", "mcp:a/xxyy") && !matches("mcp:a/*xy*xy", "mcp:a/xy"));
    }

    #[test]
    fn pol_1_slips_are_refused() {
        for text in ["", "github/*", "a*", "**"] {
            assert_eq!(Pattern::parse(text), Err(PatternError), "{text}");
        }
    }
}
