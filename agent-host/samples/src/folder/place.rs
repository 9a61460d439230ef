//! A path as a model wrote it, as a path that may be looked up.
//!
//! Is not: the guard; a path that passes here can still lead outside through a link, and is refused where it is walked.
//! Clauses: NAT-3.

use crate::server::{Wrong, wrong};
use std::path::{Component, Path, PathBuf};

/// Bytes of a path, and of one name in it.
const PATH_BYTES: usize = 1024;
const NAME_BYTES: usize = 255;

/// The path below the folder; `.` is the folder itself.
///
/// # Errors
/// Where it is too long, absolute, or holds what no name should.
pub(crate) fn place(path: &str) -> Result<PathBuf, Wrong> {
    if path.len() > PATH_BYTES || path.split('/').any(|name| name.len() > NAME_BYTES) {
        return wrong(format!("that path is too long: at most {PATH_BYTES} bytes, and {NAME_BYTES} for one name"));
    }
    if path.chars().any(char::is_control) {
        return wrong("a path holds no control characters");
    }
    if path.starts_with('/') {
        return wrong(format!("`{path}` starts at the root; give a path from the folder, such as `{}`", path.trim_start_matches('/')));
    }
    let parts = Path::new(path).components().filter(|part| *part != Component::CurDir);
    let place: PathBuf = parts.collect();
    Ok(if place.as_os_str().is_empty() { PathBuf::from(".") } else { place })
}

/// The same for what is to be made, moved or removed: it has a name of its own, and is not the folder.
///
/// # Errors
/// As [`place`], and where the last part is no name.
pub(crate) fn named(path: &str) -> Result<PathBuf, Wrong> {
    let place = place(path)?;
    match place.components().next_back() {
        Some(Component::Normal(_)) => Ok(place),
        _ => wrong(format!("`{path}` names no file or folder inside of the folder")),
    }
}
