//! `sync`: every server is asked, and the lock file holds what they said.
//!
//! Is: the one command that starts servers only to list them. Is not: acceptance; a tool that moved from its pin stays
//! drifted until somebody accepts it. One server's failure is told and hurts no other. Clause: CAT-7 (lock, sync).

mod changes;
mod progress;

#[cfg(test)]
mod tests;

use super::print::Out;
use super::{Exit, Failure};
use crate::config::{self, Config};
use crate::lock::Lock;
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
    /// Servers by their aliases; all that are enabled where none is named.
    #[arg(value_name = "ALIAS", value_parser = Alias::parse)]
    pub(super) aliases: Vec<Alias>,
    /// Change nothing; end with exit code 6 where the lock file is not what the servers say now.
    #[arg(long)]
    pub(super) check: bool,
}

pub(super) async fn sync(config: &Config, state: &Path, sync: Sync) -> Result<(), Failure> {
    let path = Lock::path(config);
    let chosen = chosen(config, &sync.aliases)?;
    let old = match Lock::read(&path) {
        // Asking everybody makes the whole file anew, whatever is wrong with it; anything less needs the rest of it.
        Err(error) if sync.aliases.is_empty() && !sync.check => {
            progress::tell(&format!("the lock file is made anew: {error}"));
            Lock::default()
        }
        read => read?,
    };
    let mut new = Lock { servers: old.servers.clone() };
    new.servers.retain(|alias, _| config.servers.contains_key(alias));
    let asked = chosen.len();
    let mut said = ask(chosen).await?;
    // A listing that was cut neither adds to one that was whole nor takes from it (CAT-4).
    said.retain(|(alias, listed)| listed.cut.is_none() || old.servers.get(alias).is_none_or(|old| old.cut.is_some()));
    let failed = asked - said.len();
    new.servers.extend(said);
    // As it will be read, so that what is written can be.
    let new = Lock::parse(&path, new.text().as_bytes())?;
    let lines = changes::lines(&old.catalog(config), &new.catalog(config), &old, &new, &pins(state)?);
    let changed =
        if sync.check { new.text().as_bytes() != std::fs::read(&path).unwrap_or_default() } else { keep(state, &path, &old, &new)? };
    let mut out = Out::new();
    // Where the reader is gone, the rest is nobody's.
    let _ = lines.iter().try_for_each(|line| out.line(line));
    if !changed {
        let _ = out.line("nothing moved");
    }
    if failed > 0 {
        return Err(Failure::new(
            Exit::Failed,
            format!("{failed} servers could not be asked; what is known of them stays\nhint: `agent-host sync ALIAS` asks one again"),
        ));
    }
    if sync.check && changed {
        return Err(Failure::new(Exit::Moved, "the lock file is not what the servers say now\nhint: `agent-host sync` writes it"));
    }
    Ok(())
}

/// The servers that are asked. One that is named must be there, and enabled.
fn chosen(config: &Config, aliases: &[Alias]) -> Result<BTreeMap<Alias, config::Server>, Failure> {
    for alias in aliases {
        let what = match config.servers.get(alias) {
            None => format!("no server `{}`\nhint: add it to {}", alias.as_str(), config.path.display()),
            Some(settings) if !settings.enabled => format!("server `{}` is disabled\nhint: enable it first", alias.as_str()),
            Some(_) => continue,
        };
        return Err(Failure::new(Exit::Usage, what));
    }
    let enabled = config.servers.iter().filter(|(alias, settings)| settings.enabled && (aliases.is_empty() || aliases.contains(alias)));
    Ok(enabled.map(|(alias, settings)| (alias.clone(), settings.clone())).collect())
}

/// Asks several at a time. Why one could not be asked is told as it happens. Asked to end, it kills what it started.
async fn ask(servers: BTreeMap<Alias, config::Server>) -> Result<Vec<(Alias, Listed)>, Failure> {
    let progress = Arc::new(Progress::new(servers.len()));
    let turns = Arc::new(Semaphore::new(ASKED));
    let mut tasks = JoinSet::new();
    for (alias, settings) in servers {
        let (turns, progress) = (turns.clone(), progress.clone());
        tasks.spawn(async move {
            let _turn = turns.acquire().await;
            progress.asks(&alias);
            let said = Upstreams::look(&settings).await;
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
    let stay = new.definitions();
    let leave = old.definitions().into_iter().filter(|(digest, _)| !stay.contains_key(digest));
    Definitions::of(state).keep(leave)?;
    Ok(new.write(path)?)
}
