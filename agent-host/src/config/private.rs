//! A configuration is read only where its owner alone can write it: whoever writes it chooses what is run.
//!
//! Is: who may write the file and the folders that lead to it. Is not: who may read it, which is said as a warning where
//! it matters. Clause: UP-2 (operator's files).

use super::ConfigError;
use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Bytes of a configuration file.
const FILE_BYTES: u64 = 4 * 1024 * 1024;
/// Set on a folder, it keeps others from replacing what is not theirs.
const STICKY: u32 = 0o1000;

/// The text of a file that its owner alone can write, and its mode.
pub(super) fn read(path: &Path) -> Result<(String, u32), ConfigError> {
    let unreadable = |error: io::Error| ConfigError::whole(path, format!("can't be read: {error}"), "name a file with `--config FILE`");
    // Looked at before it is opened: opening a pipe would wait for its writer.
    if !std::fs::metadata(path).map_err(unreadable)?.is_file() {
        return Err(ConfigError::whole(path, "is not a file", "name a file with `--config FILE`"));
    }
    let file = File::open(path).map_err(unreadable)?;
    let meta = file.metadata().map_err(unreadable)?;
    guarded(path, &meta).map_err(|(what, hint)| ConfigError::whole(path, what, hint))?;
    let too_large = || ConfigError::whole(path, format!("larger than {FILE_BYTES} bytes"), "split what is not configuration out of it");
    let mut bytes = Vec::new();
    file.take(FILE_BYTES + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > FILE_BYTES {
        return Err(too_large());
    }
    let text = String::from_utf8(bytes).map_err(|_| ConfigError::whole(path, "is not UTF-8", "save it as UTF-8"))?;
    Ok((text, meta.mode() & 0o7777))
}

type Wrong = (String, String);

/// The file as opened, and every folder that leads to it: as named and, past links, as it is.
fn guarded(path: &Path, file: &Metadata) -> Result<(), Wrong> {
    let unknown = |error: io::Error| (format!("can't tell who may write it: {error}"), "name a file with `--config FILE`".to_owned());
    let (named, real) = (std::path::absolute(path).map_err(unknown)?, path.canonicalize().map_err(unknown)?);
    let trusted = [0, rustix::process::geteuid().as_raw(), std::fs::metadata("/").map_err(unknown)?.uid()];
    judge(&named, file, &trusted, false)?;
    let link = std::fs::symlink_metadata(&named).map_err(unknown)?;
    if !trusted.contains(&link.uid()) {
        return Err(foreign(&named, link.uid()));
    }
    for folder in named.ancestors().skip(1).chain(real.ancestors().skip(1)) {
        judge(folder, &std::fs::metadata(folder).map_err(unknown)?, &trusted, true)?;
    }
    Ok(())
}

/// Trusted are root and who runs this; seen from inside a container, also who owns `/`.
fn judge(path: &Path, meta: &Metadata, trusted: &[u32], folder: bool) -> Result<(), Wrong> {
    let others_write = meta.mode() & 0o022 != 0 && !(folder && meta.mode() & STICKY != 0);
    match () {
        () if !trusted.contains(&meta.uid()) => Err(foreign(path, meta.uid())),
        () if others_write => Err((
            format!("others can write `{}` (mode {:03o}), so they could choose what is run", path.display(), meta.mode() & 0o777),
            format!("`chmod go-w '{}'`, after a look at what it holds", path.display()),
        )),
        () => Ok(()),
    }
}

fn foreign(path: &Path, owner: u32) -> Wrong {
    let what = format!("`{}` belongs to another user ({owner}), who could choose what is run", path.display());
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
                let read = read(path);
                assert_eq!(read.is_ok(), good, "{folder_mode:o} {file_mode:o}: {read:?}");
                assert!(good || read.unwrap_err().to_string().contains("chmod go-w"));
            }
        }
    }

    #[test]
    fn up_2_attack_63_a_configuration_of_another_user_is_not_read() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let meta = file.as_file().metadata().unwrap();
        assert!(judge(file.path(), &meta, &[meta.uid()], false).is_ok());
        let (what, _) = judge(file.path(), &meta, &[meta.uid() + 1], false).unwrap_err();
        assert!(what.contains("another user"), "{what}");
    }

    #[test]
    fn what_is_no_file_is_not_waited_for() {
        let base = tempfile::tempdir().unwrap();
        assert!(read(base.path()).unwrap_err().to_string().contains("is not a file"));
        assert!(read(Path::new("/dev/null")).unwrap_err().to_string().contains("is not a file"));
        std::fs::write(base.path().join("big"), vec![b'#'; FILE_BYTES as usize + 1]).unwrap();
        assert!(read(&base.path().join("big")).unwrap_err().to_string().contains("larger than"));
    }
}
