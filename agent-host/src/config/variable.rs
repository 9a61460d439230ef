//! One variable of a server's environment: written in the file, or told where it is kept.
//!
//! Is not: ever printed; `Debug` and `Serialize` show where it is from, not what it is. Clauses: UP-2 (operator's files),
//! UP-10 (credentials).

use serde::{Deserialize, Serialize, Serializer};
use std::fmt;
use std::path::{Path, PathBuf};

/// Bytes of a credential's file.
const FILE_BYTES: u64 = 64 * 1024;

/// The value of a variable, or its place.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged, expecting = "a variable is a text, `{ env = \"NAME\" }` or `{ file = \"PATH\" }`, each with a `prefix` or none")]
pub enum Variable {
    /// The value itself.
    Plain(String),
    /// A variable of our own environment.
    Env(FromEnv),
    /// The content of a file, without white space at its end.
    File(FromFile),
}

/// A variable of the host's own environment: `{ env = "NAME" }`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct FromEnv {
    /// The variable's name.
    pub env: String,
    /// What stands before its value, such as `Bearer `; nothing secret.
    #[serde(default)]
    pub prefix: String,
}

/// What a file holds, without white space at its end: `{ file = "PATH" }`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct FromFile {
    /// The file's path.
    pub file: PathBuf,
    /// What stands before its content, such as `Bearer `; nothing secret.
    #[serde(default)]
    pub prefix: String,
}

impl Variable {
    /// A variable of our own environment, as it is.
    #[must_use]
    pub fn env(name: &str) -> Self {
        Self::Env(FromEnv { env: name.to_owned(), prefix: String::new() })
    }

    /// What a file holds, as it is.
    #[must_use]
    pub fn file(file: impl Into<PathBuf>) -> Self {
        Self::File(FromFile { file: file.into(), prefix: String::new() })
    }

    /// Reads it.
    ///
    /// # Errors
    /// The text says what is missing and where it was looked for, and holds nothing secret.
    pub fn read(&self) -> Result<String, String> {
        match self {
            Self::Plain(value) => Ok(value.clone()),
            Self::Env(FromEnv { env, prefix }) => match std::env::var(env) {
                Ok(value) => Ok(format!("{prefix}{value}")),
                Err(_) => Err(format!("the variable `{env}` is not set")),
            },
            Self::File(FromFile { file, prefix }) => {
                let unreadable = |error: std::io::Error| format!("`{}` can't be read: {error}", file.display());
                let meta = std::fs::metadata(file).map_err(unreadable)?;
                if !meta.is_file() {
                    return Err(format!("`{}` is no file", file.display()));
                }
                if meta.len() > FILE_BYTES {
                    return Err(format!("`{}` is larger than {FILE_BYTES} bytes", file.display()));
                }
                Ok(format!("{prefix}{}", std::fs::read_to_string(file).map_err(unreadable)?.trim_end()))
            }
        }
    }

    /// What of it stands in the configuration itself.
    pub(super) fn written(&self) -> &str {
        match self {
            Self::Plain(written) | Self::Env(FromEnv { prefix: written, .. }) | Self::File(FromFile { prefix: written, .. }) => written,
        }
    }

    pub(super) fn resolved(self, folder: &Path) -> Self {
        match self {
            Self::File(from) => Self::File(FromFile { file: folder.join(&from.file), ..from }),
            other => other,
        }
    }
}

impl fmt::Debug for Variable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Plain(_) => f.write_str("(hidden)"),
            Self::Env(from) => write!(f, "(hidden, from the variable {})", from.env),
            Self::File(from) => write!(f, "(hidden, from {})", from.file.display()),
        }
    }
}

impl Serialize for Variable {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(&format_args!("{self:?}"))
    }
}

impl From<&str> for Variable {
    fn from(value: &str) -> Self {
        Self::Plain(value.to_owned())
    }
}
