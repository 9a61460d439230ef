//! Changing files and folders. Clauses: NAT-3 (through `folder`).

use crate::folder::{Folder, kind, named, refused};
use crate::server::{Wrong, wrong};
use schemars::JsonSchema;
use serde::Deserialize;

/// Arguments of `write_file`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Write {
    /// The file's path.
    #[schemars(length(min = 1, max = 1024))]
    path: String,
    /// Everything that is to be in the file.
    #[schemars(length(max = 1_000_000))]
    text: String,
    /// Replace a file that is there already.
    #[serde(default)]
    overwrite: bool,
}

pub(super) fn write(folder: &Folder, Write { path, text, overwrite }: Write) -> Result<String, Wrong> {
    named(&path)?;
    if !overwrite && folder.look(&path)?.is_some() {
        return wrong(format!("`{path}` is there already; set `overwrite` to replace everything in it, or use `append_to_file`"));
    }
    folder.replace(&path, text.as_bytes())?;
    Ok(format!("wrote {} bytes to `{path}`", text.len()))
}

/// Arguments of `append_to_file`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Append {
    /// The file's path.
    #[schemars(length(min = 1, max = 1024))]
    path: String,
    /// What to add to its end; a line needs a line break of its own.
    #[schemars(length(min = 1, max = 1_000_000))]
    text: String,
}

pub(super) fn append(folder: &Folder, Append { path, text }: Append) -> Result<String, Wrong> {
    named(&path)?;
    let length = folder.append(&path, text.as_bytes())?;
    Ok(format!("added {} bytes to `{path}`, which has {length} now", text.len()))
}

/// Arguments of `create_folder` and `delete_file`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct One {
    /// The path.
    #[schemars(length(min = 1, max = 1024))]
    path: String,
}

pub(super) fn folder(folder: &Folder, One { path }: One) -> Result<String, Wrong> {
    let place = named(&path)?;
    if folder.look(&path)?.is_some() {
        folder.folder(&path)?;
        return Ok(format!("`{path}` is there already"));
    }
    folder.dir().create_dir_all(place).map_err(|error| refused(&path, &error))?;
    Ok(format!("created `{path}`"))
}

pub(super) fn delete(folder: &Folder, One { path }: One) -> Result<String, Wrong> {
    let place = named(&path)?;
    let Some(found) = folder.look(&path)? else { return wrong(format!("`{path}` is not there; `list_folder` shows what is")) };
    let gone = if found.is_dir() { folder.dir().remove_dir(place) } else { folder.dir().remove_file(place) };
    gone.map_err(|error| refused(&path, &error))?;
    Ok(format!("deleted `{path}`, which was {}", kind(&found)))
}

/// Arguments of `copy_file` and `move_file`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Two {
    /// The path now.
    #[schemars(length(min = 1, max = 1024))]
    from: String,
    /// The path that it is to have, with its name.
    #[schemars(length(min = 1, max = 1024))]
    to: String,
}

fn free(folder: &Folder, path: &str) -> Result<(), Wrong> {
    match folder.look(path)? {
        Some(_) => wrong(format!("`{path}` is there already; delete it first, or choose another name")),
        None => Ok(()),
    }
}

pub(super) fn copy(folder: &Folder, Two { from, to }: Two) -> Result<String, Wrong> {
    named(&to)?;
    free(folder, &to)?;
    let bytes = folder.read(&from)?;
    folder.append(&to, &bytes)?;
    Ok(format!("copied `{from}` to `{to}`, {} bytes", bytes.len()))
}

pub(super) fn rename(folder: &Folder, Two { from, to }: Two) -> Result<String, Wrong> {
    let (before, after) = (named(&from)?, named(&to)?);
    free(folder, &to)?;
    // What is missing is told of by its own name, not by that of where it should go.
    if folder.look(&from)?.is_none() {
        return wrong(format!("`{from}` is not there; `list_folder` shows what is"));
    }
    folder.dir().rename(before, folder.dir(), after).map_err(|error| refused(&to, &error))?;
    Ok(format!("moved `{from}` to `{to}`"))
}
