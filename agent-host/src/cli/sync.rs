//! `sync`: every server is asked, and the lock file holds what they said.
//!
//! Is: the one command that starts servers only to list them. Is not: acceptance; a tool that moved from its pin stays
//! drifted until somebody accepts it. One server's failure is told and hurts no other. Clause: CAT-7 (lock, sync).

mod changes;
mod progress;

#[cfg(test)]
mod tests;

use super::lack::Lack;
use super::print::{counted, print, tell};
use super::{Exit, Failure};
use crate::config::{self, Config};
use crate::lock::Lock;
use crate::login::Logins;
use crate::store::{Definitions, pins};
use crate::system::asked_to_end;
use crate::upstream::{Listed, Upstreams};
use agent_core::id::Alias;
use clap::Args;
use progress::Progress;
use std::collections::BTreeMap;
use std::path::Path;
use std::pin::pin;
use std::sync::Arc;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

/// Servers asked at a time.
const ASKED: usize = 4;

/// Who is asked.
#[derive(Debug, Default, Args)]
pub(crate) struct Sync {
    /// Servers by their names; all that are enabled where none is named.
    #[arg(value_name = "NAME", value_parser = Alias::parse)]
    pub(super) aliases: Vec<Alias>,
    /// Change nothing; end with exit code 6 where the lock file is not what the servers say now.
    #[arg(long)]
    pub(super) check: bool,
}

pub(super) async fn sync(config: &Config, state: &Path, sync: Sync) -> Result<(), Failure> {
    let path = Lock::path(config);
    let chosen = chosen(config, &sync.aliases)?;
    let (old, unreadable) = match Lock::read(&path) {
        // Asking everybody makes the whole file anew, whatever is wrong with it; anything less needs the rest of it.
        Err(error) if sync.aliases.is_empty() && !sync.check => {
            let what = error.to_string();
            tell(&format!("the lock file is made anew: {}", what.lines().next().unwrap_or_default()));
            (Lock::default(), true)
        }
        read => (read?, false),
    };
    let mut missing = Missing { silent: chosen.keys().cloned().collect(), cut: Vec::new() };
    let mut said = ask(chosen, state).await?;
    missing.silent.retain(|alias| !said.iter().any(|(answered, _)| answered == alias));
    // A listing that was cut neither adds to one that was whole nor takes from it (CAT-4). What can't be read may have been.
    said.retain(|(alias, listed)| {
        let was_whole = old.servers.get(alias).map_or(unreadable, |old| old.cut.is_none());
        let cut = Lock::too_much(listed).or_else(|| listed.cut.clone().filter(|_| was_whole));
        missing.cut.extend(cut.iter().map(|why| (alias.clone(), why.clone())));
        cut.is_none()
    });
    if unreadable && !missing.is_empty() {
        return Err(missing.anew(&path));
    }
    let mut new = Lock { servers: old.servers.clone() };
    new.servers.retain(|alias, _| config.servers.contains_key(alias));
    new.servers.extend(said);
    // As it will be read, so that what is written can be.
    let new = Lock::parse(&path, new.text().as_bytes())?;
    let mut lines = changes::lines(&old.catalog(config), &new.catalog(config), &old, &new, &pins(state)?);
    let changed =
        if sync.check { new.text().as_bytes() != std::fs::read(&path).unwrap_or_default() } else { keep(state, &path, &old, &new)? };
    if !changed {
        lines.push("nothing moved".to_owned());
    }
    print(&lines);
    if !missing.is_empty() {
        return Err(missing.kept());
    }
    if sync.check && changed {
        return Err(Failure::new(Exit::Moved, "the lock file is not what the servers say now\nhint: `agent-host sync` writes it"));
    }
    Ok(())
}

/// Who was asked and did not say all they have.
struct Missing {
    /// Could not be asked.
    silent: Vec<Alias>,
    /// Listed only a part, each with the reason.
    cut: Vec<(Alias, String)>,
}

impl Missing {
    const fn is_empty(&self) -> bool {
        self.silent.is_empty() && self.cut.is_empty()
    }

    /// The rest of the file stands.
    fn kept(&self) -> Failure {
        let cut = self.cut.iter().map(|(alias, why)| format!("`{alias}` listed only a part ({why}); what it listed before stays"));
        let mut lines: Vec<_> = cut.collect();
        if !self.silent.is_empty() {
            let (servers, which) = (counted(self.silent.len(), "server"), names(&self.silent));
            let them = if self.silent.len() == 1 { "it" } else { "them" };
            lines.push(format!("{servers} could not be asked ({which}); what is known of {them} stays"));
        }
        lines.push("hint: `agent-host sync NAME` asks one again".to_owned());
        Failure::new(Exit::Failed, lines.join("\n"))
    }

    /// There is no rest that could stand.
    fn anew(&self, path: &Path) -> Failure {
        let all: Vec<_> = self.silent.iter().chain(self.cut.iter().map(|(alias, _)| alias)).cloned().collect();
        let what = format!("nothing is written: the lock file can't be read, and what it holds of {} would be lost", names(&all));
        let answer = if all.len() == 1 { "it answers" } else { "they answer" };
        let hint = format!("`agent-host sync` again once {answer} whole, or move {} away first", path.display());
        Failure::new(Exit::Failed, format!("{what}\nhint: {hint}"))
    }
}

fn names(aliases: &[Alias]) -> String {
    aliases.iter().map(|alias| format!("`{alias}`")).collect::<Vec<_>>().join(", ")
}

/// The servers that are asked. One that is named must be there, and enabled.
fn chosen(config: &Config, aliases: &[Alias]) -> Result<BTreeMap<Alias, config::Server>, Failure> {
    for alias in aliases {
        let lack = match config.servers.get(alias) {
            None => Lack::unconfigured(config, alias),
            Some(settings) if !settings.enabled => Lack::disabled(alias),
            Some(_) => continue,
        };
        return Err(Failure { exit: Exit::Usage, ..lack.failure() });
    }
    let enabled = config.servers.iter().filter(|(alias, settings)| settings.enabled && (aliases.is_empty() || aliases.contains(alias)));
    Ok(enabled.map(|(alias, settings)| (alias.clone(), settings.clone())).collect())
}

/// Asks several at a time. Why one could not be asked is told as it happens. Asked to end, it kills what it started.
async fn ask(servers: BTreeMap<Alias, config::Server>, state: &Path) -> Result<Vec<(Alias, Listed)>, Failure> {
    let progress = Arc::new(Progress::new(servers.len()));
    let turns = Arc::new(Semaphore::new(ASKED));
    let logins = Arc::new(Logins::of(state));
    let mut tasks = JoinSet::new();
    for (alias, settings) in servers {
        let (turns, progress, logins) = (turns.clone(), progress.clone(), logins.clone());
        tasks.spawn(async move {
            let _turn = turns.acquire().await;
            progress.asks(&alias);
            let said = Upstreams::look(&alias, &settings, logins).await;
            progress.asked(&alias, &said);
            said.ok().map(|listed| (alias, listed))
        });
    }
    let mut said = Vec::new();
    let mut end = pin!(asked_to_end());
    loop {
        tokio::select! {
            next = tasks.join_next() => match next {
                Some(done) => said.extend(done.ok().flatten()),
                None => break,
            },
            () = &mut end => {
                tasks.shutdown().await;
                progress.end();
                return Err(Failure::new(Exit::Failed, "interrupted; the lock file is as it was"));
            }
        }
    }
    progress.end();
    Ok(said)
}

/// Writes the lock file; definitions that leave it are kept first, so that what moved can be shown.
fn keep(state: &Path, path: &Path, old: &Lock, new: &Lock) -> Result<bool, Failure> {
    let (definitions, pinned) = (Definitions::of(state), pins(state)?.into_values().collect());
    for alias in old.servers.keys() {
        let stay = new.definitions(alias);
        let leave = old.definitions(alias).into_iter().filter(|(digest, _)| !stay.contains_key(digest));
        definitions.keep(leave, &pinned)?;
    }
    Ok(new.write(path)?)
}
