//! The texts of definitions that are in no lock file any more, so that what moved since a pin can be shown.
//!
//! Is: one file for each, named by its digest, in a folder of the state folder; what is read is compared with its name.
//! Is not: needed by anything that decides. What is pinned stays; of the rest the oldest go. Clauses: CAT-7 (lock, sync),
//! CAT-8 (diff).

use super::StoreError;
use super::folder::Folder;
use agent_core::canon::Node;
use agent_core::digest::{Digest, Domain};
use agent_core::limits::{DEFINITION_BYTES, DEFINITION_DEPTH, DEFINITION_NODES};
use std::collections::BTreeSet;
use std::fs::{DirEntry, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Definitions kept at the most that are not pinned.
const KEPT: usize = 4096;

/// Definitions kept of one call that are not pinned, so that no server pushes out what others said.
const AT_ONCE: usize = 512;

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

    /// Keeps definitions of one server, each a text as a lock file holds it, under its digest: all that are pinned, and the
    /// first 512 of the rest. Then the oldest go that are not pinned and too many.
    ///
    /// # Errors
    /// [`StoreError`] where the folder can't be used, or is not its owner's alone.
    pub fn keep<'a>(&self, definitions: impl IntoIterator<Item = (Digest, &'a str)>, pinned: &BTreeSet<Digest>) -> Result<(), StoreError> {
        let (pins, mut rest): (Vec<_>, Vec<_>) = definitions.into_iter().partition(|(digest, _)| pinned.contains(digest));
        rest.truncate(AT_ONCE);
        if pins.is_empty() && rest.is_empty() {
            return Ok(());
        }
        for folder in self.path.parent().into_iter().chain([self.path.as_path()]) {
            Folder::open(folder)?;
        }
        let unusable = |why| StoreError::Unusable { path: self.path.clone(), why };
        pins.into_iter().chain(rest).try_for_each(|(digest, text)| self.write(digest, text)).map_err(unusable)?;
        self.bound(pinned).map_err(unusable)
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

    fn bound(&self, pinned: &BTreeSet<Digest>) -> io::Result<()> {
        let pinned: BTreeSet<_> = pinned.iter().map(|digest| self.file(digest)).collect();
        let mut files: Vec<_> = std::fs::read_dir(&self.path)?.collect::<io::Result<_>>()?;
        files.retain(|file| !pinned.contains(&file.path()));
        let surplus = files.len().saturating_sub(KEPT);
        if surplus > 0 {
            let age = |file: &DirEntry| file.metadata().and_then(|meta| meta.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
            files.sort_by_cached_key(age);
            files.iter().take(surplus).try_for_each(|file| gone(std::fs::remove_file(file.path())))?;
        }
        Ok(())
    }
}

/// Another process may have removed it first.
fn gone(removed: io::Result<()>) -> io::Result<()> {
    removed.or_else(|why| if why.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(why) })
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
        definitions.keep([(digest(text), text)], &BTreeSet::new()).unwrap();
        definitions.keep([(digest(text), text)], &BTreeSet::new()).unwrap();
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

    /// `count` definitions of a server, kept as one call keeps them.
    fn flood(definitions: &Definitions, server: &str, count: usize, pinned: &BTreeSet<Digest>) -> Vec<Digest> {
        let texts: Vec<String> = (0..count).map(|at| format!("{{\"name\":\"{server}{at}\"}}")).collect();
        definitions.keep(texts.iter().map(|text| (digest(text), text.as_str())), pinned).unwrap();
        std::thread::sleep(std::time::Duration::from_millis(20));
        texts.iter().map(|text| digest(text)).collect()
    }

    #[test]
    fn cat_8_the_oldest_definitions_go_and_never_a_pinned_one() {
        let folder = tempfile::tempdir().unwrap();
        let definitions = Definitions::of(&folder.path().join("state"));
        let first = flood(&definitions, "first", 4, &BTreeSet::new());
        let pinned: BTreeSet<_> = first.iter().take(2).copied().collect();
        for server in 0..KEPT / AT_ONCE {
            flood(&definitions, &format!("s{server}-"), AT_ONCE, &pinned);
        }
        let kept: Vec<_> = first.iter().map(|digest| definitions.get(digest).is_some()).collect();
        assert_eq!(kept, [true, true, false, false]);
        assert_eq!(std::fs::read_dir(&definitions.path).unwrap().count(), KEPT + 2);
    }

    #[test]
    fn cat_8_a_server_that_lists_many_tools_pushes_out_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let definitions = Definitions::of(&folder.path().join("state"));
        let other = flood(&definitions, "other", 2, &BTreeSet::new());
        let names: Vec<_> = (0..=KEPT).map(|at| digest(&format!("{{\"name\":\"many{at}\"}}"))).collect();
        let pinned: BTreeSet<_> = names.last().copied().into_iter().collect();
        let many = flood(&definitions, "many", KEPT + 1, &pinned);
        assert!(other.iter().all(|digest| definitions.get(digest).is_some()));
        assert_eq!(many.iter().filter(|digest| definitions.get(digest).is_some()).count(), AT_ONCE + 1);
        assert!(definitions.get(many.last().unwrap()).is_some(), "what is pinned is kept however many come before it");
    }
}
