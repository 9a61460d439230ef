//! How a command failed: what a person reads, and the code that a program reads.

use crate::config::ConfigError;
use crate::lock::LockError;
use crate::store::StoreError;
use std::path::PathBuf;

/// The exit codes, their documentation and the help's list of them.
macro_rules! exits {
    ($(#[doc = $meaning:literal] $name:ident = $code:literal,)*) => {
        /// How a command failed. One that did what it was told ends with 0.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[repr(u8)]
        pub enum Exit {
            $(#[doc = $meaning] $name = $code,)*
        }

        impl Exit {
            /// For the end of a help.
            pub(super) const HELP: &str = concat!("Exit codes:\n  0  Done.", $("\n  ", $code, " ", $meaning,)*);
        }
    };
}

exits! {
    /// It could not; standard error says why.
    Failed = 1,
    /// The command line or the configuration is wrong.
    Usage = 2,
    /// `audit verify`: the chain is broken.
    Broken = 3,
    /// There was nothing to take back, to answer, to accept, to reload or to show.
    Nothing = 4,
    /// Another host runs on the state folder.
    InUse = 5,
    /// `sync --check`, `diff --exit-code`, `--expect`, `policy test`: something is not as expected.
    Moved = 6,
    /// `approve`, `deny`, `accept`: nothing was decided.
    Undecided = 7,
    /// `approve`: a rule demands a stronger answer; nothing was decided.
    TooWeak = 8,
}

/// Why a command did not do what it was told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// Its exit code.
    pub exit: Exit,
    /// What a person reads, hint included.
    pub text: String,
    /// The file that is to be mended, where it is a configuration's.
    pub file: Option<PathBuf>,
}

impl Failure {
    pub(crate) fn new(exit: Exit, text: impl Into<String>) -> Self {
        Self { exit, text: text.into(), file: None }
    }
}

impl From<LockError> for Failure {
    fn from(error: LockError) -> Self {
        Self::new(Exit::Usage, error.to_string())
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        let exit = if matches!(error, StoreError::Locked { .. }) { Exit::InUse } else { Exit::Failed };
        Self::new(exit, error.to_string())
    }
}

impl From<ConfigError> for Failure {
    fn from(error: ConfigError) -> Self {
        Self { file: error.file(), ..Self::new(Exit::Usage, error.to_string()) }
    }
}
