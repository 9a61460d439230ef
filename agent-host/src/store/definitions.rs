//! The texts of definitions that are in no lock file any more, so that what moved since a pin can be shown.
//!
//! Is: one file for each, named by its digest, in a folder of the state folder; what is read is compared with its name.
//! Is not: needed by anything that decides. Bounded: the oldest go. Clauses: CAT-7 (lock, sync), CAT-8 (diff).

use super::StoreError;
use super::folder::Folder;
use agent_core::canon::Node;
use agent_core::digest::{Digest, Domain};
use agent_core::limits::{DEFINITION_BYTES, DEFINITION_DEPTH, DEFINITION_NODES};
use std::fs::{DirEntry, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Definitions kept at the most.
const KEPT: usize = 4096;

/// The folder of them.
pub struct Definitions {
    path: PathBuf,
}

impl Definitions {
    /// Those of a state folder, which need not be there yet.
    #[must_use]
    pub fn of(state: &Path) -> Self {
        Self { path: state.join("definitions") }
    }

    /// Keeps definitions, each a text as a lock file holds it, under its digest. Then the oldest go that are too many.
    ///
    /// # Errors
    /// [`StoreError`] where the folder can't be used, or is not its owner's alone.
    pub fn keep<'a>(&self, definitions: impl IntoIterator<Item = (Digest, &'a str)>) -> Result<(), StoreError> {
        let mut definitions = definitions.into_iter().peekable();
        if definitions.peek().is_none() {
            return Ok(());
        }
        for folder in self.path.parent().into_iter().chain([self.path.as_path()]) {
            Folder::open(folder)?;
        }
        let unusable = |why| StoreError::Unusable { path: self.path.clone(), why };
        definitions.try_for_each(|(digest, text)| self.write(digest, text)).map_err(unusable)?;
        self.bound().map_err(unusable)
    }

    /// A definition by its digest. None where it is not kept, or the file does not hold it.
    #[must_use]
    pub fn get(&self, digest: &Digest) -> Option<String> {
        let mut text = String::new();
        File::open(self.file(digest)).ok()?.take(DEFINITION_BYTES as u64 + 1).read_to_string(&mut text).ok()?;
        let node = Node::parse(&text, DEFINITION_DEPTH, DEFINITION_NODES).ok()?;
        (Digest::of(Domain::Definition, &node.canonical()) == *digest).then_some(text)
    }

    fn file(&self, digest: &Digest) -> PathBuf {
        self.path.join(format!("{digest}.json"))
    }

    /// Written beside its name first, so that a file with the name is whole. It is written again to be the newest.
    fn write(&self, digest: Digest, text: &str) -> io::Result<()> {
        let new = self.path.join(format!(".{digest}.{}", std::process::id()));
        let file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&new);
        let written = file.and_then(|mut file| file.write_all(text.as_bytes())).and_then(|()| std::fs::rename(&new, self.file(&digest)));
        if written.is_err() {
            // Best effort: what went wrong first is told.
            drop(std::fs::remove_file(&new));
        }
        written
    }

    fn bound(&self) -> io::Result<()> {
        let mut files: Vec<_> = std::fs::read_dir(&self.path)?.collect::<io::Result<_>>()?;
        let surplus = files.len().saturating_sub(KEPT);
        if surplus > 0 {
            let age = |file: &DirEntry| file.metadata().and_then(|meta| meta.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
            files.sort_by_cached_key(age);
            files.iter().take(surplus).try_for_each(|file| std::fs::remove_file(file.path()))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn digest(text: &str) -> Digest {
        Digest::of(Domain::Definition, &Node::parse(text, 32, 100).unwrap().canonical())
    }

    #[test]
    fn cat_8_a_definition_is_kept_under_its_digest() {
        let folder = tempfile::tempdir().unwrap();
        let definitions = Definitions::of(&folder.path().join("state"));
        let text = r#"{"name":"now","x":1.50}"#;
        assert_eq!(definitions.get(&digest(text)), None);
        definitions.keep([(digest(text), text)]).unwrap();
        definitions.keep([(digest(text), text)]).unwrap();
        assert_eq!(definitions.get(&digest(text)).as_deref(), Some(text));
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let file = definitions.file(&digest(text));
        assert_eq!((mode(&file), mode(file.parent().unwrap())), (0o600, 0o700));
        assert_eq!(std::fs::read_dir(&definitions.path).unwrap().count(), 1);
        for other in [r#"{"name":"now","x":2}"#, "{", ""] {
            std::fs::write(&file, other).unwrap();
            assert_eq!(definitions.get(&digest(text)), None, "{other}");
        }
    }

    #[test]
    fn cat_8_the_oldest_definitions_go() {
        let folder = tempfile::tempdir().unwrap();
        let definitions = Definitions::of(&folder.path().join("state"));
        let texts: Vec<String> = (0..KEPT + 2).map(|at| format!("{{\"name\":\"t{at}\"}}")).collect();
        let (first, rest) = texts.split_at(2);
        for texts in [first, rest] {
            definitions.keep(texts.iter().map(|text| (digest(text), text.as_str()))).unwrap();
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        assert_eq!(std::fs::read_dir(&definitions.path).unwrap().count(), KEPT);
        assert!(first.iter().all(|text| definitions.get(&digest(text)).is_none()));
        assert!(rest.iter().all(|text| definitions.get(&digest(text)).is_some()));
    }
}
