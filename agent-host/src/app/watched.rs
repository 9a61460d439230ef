//! Files that are looked at once in a while, to be read when one is another.
//!
//! Is: what the file system says of it. Is not: a reader, nor a subscription; a look costs one system call a file and works on every
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

/// Files, as they were read and as they were seen last.
pub(super) struct Watched {
    paths: Vec<PathBuf>,
    read: Vec<Option<Mark>>,
    seen: Vec<Option<Mark>>,
}

impl Watched {
    /// Files that were not read yet.
    pub(super) const fn new(paths: Vec<PathBuf>) -> Self {
        Self { paths, read: Vec::new(), seen: Vec::new() }
    }

    /// Looks at these files from now on; where they are others than before, they were not read yet.
    pub(super) fn look_at(&mut self, paths: Vec<PathBuf>) {
        if paths != self.paths {
            *self = Self::new(paths);
        }
    }

    /// Whether one is another than was read, and was so at the look before: one that is still being written is left alone.
    pub(super) fn moved(&mut self) -> bool {
        let before = std::mem::replace(&mut self.seen, marks(&self.paths));
        self.seen == before && self.seen != self.read
    }

    /// They are read now.
    pub(super) fn reading(&mut self) {
        self.read = marks(&self.paths);
        self.seen.clone_from(&self.read);
    }
}

fn marks(paths: &[PathBuf]) -> Vec<Option<Mark>> {
    paths.iter().map(|path| Mark::of(path)).collect()
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
        let mut file = Watched::new(vec![path.clone()]);
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

    #[test]
    fn host_2_any_of_several_files_is_seen_to_change() {
        let folder = tempfile::tempdir().unwrap();
        let (one, two) = (folder.path().join("a"), folder.path().join("b"));
        write(&one, "one").unwrap();
        let mut files = Watched::new(vec![one.clone()]);
        files.reading();
        assert!(!files.moved());
        files.look_at(vec![one.clone(), two.clone()]);
        assert!(!files.moved() && files.moved(), "others were not read");
        files.reading();
        files.look_at(vec![one, two.clone()]);
        assert!(!files.moved());
        write(&two, "two").unwrap();
        assert!(!files.moved() && files.moved());
    }
}
