//! `doctor`: what is well, what is not and what to do, of a configuration, its files and the host that runs on it.
//!
//! Is: looking. Starts no program unless `--start` says so, and changes nothing. Is not: the judge of the boundary, which is
//! `admin`'s. Clauses: AUTH-9, UP-10, CAT-8 (diff), UP-2 (operator's files). Invariant: I-6.
//! Neighbours: `servers`, `drift` and `lack` say the same of their parts.

mod files;
mod finding;
mod host;
mod reach;
mod setup;
mod walls;

use super::places::Places;
use super::print::{counted, json, print};
use super::{Exit, Failure};
use crate::admin::Users;
use crate::config::Config;
use clap::Args;
use files::Named;
use finding::{Finding, Level};
use reach::User;
use serde::Serialize;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
pub(crate) struct Doctor {
    /// The user that the model's client runs as, by name or number, in place of your own.
    #[arg(long, value_name = "USER", value_parser = User::find)]
    client: Option<User>,
    /// Start each server too, list what it has, and stop it.
    #[arg(long)]
    start: bool,
    /// One JSON document.
    #[arg(long)]
    json: bool,
}

/// What `--json` prints.
#[derive(Serialize)]
struct Report<'a> {
    config: Option<&'a Path>,
    state: &'a Path,
    /// As `sessions` has it, for the user that was looked for.
    boundary: crate::admin::Boundary,
    wrong: usize,
    findings: &'a [Finding],
}

/// What is looked at, and for whom.
struct Patient<'a> {
    config: Option<&'a Config>,
    state: &'a Path,
    users: Users,
    client: &'a User,
}

/// Runs `doctor`.
///
/// # Errors
/// [`Exit::Failed`] where something is wrong; what it is was printed.
pub(crate) async fn doctor(places: &Places, options: Doctor) -> Result<(), Failure> {
    let mut findings = Vec::new();
    let (config, state) = match places.found() {
        Ok((config, state)) => (Some(config), state),
        Err(failure) => {
            findings.push(Finding::failed("configuration", &failure));
            (None, places.state(None)?)
        }
    };
    let client = options.client.unwrap_or_else(User::ours);
    let us = rustix::process::geteuid().as_raw();
    // The host is of whoever the state folder belongs to: it runs on no other's.
    let users = Users::new(std::fs::metadata(&state).map_or(us, |meta| meta.uid()), client.id());
    let patient = Patient { config: config.as_ref(), state: &state, users, client: &client };
    let files: Vec<Named> = files::all(&patient);
    findings.extend(config.iter().flat_map(setup::read));
    let (runs, said) = host::said(&patient).await;
    findings.extend(said);
    findings.extend(walls::said(&patient, &files, runs));
    findings.extend(files::open(&files));
    if let Some(config) = &config {
        findings.extend(setup::said(&patient, config));
        findings.extend(host::servers(config, &state).await);
        findings.extend(setup::moved(config, &state));
        if options.start {
            findings.extend(host::started(config, &state).await?);
        }
    }
    let wrong = findings.iter().filter(|finding| finding.level == Level::Wrong).count();
    let path: Option<&PathBuf> = config.as_ref().map(|config| &config.path);
    let report = Report { config: path.map(PathBuf::as_path), state: &state, boundary: users.boundary(), wrong, findings: &findings };
    print(&if options.json { json(&report)? } else { findings.iter().flat_map(Finding::lines).collect() });
    match wrong {
        0 => Ok(()),
        1 => Err(Failure::new(Exit::Failed, "1 thing is wrong\nhint: the line that begins with `wrong` says what to do")),
        _ => {
            let what = format!("{} are wrong\nhint: each line that begins with `wrong` says what to do", counted(wrong, "thing"));
            Err(Failure::new(Exit::Failed, what))
        }
    }
}
