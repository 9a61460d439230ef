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
#[serde(untagged, expecting = "a variable is a text, `{ env = \"NAME\" }` or `{ file = \"PATH\" }`")]
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
}

/// What a file holds, without white space at its end: `{ file = "PATH" }`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct FromFile {
    /// The file's path.
    pub file: PathBuf,
}

impl Variable {
    /// Reads it.
    ///
    /// # Errors
    /// The text says what is missing and where it was looked for, and holds nothing secret.
    pub fn read(&self) -> Result<String, String> {
        match self {
            Self::Plain(value) => Ok(value.clone()),
            Self::Env(FromEnv { env }) => std::env::var(env).map_err(|_| format!("the variable `{env}` is not set")),
            Self::File(FromFile { file }) => {
                let unreadable = |error: std::io::Error| format!("`{}` can't be read: {error}", file.display());
                let meta = std::fs::metadata(file).map_err(unreadable)?;
                if !meta.is_file() {
                    return Err(format!("`{}` is no file", file.display()));
                }
                if meta.len() > FILE_BYTES {
                    return Err(format!("`{}` is larger than {FILE_BYTES} bytes", file.display()));
                }
                Ok(std::fs::read_to_string(file).map_err(unreadable)?.trim_end().to_owned())
            }
        }
    }

    pub(super) fn resolved(self, folder: &Path) -> Self {
        match self {
            Self::File(FromFile { file }) => Self::File(FromFile { file: folder.join(file) }),
            other => other,
        }
    }
}

impl fmt::Debug for Variable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Plain(_) => f.write_str("(hidden)"),
            Self::Env(FromEnv { env }) => write!(f, "(hidden, from the variable {env})"),
            Self::File(FromFile { file }) => write!(f, "(hidden, from {})", file.display()),
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
