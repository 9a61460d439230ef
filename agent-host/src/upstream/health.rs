//! How a server is, for whoever runs the host.
//!
//! Is: what `Upstreams` knows, in a form to print or to count. Is not: a probe; asking for it starts nothing. Clause: UP-10.

use super::backoff::seconds;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::time::Duration;

/// How one server is at this moment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "is", rename_all = "kebab-case")]
pub enum Health {
    /// It does not run, and nothing is held against it: it is started when it is needed.
    #[serde(rename = "not-started")]
    Unstarted,
    /// It runs.
    Running {
        /// Its processes: one, or one for each principal that uses it.
        processes: usize,
        /// Calls that are reserved or running on them.
        calls: usize,
    },
    /// It would not start, or ended soon after it was started.
    Failed {
        /// Why, and what it last said. Shown as it is; what strangers wrote in it was made visible.
        why: String,
        /// For how long it is left alone; zero where it is tried again at the next need.
        #[serde(rename = "retry_in_s", with = "whole_seconds")]
        #[cfg_attr(feature = "schema", schemars(with = "u64"))]
        retry_in: Duration,
    },
    /// It lacks a credential. Its tools stay in the catalog.
    NeedsLogin {
        /// What is missing, and where it was looked for.
        why: String,
        /// The operator's command by which a person gets it. Never run by the host.
        command: Option<String>,
    },
}

/// Rounded up, as it is told.
mod whole_seconds {
    use super::{Duration, seconds};
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(rest: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(seconds(*rest))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
        u64::deserialize(deserializer).map(Duration::from_secs)
    }
}

impl fmt::Display for Health {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unstarted => f.write_str("not started"),
            Self::Running { processes: 1, calls } => write!(f, "running, {calls} calls"),
            Self::Running { processes, calls } => write!(f, "running in {processes} processes, {calls} calls"),
            Self::Failed { why, retry_in: Duration::ZERO } => write!(f, "failed: {why}"),
            Self::Failed { why, retry_in } => write!(f, "failed: {why}; it is tried again in {}s", seconds(*retry_in)),
            Self::NeedsLogin { why, command: Some(command) } => write!(f, "needs login: run `{command}` ({why})"),
            Self::NeedsLogin { why, command: None } => write!(f, "needs login: {why}"),
        }
    }
}
