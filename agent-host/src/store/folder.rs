//! The state folder: who may use it, which process writes to it, and the marker that needs no room.
//!
//! Is: files and their modes. Is not: what the database holds. Clauses: AUD-1, STO-1.

use super::StoreError;
use parking_lot::Mutex;
use rustix::fs::{FlockOperation, flock};
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Read, Seek, Write};
use std::os::unix::fs::{DirBuilderExt, FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The database's name in a state folder.
pub(super) const DATABASE: &str = "ledger.sqlite";

/// How long a lock is waited for: longer than a command holds it that does its work without a host.
const PATIENCE: Duration = Duration::from_millis(300);
/// Between two tries.
const TRY: Duration = Duration::from_millis(10);

/// A folder that its owner alone may use.
pub(super) struct Folder(PathBuf);

fn unusable(path: &Path) -> impl FnOnce(io::Error) -> StoreError {
    let path = path.to_owned();
    move |why| StoreError::Unusable { path, why }
}

/// Refuses what is not ours alone.
fn private(path: &Path, meta: &std::fs::Metadata, wanted: &'static str) -> Result<(), StoreError> {
    let us = rustix::process::geteuid().as_raw();
    let mode = meta.mode() & 0o777;
    if meta.uid() != us {
        return Err(StoreError::Foreign { path: path.to_owned(), owner: meta.uid(), us });
    }
    if mode & 0o077 != 0 {
        return Err(StoreError::Open { path: path.to_owned(), mode, wanted });
    }
    Ok(())
}

impl Folder {
    /// The folder, made where it is not there.
    pub(super) fn open(path: &Path) -> Result<Self, StoreError> {
        let made = DirBuilder::new().recursive(true).mode(0o700).create(path);
        made.map_err(unusable(path))?;
        let meta = std::fs::metadata(path).map_err(unusable(path))?;
        private(path, &meta, "700")?;
        Ok(Self(path.to_owned()))
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    /// A file of the folder, made where it is not there, for its owner alone. Never through a link.
    fn file(&self, name: &str) -> Result<(PathBuf, File), StoreError> {
        let path = self.0.join(name);
        match std::fs::symlink_metadata(&path) {
            Ok(meta) if !meta.is_file() => return Err(StoreError::Kind { path, wanted: "file" }),
            Ok(meta) => private(&path, &meta, "600")?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(unusable(&path)(error)),
        }
        let opened = OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(0o600).open(&path);
        Ok((path.clone(), opened.map_err(unusable(&path))?))
    }

    /// The database's path; the file is there afterwards. SQLite gives the files beside it the same mode.
    pub(super) fn database(&self) -> Result<PathBuf, StoreError> {
        Ok(self.file(DATABASE)?.0)
    }

    /// Takes the folder for this process, until the lock is dropped or the process is gone. Whoever holds it for a moment is
    /// waited for, on this thread.
    pub(super) fn lock(&self) -> Result<Lock, StoreError> {
        let (path, mut file) = self.file("lock")?;
        let until = Instant::now() + PATIENCE;
        loop {
            match flock(&file, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => break,
                Err(rustix::io::Errno::WOULDBLOCK) if Instant::now() < until => std::thread::sleep(TRY),
                Err(rustix::io::Errno::WOULDBLOCK) => {
                    let mut text = String::new();
                    let pid = file.read_to_string(&mut text).ok().and_then(|_| text.trim().parse().ok());
                    return Err(StoreError::Locked { folder: self.0.clone(), pid });
                }
                Err(error) => return Err(unusable(&path)(error.into())),
            }
        }
        // The number only helps a person; without room for it the lock holds all the same.
        let told = file.set_len(0).and_then(|()| file.rewind()).and_then(|()| write!(file, "{}", std::process::id()));
        drop(told);
        Ok(Lock(file))
    }

    pub(super) fn marker(&self) -> Result<Marker, StoreError> {
        let (path, file) = self.file("unrecorded")?;
        let marker = Marker(Mutex::new(file));
        marker.prepare().map_err(unusable(&path))?;
        Ok(marker)
    }

    /// Makes the files' names durable.
    pub(super) fn sync(&self) -> Result<(), StoreError> {
        File::open(&self.0).and_then(|folder| folder.sync_all()).map_err(unusable(&self.0))
    }
}

/// A folder taken.
pub(super) struct Lock(File);

impl Drop for Lock {
    /// Gives the lock back by name: closing the file alone would leave it with a child that is just being started.
    fn drop(&mut self) {
        let _ = flock(&self.0, FlockOperation::Unlock);
    }
}

/// One byte that says whether something in effect could not be recorded. Rewritten in place, so a full disk does not
/// matter; a file system that copies on write may still refuse, which [`Marker::set`] says.
pub(super) struct Marker(Mutex<File>);

impl Marker {
    fn prepare(&self) -> io::Result<()> {
        let file = self.0.lock();
        if file.metadata()?.len() == 0 {
            file.write_all_at(b"0", 0)?;
            file.sync_all()?;
        }
        Ok(())
    }

    pub(super) fn set(&self, raised: bool) -> bool {
        let file = self.0.lock();
        let byte: &[u8] = if raised { b"1" } else { b"0" };
        file.write_all_at(byte, 0).and_then(|()| file.sync_data()).is_ok()
    }

    /// What can't be read counts as raised.
    pub(super) fn raised(&self) -> bool {
        let mut byte = [0];
        let read = self.0.lock().read_exact_at(&mut byte, 0);
        read.is_err() || byte != *b"0"
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn aud_1_who_holds_a_folder_for_a_moment_is_waited_for() {
        let place = tempfile::tempdir().unwrap();
        std::fs::set_permissions(place.path(), std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
        let folder = Folder::open(place.path()).unwrap();
        let held = folder.lock().unwrap();
        let pid = std::process::id();
        assert!(matches!(folder.lock(), Err(StoreError::Locked { pid: Some(by), .. }) if by == pid), "one that stays is not");
        let released = std::thread::spawn(move || {
            std::thread::sleep(PATIENCE / 3);
            drop(held);
        });
        assert!(folder.lock().is_ok());
        released.join().unwrap();
    }
}
