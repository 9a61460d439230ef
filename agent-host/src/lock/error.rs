//! Why a lock file is not taken, and what to do about it.

use std::fmt;
use std::path::{Path, PathBuf};

/// What helps against whatever is wrong inside the file: it can always be made anew.
const ANEW: &str = "a bad merge? `agent-host sync` writes it anew";

/// Why a lock file is not taken. Nothing of it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LockError {
    path: PathBuf,
    line: Option<usize>,
    what: String,
    hint: String,
}

impl LockError {
    /// About the file as a whole.
    pub(super) fn whole(path: &Path, what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line: None, what: what.into(), hint: hint.into() }
    }

    /// About one line of it.
    pub(super) fn at(path: &Path, line: usize, what: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line: Some(line), what: what.into(), hint: ANEW.to_owned() }
    }

    /// The line of the trouble, from 1.
    #[must_use]
    pub const fn line(&self) -> Option<usize> {
        self.line
    }
}

impl fmt::Display for LockError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path.display())?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        write!(f, ": {}\nhint: {}", self.what, self.hint)
    }
}

impl std::error::Error for LockError {}
