//! What the file system said, in words that a model can act on.

use crate::server::Wrong;
use std::io::{Error, ErrorKind};

/// Why something at a path was not done.
pub(crate) fn refused(path: &str, error: &Error) -> Wrong {
    // `cap-std` says so itself, with no error of the system's.
    let outside = error.kind() == ErrorKind::PermissionDenied && error.raw_os_error().is_none();
    let looped = error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error());
    Wrong(match error.kind() {
        _ if outside => format!("`{path}` leads out of the folder; only what is inside of it can be used"),
        _ if looped => format!("`{path}` goes through too many links"),
        ErrorKind::NotFound => format!("`{path}` is not there; `list_folder` shows what is"),
        ErrorKind::AlreadyExists => format!("`{path}` is there already"),
        ErrorKind::NotADirectory => format!("a part of `{path}` is a file, not a folder"),
        ErrorKind::IsADirectory => format!("`{path}` is a folder, not a file"),
        ErrorKind::DirectoryNotEmpty => format!("the folder `{path}` is not empty; delete what is in it first"),
        ErrorKind::PermissionDenied => format!("this server has no permission for `{path}`"),
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => "there is no space left".to_owned(),
        _ => format!("`{path}`: {error}"),
    })
}
