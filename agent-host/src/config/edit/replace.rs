//! A configuration replaced only where it still holds what was read. Two of us take turns by a lock on the folder.

use rustix::fs::{FlockOperation, flock};
use std::fs::{DirBuilder, File};
use std::io::{self, ErrorKind};
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

/// Replaces a file that still holds what was read (`before`: text and mode), or begins one that is still not there.
pub(super) fn replace(path: &Path, before: Option<&(String, u32)>, text: &str) -> io::Result<()> {
    let folder = path.parent().ok_or(ErrorKind::InvalidFilename)?;
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let lock = File::open(folder)?;
    flock(&lock, FlockOperation::LockExclusive)?;
    let now = match std::fs::read_to_string(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        now => Some(now?),
    };
    if now.as_ref() != before.map(|(text, _)| text) {
        return Err(io::Error::other("it was changed meanwhile"));
    }
    crate::replace::replace(path, text.as_bytes(), before.map_or(0o600, |(_, mode)| *mode))
}
