//! A file replaced as a whole: it holds what it held, or what it shall hold, also after a crash.
//!
//! Is: a new file beside it, synced, then renamed over it. Two of us take turns by a lock on the folder.

use rustix::fs::{FlockOperation, flock};
use std::fs::{DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

/// Replaces a file that still holds what was read (`before`: text and mode), or begins one that is still not there.
pub(super) fn replace(path: &Path, before: Option<&(String, u32)>, text: &str) -> io::Result<()> {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return Err(ErrorKind::InvalidFilename.into()) };
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
    let beside = folder.join(format!(".{}.{}.new", name.to_string_lossy(), std::process::id()));
    let put = || {
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&beside)?;
        file.write_all(text.as_bytes())?;
        file.set_permissions(Permissions::from_mode(before.map_or(0o600, |(_, mode)| *mode)))?;
        file.sync_all()?;
        std::fs::rename(&beside, path)
    };
    put().inspect_err(|_| drop(std::fs::remove_file(&beside)))?;
    lock.sync_all()
}
