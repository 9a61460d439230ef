//! A configuration is read only where its owner alone can write it: whoever writes it chooses what is run.
//!
//! Is: who may write the file and the folders that lead to it. Is not: who may read it, which is said as a warning where
//! it matters. Clause: UP-2 (operator's files).

use super::ConfigError;
use agent_core::limits::SYNONYM_BYTES;
use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// What a file is read for.
#[derive(Clone, Copy)]
pub(super) struct Purpose {
    /// Bytes of it at the most.
    bytes: u64,
    /// What whoever can write it could choose.
    chooses: &'static str,
    /// What to do where it can't be used.
    hint: &'static str,
}

/// The configuration file.
pub(super) const CONFIGURATION: Purpose =
    Purpose { bytes: 4 * 1024 * 1024, chooses: "what is run", hint: "name a file with `--config FILE`" };
/// An operator's synonyms.
pub(super) const SYNONYMS: Purpose =
    Purpose { bytes: SYNONYM_BYTES as u64, chooses: "what is found", hint: "name another file in `search.synonyms`, or none" };
/// Set on a folder, it keeps others from replacing what is not theirs.
const STICKY: u32 = 0o1000;

/// The text of a file that its owner alone can write, and its mode.
pub(super) fn read(path: &Path, purpose: Purpose) -> Result<(String, u32), ConfigError> {
    let unreadable = |error: io::Error| ConfigError::whole(path, format!("can't be read: {error}"), purpose.hint);
    // Looked at before it is opened: opening a pipe would wait for its writer.
    if !std::fs::metadata(path).map_err(unreadable)?.is_file() {
        return Err(ConfigError::whole(path, "is not a file", purpose.hint));
    }
    let file = File::open(path).map_err(unreadable)?;
    let meta = file.metadata().map_err(unreadable)?;
    guarded(path, &meta, purpose).map_err(|(what, hint)| ConfigError::whole(path, what, hint))?;
    let too_large = || ConfigError::whole(path, format!("larger than {} bytes", purpose.bytes), "take out of it what is not needed");
    let mut bytes = Vec::new();
    file.take(purpose.bytes + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > purpose.bytes {
        return Err(too_large());
    }
    let text = String::from_utf8(bytes).map_err(|_| ConfigError::whole(path, "is not UTF-8", "save it as UTF-8"))?;
    Ok((text, meta.mode() & 0o7777))
}

type Wrong = (String, String);

/// The file as opened, and every folder that leads to it: as named and, past links, as it is.
fn guarded(path: &Path, file: &Metadata, purpose: Purpose) -> Result<(), Wrong> {
    let unknown = |error: io::Error| (format!("can't tell who may write it: {error}"), purpose.hint.to_owned());
    let (named, real) = (std::path::absolute(path).map_err(unknown)?, path.canonicalize().map_err(unknown)?);
    let trusted = [0, rustix::process::geteuid().as_raw(), std::fs::metadata("/").map_err(unknown)?.uid()];
    judge(&named, file, &trusted, false, purpose)?;
    let link = std::fs::symlink_metadata(&named).map_err(unknown)?;
    if !trusted.contains(&link.uid()) {
        return Err(foreign(&named, link.uid(), purpose));
    }
    for folder in named.ancestors().skip(1).chain(real.ancestors().skip(1)) {
        judge(folder, &std::fs::metadata(folder).map_err(unknown)?, &trusted, true, purpose)?;
    }
    Ok(())
}

/// Trusted are root and who runs this; seen from inside a container, also who owns `/`.
fn judge(path: &Path, meta: &Metadata, trusted: &[u32], folder: bool, purpose: Purpose) -> Result<(), Wrong> {
    let others_write = meta.mode() & 0o022 != 0 && !(folder && meta.mode() & STICKY != 0);
    match () {
        () if !trusted.contains(&meta.uid()) => Err(foreign(path, meta.uid(), purpose)),
        () if others_write => Err((
            format!("others can write `{}` (mode {:03o}), so they could choose {}", path.display(), meta.mode() & 0o777, purpose.chooses),
            format!("`chmod go-w '{}'`, after a look at what it holds", path.display()),
        )),
        () => Ok(()),
    }
}

fn foreign(path: &Path, owner: u32, purpose: Purpose) -> Wrong {
    let what = format!("`{}` belongs to another user ({owner}), who could choose {}", path.display(), purpose.chooses);
    (what, "use a file of your own".to_owned())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::fs::Permissions;
    use std::os::unix::fs::{PermissionsExt, symlink};

    #[test]
    fn up_2_attack_63_a_configuration_that_others_can_write_is_not_read() {
        let base = tempfile::tempdir().unwrap();
        let (folder, link) = (base.path().join("folder"), base.path().join("link"));
        let file = folder.join("agent-host.toml");
        std::fs::create_dir(&folder).unwrap();
        std::fs::write(&file, "activation = \"deny\"\n").unwrap();
        symlink(&file, &link).unwrap();
        for (folder_mode, file_mode, good) in [
            (0o700, 0o600, true),
            (0o755, 0o644, true),
            (0o1777, 0o600, true),
            (0o755, 0o664, false),
            (0o755, 0o602, false),
            (0o775, 0o600, false),
            (0o757, 0o600, false),
            (0o1777, 0o622, false),
        ] {
            std::fs::set_permissions(&file, Permissions::from_mode(file_mode)).unwrap();
            std::fs::set_permissions(&folder, Permissions::from_mode(folder_mode)).unwrap();
            for path in [&file, &link] {
                let read = read(path, CONFIGURATION);
                assert_eq!(read.is_ok(), good, "{folder_mode:o} {file_mode:o}: {read:?}");
                assert!(good || read.unwrap_err().to_string().contains("chmod go-w"));
            }
        }
    }

    #[test]
    fn up_2_attack_63_a_configuration_of_another_user_is_not_read() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let meta = file.as_file().metadata().unwrap();
        assert!(judge(file.path(), &meta, &[meta.uid()], false, CONFIGURATION).is_ok());
        let (what, _) = judge(file.path(), &meta, &[meta.uid() + 1], false, CONFIGURATION).unwrap_err();
        assert!(what.contains("another user"), "{what}");
    }

    #[test]
    fn what_is_no_file_is_not_waited_for() {
        let base = tempfile::tempdir().unwrap();
        assert!(read(base.path(), CONFIGURATION).unwrap_err().to_string().contains("is not a file"));
        assert!(read(Path::new("/dev/null"), CONFIGURATION).unwrap_err().to_string().contains("is not a file"));
        std::fs::write(base.path().join("big"), vec![b'#'; CONFIGURATION.bytes as usize + 1]).unwrap();
        assert!(read(&base.path().join("big"), CONFIGURATION).unwrap_err().to_string().contains("larger than"));
    }
}
