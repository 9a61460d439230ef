//! A file replaced in one step.
//!
//! Is: a new file beside the old one, made durable, then renamed onto it. Is not: a lock; of two who replace at a time the
//! later one stays.

use std::fs::{File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;

/// Replaces what a path stands for, through links, and keeps its mode; a new file gets mode 0644 as the umask leaves it.
pub(super) fn file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let target = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let mode = std::fs::metadata(&target).ok().map(|meta| meta.permissions().mode() & 0o777);
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    let new = target.with_file_name(format!(".{name}.{}", std::process::id()));
    let done = write(&new, bytes, mode).and_then(|()| std::fs::rename(&new, &target));
    if done.is_err() {
        // Best effort: what went wrong first is told.
        drop(std::fs::remove_file(&new));
        return done;
    }
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(folder)?.sync_all()
}

fn write(path: &Path, bytes: &[u8], mode: Option<u32>) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o644).open(path)?;
    if let Some(mode) = mode {
        file.set_permissions(Permissions::from_mode(mode))?;
    }
    file.write_all(bytes)?;
    file.sync_all()
}
