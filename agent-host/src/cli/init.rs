//! `init`: the servers that other clients have, taken over one by one after they were shown.
//!
//! In order: files are found and read, everything is shown, somebody says yes, our file is written, the servers are asked
//! what they have, and what to paste into which client is said. No client's file is written, and nothing of one is run before
//! a yes. Is not: a reader (`import`). Clauses: UP-2 (project files, operator's files), AUTH-3. Invariant: I-1 is not touched:
//! a server that is taken over has no tool switched on.

mod ask;
mod keep;

use super::add::absent;
use super::places::Places;
use super::print::{counted, print, warn};
use super::sync::{Sync, sync};
use super::{Exit, Failure};
use crate::config::{Config, Edit, Environment, Origin, Row};
use crate::import::{Client, Machine, Plan, Planned, Reading, Scope, Source, named, offered, paste, project_of, read};
use agent_core::id::Alias;
use agent_core::safety::visible;
use clap::Args;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

/// Bytes of a client's file; the longest of a user's hold whole histories.
const FILE_BYTES: u64 = 64 * 1024 * 1024;
/// Bytes of a checkout's file.
const PROJECT_BYTES: u64 = 1024 * 1024;

#[derive(Debug, Default, Args)]
pub(crate) struct Init {
    /// Only what this client has: claude-desktop, claude-code, cursor, vscode or codex.
    #[arg(long, value_name = "CLIENT", value_parser = Client::parse)]
    from: Option<Client>,
    /// Only what this file has. One that is not your own by its place is asked about server by server.
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// The name that a server gets, in place of the one proposed.
    #[arg(long = "as", value_name = "NAME=ALIAS", value_parser = renamed)]
    names: Vec<(String, Alias)>,
    /// Do not ask: take your own servers, and no project's.
    #[arg(long)]
    yes: bool,
    /// Show what would be written, and write nothing.
    #[arg(long, conflicts_with = "yes")]
    dry_run: bool,
    /// Do not start what was taken over to list its tools.
    #[arg(long)]
    no_sync: bool,
}

fn renamed(text: &str) -> Result<(String, Alias), String> {
    let (name, alias) = text.rsplit_once('=').ok_or("write `NAME=ALIAS`: its name there, and here")?;
    Ok((name.to_owned(), Alias::parse(alias).map_err(|error| error.to_string())?))
}

/// Runs `init`.
///
/// # Errors
/// [`Failure`] with what to print and the code to end with.
pub(crate) async fn init(places: &Places, options: Init) -> Result<(), Failure> {
    let machine = Machine::here()
        .ok_or_else(|| Failure::new(Exit::Usage, "there is no home folder to look for clients in\nhint: `HOME` names it"))?;
    let file = std::path::absolute(places.file(&Environment::ours())?.0).map_err(|error| Failure::new(Exit::Usage, error.to_string()))?;
    let mut edit = Edit::open(&file)?;
    // The file alone was read: where it names no state folder, a variable may.
    let named = Some(edit.config()).filter(|config| config.state.is_some());
    let (state, before) = (places.state(named)?, edit.config().rows());
    let readings = readings(&machine, &options)?;
    let plan = Plan::of(readings, edit.config(), &options.names.iter().cloned().collect::<BTreeMap<_, _>>());
    let chosen = ask::choose(&plan, options.yes, options.dry_run).await?;
    let secrets = std::path::absolute(state.join("secrets")).unwrap_or_else(|_| state.join("secrets"));
    let kept = keep::add(&mut edit, &plan, &chosen, &secrets);
    kept.told.iter().for_each(|line| warn(line));
    if options.dry_run {
        print(&would(&before, &edit));
        return Ok(());
    }
    if kept.added.is_empty() {
        print(&["nothing was taken over; nothing was written".to_owned()]);
        return Ok(());
    }
    let aliases = kept.added.clone();
    let config = keep::save(edit, kept)?;
    print(&[visible(&format!("added {} to {}", counted(aliases.len(), "server"), config.path.display()))]);
    for server in aliases.iter().filter_map(|alias| config.servers.get(alias)) {
        absent(server).iter().for_each(|line| warn(line));
    }
    let synced = if options.no_sync { Ok(()) } else { asked(places, &config, &aliases).await };
    print(&pasted(&plan, places, &config));
    synced
}

/// Asks those that are on what they have.
async fn asked(places: &Places, config: &Config, aliases: &[Alias]) -> Result<(), Failure> {
    let on = |alias: &&Alias| config.servers.get(*alias).is_some_and(|server| server.enabled);
    let aliases: Vec<_> = aliases.iter().filter(on).cloned().collect();
    if aliases.is_empty() {
        return Ok(());
    }
    let (config, state) = places.configured()?;
    sync(&config, &state, Sync { aliases, check: false }).await
}

/// Every file that is there, read.
fn readings(machine: &Machine, options: &Init) -> Result<Vec<Reading>, Failure> {
    let project = std::env::current_dir().ok().and_then(|here| project_of(&here, &machine.home));
    let sources: Vec<Source> = match &options.file {
        Some(file) => {
            let file = std::path::absolute(file).map_err(|error| Failure::new(Exit::Usage, error.to_string()))?;
            vec![named(&file, options.from, machine)]
        }
        None => {
            let all = machine.sources(project.as_deref());
            all.into_iter().filter(|source| options.from.is_none_or(|client| client == source.client)).collect()
        }
    };
    let (mut readings, mut seen) = (Vec::new(), BTreeSet::new());
    for source in sources.into_iter().map(|source| source.settled(project.as_deref(), &machine.home)) {
        // One file, whichever way it was come to.
        if !seen.insert((source.client, source.path.canonicalize().unwrap_or_else(|_| source.path.clone()))) {
            continue;
        }
        let most = if source.scope == Scope::User { FILE_BYTES } else { PROJECT_BYTES };
        match bytes(&source.path, most) {
            Ok(bytes) => readings.push(Reading { read: read(&source, &bytes, machine), source }),
            Err(error) if error.kind() == ErrorKind::NotFound && options.file.is_none() => {}
            Err(error) => {
                let what = visible(&format!("{} can't be read: {error}", source.path.display()));
                if options.file.is_some() {
                    return Err(Failure::new(Exit::Usage, what));
                }
                warn(&what);
            }
        }
    }
    Ok(readings)
}

fn bytes(path: &Path, most: u64) -> std::io::Result<Vec<u8>> {
    // Looked at before it is opened: opening a pipe would wait for its writer.
    if !std::fs::metadata(path)?.is_file() {
        return Err(std::io::Error::other("it is no file"));
    }
    let mut bytes = Vec::new();
    std::fs::File::open(path)?.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most { Err(std::io::Error::other(format!("it is larger than {most} bytes"))) } else { Ok(bytes) }
}

/// Everything that was found, file by file. A file without servers is named where something is to be said of it.
fn found(plan: &Plan) -> Vec<String> {
    let something = |file: &&Planned| !file.offers.is_empty() || file.notes.as_ref().map_or(true, |notes| !notes.is_empty());
    let mut lines: Vec<String> = plan.files.iter().filter(something).flat_map(offered).collect();
    if lines.is_empty() {
        let names = Client::ALL.map(Client::name).join(", ");
        lines.push(format!("no servers were found: looked where {names} keep them"));
        lines.push("hint: `--file FILE` names another file; `agent-host add NAME -- COMMAND` adds a server by hand".to_owned());
    }
    lines
}

/// What a dry run shows at its end: every value that would be new.
fn would(before: &[Row], edit: &Edit) -> Vec<String> {
    let config = edit.config();
    let new = |row: &Row| matches!(row.from, Origin::File { .. }) && !before.iter().any(|old| old.key == row.key);
    let mut lines: Vec<_> = config.rows().iter().filter(|row| new(row)).map(|row| config.line(row)).collect();
    if !lines.is_empty() {
        lines.insert(0, format!("{} would also hold:", config.path.display()));
    }
    lines.push("nothing was written".to_owned());
    lines.iter().map(|line| visible(line)).collect()
}

/// What to paste into each client that something was found of.
fn pasted(plan: &Plan, places: &Places, config: &Config) -> Vec<String> {
    let program = std::env::current_exe().unwrap_or_else(|_| "agent-host".into());
    // What a variable names here says nothing where a client is started.
    let environment = Environment::ours();
    let file = places.file(&environment).ok().filter(|(_, named)| *named).map(|_| config.path.clone());
    let state = places.state.clone().or_else(|| environment.state().ok().flatten()).map(std::path::absolute);
    let flags = [("--config", file), ("--state", state.and_then(Result::ok))];
    let flags = flags.into_iter().filter_map(|(flag, path)| Some([flag.to_owned(), path?.to_string_lossy().into_owned()]));
    let flags: Vec<String> = flags.flatten().collect();
    let mut clients: Vec<Client> = plan.files.iter().filter(|file| !file.offers.is_empty()).map(|file| file.source.client).collect();
    clients.sort();
    clients.dedup();
    let mut lines = vec!["what to paste, in place of what was taken over:".to_owned()];
    lines.extend(clients.into_iter().flat_map(|client| paste(client, &program, &flags)));
    lines.push("no client's file was changed; what stays in one is still started by it, past agent-host".to_owned());
    lines.iter().map(|line| visible(line)).collect()
}
