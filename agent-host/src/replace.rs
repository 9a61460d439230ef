//! A file replaced in one step: it holds what it held, or what it shall hold, also after a crash.
//!
//! Is: a new file beside it, made durable, renamed onto it. Is not: a lock; of two who replace at a time the later one stays.
//! Neighbours: `lock`, `config` and `admin` keep files by it.

use std::fs::{File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;

/// Puts bytes in place of a file, with a mode. A link is replaced, not followed.
pub(crate) fn replace(path: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    let name = path.file_name().ok_or(io::ErrorKind::InvalidFilename)?.to_string_lossy();
    let beside = path.with_file_name(format!(".{name}.{}.new", std::process::id()));
    let put = || {
        // What a process of the same number left there goes; a link is not followed.
        drop(std::fs::remove_file(&beside));
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&beside)?;
        file.write_all(bytes)?;
        file.set_permissions(Permissions::from_mode(mode))?;
        file.sync_all()?;
        std::fs::rename(&beside, path)
    };
    // Best effort: what went wrong first is told.
    put().inspect_err(|_| drop(std::fs::remove_file(&beside)))?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(folder)?.sync_all()
}
