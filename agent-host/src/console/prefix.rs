//! The path that all pages lie under on loopback.
//!
//! Cookies ignore ports: a cookie of `127.0.0.1` goes to whatever listens on another port of this machine, an upstream's server
//! too. A cookie with a path that nobody can guess does not. It is kept, so that a bookmark lasts. Is not: a login; a page
//! behind it still demands one. Clause: AUTH-4 (console, login).

use crate::replace::replace;
use std::fs::OpenOptions;
use std::io::{self, Read};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

/// The file's name in a state folder.
const FILE: &str = "console-path";
/// Hexadecimal digits of it.
const DIGITS: usize = 32;

/// 128 random bits as hexadecimal digits.
pub(super) fn random() -> io::Result<String> {
    let mut bits = [0; DIGITS / 2];
    getrandom::fill(&mut bits).map_err(io::Error::other)?;
    Ok(bits.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// The prefix that is kept, such as `/c/3f...`, made where there is none.
pub(super) fn kept(state: &Path) -> io::Result<String> {
    let path = state.join(FILE);
    let digits = match read(&path)? {
        Some(digits) => digits,
        None => {
            let digits = random()?;
            replace(&path, digits.as_bytes(), 0o600)?;
            digits
        }
    };
    Ok(format!("/c/{digits}"))
}

fn read(path: &Path) -> io::Result<Option<String>> {
    let odd = |why: &str| io::Error::new(io::ErrorKind::InvalidData, format!("`{}` {why}; remove it", path.display()));
    let opened = OpenOptions::new().read(true).custom_flags(rustix::fs::OFlags::NOFOLLOW.bits() as i32).open(path);
    let file = match opened {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let meta = file.metadata()?;
    if !meta.is_file() || meta.mode() & 0o077 != 0 || meta.uid() != rustix::process::geteuid().as_raw() {
        return Err(odd("is not a file of the host's user alone"));
    }
    let mut text = String::new();
    file.take(DIGITS as u64 + 1).read_to_string(&mut text)?;
    let hexadecimal = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    if text.len() == DIGITS && text.bytes().all(hexadecimal) { Ok(Some(text)) } else { Err(odd("holds something else")) }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn attack_35_the_path_is_unguessable_kept_and_for_its_owner_alone() {
        let (state, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let prefix = kept(state.path()).unwrap();
        assert_eq!((prefix.len(), kept(state.path()).unwrap()), (3 + 32, prefix.clone()));
        assert_ne!(prefix, kept(other.path()).unwrap());
        let file = state.path().join(FILE);
        assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
        assert!(kept(state.path()).is_err(), "others could have read it");
        std::fs::remove_file(&file).unwrap();
        for odd in ["", "abc", "ABCDEF0123456789ABCDEF0123456789", "0123456789abcdef0123456789abcdef\n"] {
            replace(&file, odd.as_bytes(), 0o600).unwrap();
            assert!(kept(state.path()).is_err(), "{odd}");
        }
    }
}
