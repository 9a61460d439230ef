//! What was chosen, written: our file, and a file of its own for each secret.
//!
//! Is: all of it or nothing; one server that can't be added costs no other. Clause: UP-2 (operator's files).

use crate::cli::Exit;
use crate::cli::Failure;
use crate::cli::add::unwritten;
use crate::config::{Config, Edit};
use crate::import::{Plan, Source};
use agent_core::id::Alias;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// What is to be kept.
#[derive(Default)]
pub(super) struct Kept {
    pub(super) added: Vec<Alias>,
    pub(super) secrets: Vec<(PathBuf, String)>,
    /// What a person should know of it.
    pub(super) told: Vec<String>,
}

/// Adds what was chosen, in memory.
pub(super) fn add(edit: &mut Edit, plan: &Plan, chosen: &[Alias], secrets: &Path) -> Kept {
    let mut kept = Kept::default();
    for (source, offer, alias) in plan.new_ones().filter(|(.., alias)| chosen.contains(alias)) {
        let Some((mut added, files)) = offer.entry.added(alias, secrets) else { continue };
        let listed = offer.entry.allow.is_some() || !offer.entry.deny.is_empty();
        // Looked at first: a server whose lists can't be kept is kept switched off.
        let narrows = listed.then(|| edit.could_narrow(alias));
        added.disabled |= narrows == Some(false);
        if let Err(error) = edit.add(alias, &added) {
            kept.told.push(refused(alias, source, &error.to_string()));
            continue;
        }
        if narrows == Some(true)
            && let Err(error) = edit.narrow(alias, offer.entry.allow.as_deref(), &offer.entry.deny)
        {
            drop(edit.remove(alias));
            kept.told.push(refused(alias, source, &error.to_string()));
            continue;
        }
        if narrows == Some(false) {
            kept.told.push(format!(
                "`{alias}` is kept switched off: only some of its tools were used, and your rules come first; write a rule, then `agent-host enable {alias}`"
            ));
        }
        kept.secrets.extend(files);
        kept.added.push(alias.clone());
    }
    kept
}

fn refused(alias: &Alias, source: &Source, error: &str) -> String {
    format!("`{alias}` of {} is not taken: {}", source.client.name(), error.lines().next().unwrap_or_default())
}

/// Writes it. Secrets come first, so that our file never names one that is not there.
pub(super) fn save(edit: Edit, kept: Kept) -> Result<Config, Failure> {
    let mut put: Vec<&PathBuf> = Vec::new();
    let undone = |put: &[&PathBuf]| put.iter().for_each(|path| drop(std::fs::remove_file(path)));
    for (path, value) in &kept.secrets {
        let made = begin(path).map(|file| (put.push(path), file).1);
        made.and_then(|mut file| file.write_all(value.as_bytes()).and_then(|()| file.sync_all())).map_err(|error| {
            undone(&put);
            Failure::new(Exit::Failed, format!("{} can't be written: {error}", path.display()))
        })?;
    }
    edit.save().map_err(|error| {
        undone(&put);
        unwritten(error)
    })
}

/// A new file, for its owner alone. One that is there is left as it is.
fn begin(path: &Path) -> std::io::Result<File> {
    let folder = path.parent().unwrap_or(Path::new("."));
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
}
