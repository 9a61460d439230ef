//! What is wrong with a configuration file, where, and what to do about it.
//!
//! Is not: an error of anything that runs. Neighbours: `config` makes them, `cli` prints them.

use std::fmt;
use std::path::{Path, PathBuf};

/// Why a configuration is not taken. Nothing of it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigError {
    path: PathBuf,
    place: Option<(usize, usize)>,
    what: String,
    hint: String,
}

impl ConfigError {
    /// About the file as a whole.
    #[must_use]
    pub fn whole(path: &Path, what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { path: path.to_owned(), place: None, what: what.into(), hint: hint.into() }
    }

    /// About one place in its text.
    pub(super) fn at(path: &Path, text: &str, offset: usize, what: impl Into<String>, hint: impl Into<String>) -> Self {
        let before = text.get(..offset).unwrap_or(text);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        Self { path: path.to_owned(), place: Some((line, column)), what: what.into(), hint: hint.into() }
    }

    /// From the reader of TOML.
    pub(super) fn of_toml(path: &Path, text: &str, error: &toml::de::Error) -> Self {
        let what = error.message().trim().replace('\n', ", ");
        let hint = if what.starts_with("unknown field") || what.starts_with("unknown variant") {
            "a key or a word that isn't known is never skipped; correct or remove it"
        } else if what.starts_with("missing field") {
            "add the key to this table"
        } else {
            "correct this line"
        };
        match error.span() {
            Some(span) => Self::at(path, text, span.start, what, hint),
            None => Self::whole(path, what, hint),
        }
    }

    /// Line and column of the trouble, from 1.
    #[must_use]
    pub const fn place(&self) -> Option<(usize, usize)> {
        self.place
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path.display())?;
        if let Some((line, column)) = self.place {
            write!(f, ":{line}:{column}")?;
        }
        write!(f, ": {}\nhint: {}", self.what, self.hint)
    }
}

impl std::error::Error for ConfigError {}
