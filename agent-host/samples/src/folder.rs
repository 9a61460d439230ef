//! Files under one folder, and nothing outside of it.
//!
//! Is: the one place where a path that a model wrote meets the file system. The folder is opened once, and every path is walked from that
//! open folder by `cap-std`: `..` and links are followed as long as they stay inside, and what leads outside is refused by the same
//! walk that would have opened it (`openat2` where the kernel has it), so nothing can be swapped between a check and a use.
//! Only regular files are read and written: a device, a pipe or a socket is refused, and nothing is waited for, also where one takes a
//! file's place at the last moment.
//! Is not: a guard against hard links or mounts that somebody put into the folder; those are the folder's own.
//! Clauses: NAT-3. Neighbours: `files` and `notes` do everything through it.

mod place;
mod refusal;

#[cfg(test)]
pub(crate) mod tests;

pub(crate) use place::named;
use place::place;
pub(crate) use refusal::refused;

use crate::server::{Wrong, wrong};
use cap_std::fs::{Dir, File, Metadata, OpenOptions, OpenOptionsExt};
use rustix::fs::OFlags;
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes of a file that is read or written.
pub(crate) const FILE_BYTES: u64 = 4 * 1024 * 1024;

/// An open folder. Paths are the model's, with `/`, from here.
pub(crate) struct Folder {
    dir: Dir,
    written: AtomicU64,
}

impl Folder {
    /// Opens the folder that the operator named.
    ///
    /// # Errors
    /// The text says why it can't be opened.
    pub(crate) fn open(path: &Path) -> Result<Self, String> {
        let dir = Dir::open_ambient_dir(path, cap_std::ambient_authority());
        let dir = dir.map_err(|error| format!("the folder `{}` can't be opened: {error}", path.display()))?;
        Ok(Self { dir, written: AtomicU64::new(0) })
    }

    /// The open folder itself, for what takes a checked path.
    pub(crate) fn dir(&self) -> &Dir {
        &self.dir
    }

    /// What lies at a path, links followed.
    pub(crate) fn info(&self, path: &str) -> Result<Metadata, Wrong> {
        self.dir.metadata(place(path)?).map_err(|error| refused(path, &error))
    }

    /// What lies at a path, a link as itself. `None` where nothing does.
    pub(crate) fn look(&self, path: &str) -> Result<Option<Metadata>, Wrong> {
        match self.dir.symlink_metadata(place(path)?) {
            Ok(found) => Ok(Some(found)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(refused(path, &error)),
        }
    }

    /// A folder inside of this one.
    pub(crate) fn folder(&self, path: &str) -> Result<Dir, Wrong> {
        self.dir.open_dir(place(path)?).map_err(|error| refused(path, &error))
    }

    /// The bytes of a file, whole.
    pub(crate) fn read(&self, path: &str) -> Result<Vec<u8>, Wrong> {
        let mut bytes = Vec::new();
        let file = self.regular(path, OpenOptions::new().read(true))?;
        file.take(FILE_BYTES + 1).read_to_end(&mut bytes).map_err(|error| refused(path, &error))?;
        if bytes.len() as u64 > FILE_BYTES {
            return wrong(format!("`{path}` has more than {FILE_BYTES} bytes, which is too much to read here"));
        }
        Ok(bytes)
    }

    /// The text of a file, whole.
    pub(crate) fn text(&self, path: &str) -> Result<String, Wrong> {
        String::from_utf8(self.read(path)?).or_else(|_| wrong(format!("`{path}` is not text in UTF-8; `file_info` says what it is")))
    }

    /// Adds to the end of a file, which is made where there is none.
    pub(crate) fn append(&self, path: &str, bytes: &[u8]) -> Result<u64, Wrong> {
        let options = &mut OpenOptions::new();
        let mut file = match self.look(path)? {
            Some(_) => self.regular(path, options.append(true))?,
            None => self.regular(path, options.append(true).create_new(true))?,
        };
        let length = file.metadata().map_err(|error| refused(path, &error))?.len() + bytes.len() as u64;
        if length > FILE_BYTES {
            return wrong(format!("`{path}` would have more than {FILE_BYTES} bytes; begin another file"));
        }
        file.write_all(bytes).map_err(|error| refused(path, &error))?;
        Ok(length)
    }

    /// Writes a file whole, or leaves it as it was: into a new file beside it, which then takes its place.
    pub(crate) fn replace(&self, path: &str, bytes: &[u8]) -> Result<(), Wrong> {
        let before = self.look(path)?;
        if let Some(before) = before.as_ref().filter(|before| !before.is_file()) {
            return wrong(format!("`{path}` is {}, not a file", kind(before)));
        }
        let target = place(path)?;
        let number = self.written.fetch_add(1, Ordering::Relaxed);
        let beside = target.with_file_name(format!(".agent-host-{}-{number}.tmp", std::process::id()));
        let write = || {
            let mut file = self.dir.open_with(&beside, OpenOptions::new().write(true).create_new(true))?;
            file.write_all(bytes)?;
            if let Some(before) = &before {
                file.set_permissions(before.permissions())?;
            }
            file.sync_all()?;
            self.dir.rename(&beside, &self.dir, &target)
        };
        write().map_err(|error| {
            let _ = self.dir.remove_file(&beside);
            refused(path, &error)
        })
    }

    /// Opens what must be a regular file, and neither waits for it nor takes it for a terminal.
    pub(crate) fn regular(&self, path: &str, options: &mut OpenOptions) -> Result<File, Wrong> {
        let regular = |found: Metadata| if found.is_file() { Ok(()) } else { wrong(format!("`{path}` is {}, not a file", kind(&found))) };
        let place = place(path)?;
        match self.dir.metadata(&place) {
            Ok(found) => regular(found)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(refused(path, &error)),
        }
        let flags = (OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed();
        let file = self.dir.open_with(place, options.custom_flags(flags)).map_err(|error| refused(path, &error))?;
        // Again, of what was opened: it may have been swapped since.
        regular(file.metadata().map_err(|error| refused(path, &error))?)?;
        Ok(file)
    }
}

/// What lies there, in words.
pub(crate) fn kind(found: &Metadata) -> &'static str {
    if found.is_file() {
        "a file"
    } else if found.is_dir() {
        "a folder"
    } else if found.is_symlink() {
        "a link"
    } else {
        "a device, pipe or socket"
    }
}
