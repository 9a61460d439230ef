//! Why a store can't be used, and what to do about it.
//!
//! Is not: why a commit was not acknowledged, which is the engine's `CommitError`. Clause: STO-1.

use std::path::PathBuf;

/// Why a store can't be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The folder or a file of it can't be used.
    #[error("`{}` can't be used: {why}", .path.display())]
    Unusable {
        /// Which.
        path: PathBuf,
        /// What the system says.
        why: std::io::Error,
    },
    /// Others may enter the folder or read a file of it.
    #[error("`{}` is open to others (mode {mode:03o})\nhint: `chmod {} {}`", .path.display(), .wanted, .path.display())]
    Open {
        /// Which.
        path: PathBuf,
        /// Its permission bits.
        mode: u32,
        /// What `chmod` is to be given.
        wanted: &'static str,
    },
    /// It belongs to somebody else.
    #[error("`{}` belongs to user {owner}, not to user {us} who runs this\nhint: name a state folder of your own", .path.display())]
    Foreign {
        /// Which.
        path: PathBuf,
        /// Its owner's number.
        owner: u32,
        /// Ours.
        us: u32,
    },
    /// It is a link or another thing that is not what belongs there.
    #[error("`{}` is not a plain {wanted}\nhint: move it away, or name another state folder", .path.display())]
    Kind {
        /// Which.
        path: PathBuf,
        /// What belongs there.
        wanted: &'static str,
    },
    /// Another process writes to this store.
    #[error("the store in `{}` is in use{}\nhint: stop that process, or name another state folder", .folder.display(), by(*.pid))]
    Locked {
        /// The state folder.
        folder: PathBuf,
        /// The process that holds it, where it said so.
        pid: Option<u32>,
    },
    /// No store is there to be read.
    #[error("no store in `{}`: no host ran on it yet\nhint: the first client that starts `agent-host serve` makes it; `--state DIR` names another folder", .0.display())]
    Missing(PathBuf),
    /// A newer program wrote it.
    #[error("the store is of form {found}, and this program knows forms up to {known}\nhint: use the newer program that wrote it")]
    Newer {
        /// The form found.
        found: i64,
        /// The newest one known.
        known: i64,
    },
    /// Its chain does not end where its head says.
    #[error("the store is damaged: {0}\nhint: `agent-host audit verify` says where")]
    Damaged(String),
    /// SQLite can't do what it was asked.
    #[error("the store can't be used: {0}")]
    Sqlite(String),
}

fn by(pid: Option<u32>) -> String {
    pid.map(|pid| format!(" by process {pid}")).unwrap_or_default()
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error.to_string())
    }
}
