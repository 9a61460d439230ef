//! A file that is looked at once in a while, to be read when it is another.
//!
//! Is: what the file system says of it. Is not: a reader, nor a subscription; a look costs one system call and works on every
//! kind of file system. Clauses: HOST-2, CAT-7 (lock, sync).

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// As which a file was seen. Whatever is written to it, put in its place or done to its mode makes it another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mark {
    file: (u64, u64),
    length: u64,
    changed: (i64, i64),
}

impl Mark {
    /// None where there is no file.
    pub(super) fn of(path: &Path) -> Option<Self> {
        let meta = std::fs::metadata(path).ok()?;
        Some(Self { file: (meta.dev(), meta.ino()), length: meta.len(), changed: (meta.ctime(), meta.ctime_nsec()) })
    }
}

/// A file, as it was read and as it was seen last.
pub(super) struct Watched {
    path: PathBuf,
    read: Option<Mark>,
    seen: Option<Mark>,
}

impl Watched {
    /// A file that was not read yet.
    pub(super) const fn new(path: PathBuf) -> Self {
        Self { path, read: None, seen: None }
    }

    /// Whether it is another than was read, and was so at the look before: one that is still being written is left alone.
    pub(super) fn moved(&mut self) -> bool {
        let now = Mark::of(&self.path);
        let before = std::mem::replace(&mut self.seen, now);
        now == before && now != self.read
    }

    /// It is read now.
    pub(super) fn reading(&mut self) {
        self.read = Mark::of(&self.path);
        self.seen = self.read;
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::fs::{remove_file, rename, write};

    #[test]
    fn host_2_a_file_is_read_once_it_rests() {
        let folder = tempfile::tempdir().unwrap();
        let (path, other) = (folder.path().join("a"), folder.path().join("b"));
        write(&path, "one").unwrap();
        let mut file = Watched::new(path.clone());
        let mut looks = |steps: &[(&dyn Fn(), bool)]| {
            for (place, (step, moved)) in steps.iter().enumerate() {
                step();
                assert_eq!(file.moved(), *moved, "{place}");
                if *moved {
                    file.reading();
                }
            }
        };
        let rest = || ();
        let at = &path;
        let say = |text: &'static str| move || write(at, text).unwrap();
        looks(&[(&rest, false), (&rest, true), (&rest, false)]);
        let (half, whole) = (say("half"), say("whole"));
        looks(&[(&half, false), (&whole, false), (&rest, true), (&rest, false)]);
        // In its place comes one of the same length, and as old.
        let replace = || {
            write(&other, "WHOLE").unwrap();
            let old = std::fs::metadata(&path).unwrap().modified().unwrap();
            std::fs::File::open(&other).unwrap().set_modified(old).unwrap();
            rename(&other, &path).unwrap();
        };
        looks(&[(&replace, false), (&rest, true), (&rest, false)]);
        let vanish = || remove_file(&path).unwrap();
        looks(&[(&vanish, false), (&rest, true), (&rest, false), (&rest, false), (&whole, false), (&rest, true)]);
    }
}
