//! One server as the file has it: how it is started, and what the operator says of its tools.
//!
//! Is not: a process. Clauses: UP-2 (the one file), SAFE-1.

use super::Length;
use agent_core::effect::{Capability, Declared, Effect};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// A server that is started as a child process and speaks MCP over its standard input and output.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Server {
    /// The program, by name or path.
    pub command: String,
    /// Its arguments; no shell reads them.
    #[serde(default)]
    pub args: Vec<String>,
    /// Its whole environment, besides `PATH` and `HOME`.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// The folder it runs in.
    pub cwd: Option<PathBuf>,
    /// Whether its annotations may narrow what is assumed of its tools.
    #[serde(default)]
    pub trust: bool,
    /// What its tools can change.
    pub effect: Option<Effect>,
    /// The legs of the trifecta that its tools have.
    pub capabilities: Option<BTreeSet<Capability>>,
    /// Whether a call that may have happened can be sent again.
    #[serde(default)]
    pub repeatable: bool,
    /// Words by which its tools are found.
    #[serde(default)]
    pub tags: Vec<String>,
    /// What it is for, by which its tools are found.
    #[serde(default)]
    pub description: String,
    /// How long a call of it may take.
    pub timeout: Option<Length>,
    /// Whether it is started at all.
    #[serde(default = "yes")]
    pub enabled: bool,
}

const fn yes() -> bool {
    true
}

impl Server {
    /// What the operator declares of its tools.
    #[must_use]
    pub fn declared(&self) -> Declared {
        Declared { trust: self.trust, effect: self.effect, capabilities: self.capabilities.clone(), repeatable: self.repeatable }
    }

    /// With its paths taken from the file's folder.
    pub(super) fn resolved(mut self, folder: &Path) -> Self {
        let absolute = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
        if self.command.contains('/') {
            self.command = absolute.join(&self.command).to_string_lossy().into_owned();
        }
        self.cwd = self.cwd.map(|cwd| absolute.join(cwd));
        self
    }
}
