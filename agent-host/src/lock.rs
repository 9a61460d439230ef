//! `agent-host.lock`: what every server said, made for review and version control.
//!
//! Is: one JSON file beside the configuration, the same bytes for the same words, so that a fresh start needs no server.
//! Is not: permission; what a person accepted are pins in the store, and a line changed here, with its digest, is only another definition.
//! Clauses: CAT-7 (lock, sync), CAT-3 (the digest beside each definition). Invariants: I-3, I-6.
//! Neighbours: `upstream` lists, `cli` syncs and compares, `app` serves from it.

mod error;
mod form;
mod parse;
mod print;

#[cfg(test)]
mod tests;

pub use error::LockError;
pub(crate) use print::seen;

use crate::config::{self, Config};
use crate::replace::replace;
use crate::upstream::{Listed, source};
use agent_core::canon::Node;
use agent_core::digest::{Digest, Domain};
use agent_core::id::Alias;
use agent_core::limits::{DEFINITION_DEPTH, DEFINITION_NODES};
use agent_engine::catalog::{Snapshot, assemble_named};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Its name, beside the configuration.
const NAME: &str = "agent-host.lock";
/// Bytes of it that one server's tools may take.
const SERVER_BYTES: usize = 96 * 1024 * 1024;
/// Bytes of a lock file that is read.
const FILE_BYTES: u64 = 256 * 1024 * 1024;

/// What each server said when it was last asked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lock {
    /// By the operator's alias. Definitions are compact, by name, then by digest.
    pub servers: BTreeMap<Alias, Listed>,
}

impl Lock {
    /// Where the lock of a configuration is.
    #[must_use]
    pub fn path(config: &Config) -> PathBuf {
        config.path.with_file_name(NAME)
    }

    /// Reads a file. One that is not there holds nothing.
    ///
    /// # Errors
    /// [`LockError`] names the line and what to do: not JSON, of another version, a definition that is not the one of its
    /// digest, or something that a reviewer could overlook.
    pub fn read(path: &Path) -> Result<Self, LockError> {
        let unreadable = |error: io::Error| LockError::whole(path, format!("can't be read: {error}"), "see who owns it");
        if std::fs::metadata(path).is_ok_and(|meta| !meta.is_file()) {
            return Err(LockError::whole(path, "it is no file", "move away what lies there"));
        }
        let file = match File::open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            opened => opened.map_err(unreadable)?,
        };
        let mut bytes = Vec::new();
        file.take(FILE_BYTES + 1).read_to_end(&mut bytes).map_err(unreadable)?;
        if bytes.len() as u64 > FILE_BYTES {
            return Err(LockError::whole(path, format!("larger than {FILE_BYTES} bytes"), "disable servers, then run `agent-host sync`"));
        }
        Self::parse(path, &bytes)
    }

    /// Reads bytes as if they stood in `path`.
    ///
    /// # Errors
    /// As [`Lock::read`].
    pub fn parse(path: &Path, bytes: &[u8]) -> Result<Self, LockError> {
        let text = std::str::from_utf8(bytes).map_err(|error| {
            let line = bytes.iter().take(error.valid_up_to()).filter(|byte| **byte == b'\n').count() + 1;
            LockError::at(path, line, "not UTF-8")
        })?;
        parse::lock(path, text)
    }

    /// The text of the file, which ends with a line feed. A definition that can't be read as JSON within the bounds of one
    /// stands among what was refused.
    #[must_use]
    pub fn text(&self) -> String {
        print::lock(self)
    }

    /// Why a server's tools don't go into a file, where they don't: one must not fill it for all others.
    #[must_use]
    pub fn too_much(listed: &Listed) -> Option<String> {
        (print::at_most(listed) > SERVER_BYTES).then(|| format!("its tools could take more than {SERVER_BYTES} bytes of the lock file"))
    }

    /// Writes the file in one step: who reads it meanwhile finds the old one or the new one, whole. Returns whether it
    /// changed; the same bytes are not written again.
    ///
    /// # Errors
    /// What the system says; the old file stands then.
    pub fn write(&self, path: &Path) -> Result<bool, LockError> {
        let text = self.text();
        let unwritable = |error: io::Error| LockError::whole(path, format!("can't be written: {error}"), "see who owns its folder");
        if text.len() as u64 > FILE_BYTES {
            let what = format!("it would be larger than {FILE_BYTES} bytes");
            return Err(LockError::whole(path, what, "disable servers that list too much"));
        }
        if std::fs::read(path).is_ok_and(|found| found == text.as_bytes()) {
            return Ok(false);
        }
        // What a link leads to is replaced only where it is a lock file.
        if path.is_symlink() && Self::read(path).is_err() {
            return Err(LockError::whole(path, "it leads to something that is no lock file", "see where the link leads"));
        }
        let target = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let mode = std::fs::metadata(&target).map_or(0o644, |meta| meta.permissions().mode() & 0o777);
        replace(&target, text.as_bytes(), mode).map_err(unwritable)?;
        Ok(true)
    }

    /// The catalog of a configuration's enabled servers as they are known, not yet published.
    #[must_use]
    pub fn catalog(&self, config: &Config) -> Snapshot {
        let enabled = config.servers.iter().filter(|(_, settings)| settings.enabled);
        let source = |(alias, settings): (&Alias, &config::Server)| source(alias, settings, self.servers.get(alias));
        assemble_named(&enabled.map(source).collect::<Vec<_>>(), &config.names, config.tools)
    }

    /// Every definition of a server by its digest. None where the server is not known.
    #[must_use]
    pub fn definitions(&self, server: &Alias) -> BTreeMap<Digest, &str> {
        let all = self.servers.get(server).into_iter().flat_map(|listed| &listed.definitions);
        let digested = |raw: &'_ String| Node::parse(raw, DEFINITION_DEPTH, DEFINITION_NODES).ok().map(|node| digest(&node));
        all.filter_map(|raw| Some((digested(raw)?, raw.as_str()))).collect()
    }
}

/// The digest by which a definition is granted and pinned.
fn digest(definition: &Node) -> Digest {
    Digest::of(Domain::Definition, &definition.canonical())
}
