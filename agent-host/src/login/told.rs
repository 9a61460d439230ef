//! Why there is no token.
//!
//! Is: words, for a model as well: no server's own text is in them. What a server said is logged, made visible. Clause: UP-10.

use super::Login;
use std::fmt;

/// Why there is nothing to send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LoginError {
    /// A person has to log in.
    Needed {
        /// Why.
        why: String,
        /// The command by which they do.
        command: String,
    },
    /// It could not be found out, or renewed, just now; it is tried again at the next need.
    Failed {
        /// Why.
        why: String,
    },
}

impl LoginError {
    pub(super) fn needed(login: &Login, why: &str) -> Self {
        Self::needed_for(login, why, &[])
    }

    pub(super) fn needed_for(login: &Login, why: &str, scopes: &[String]) -> Self {
        Self::Needed { why: why.to_owned(), command: login.command(scopes) }
    }

    pub(super) fn failed(why: impl Into<String>) -> Self {
        Self::Failed { why: why.into() }
    }
}

impl fmt::Display for LoginError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Needed { why, command } => write!(f, "needs login: run `{command}` ({why})"),
            Self::Failed { why } => f.write_str(why),
        }
    }
}

impl std::error::Error for LoginError {}
