//! What the host serves from, as it changes: configuration, policy, servers and what they list.
//!
//! Is: the one task that publishes after the start, so one change is whole before the next begins. Is not: a reader of
//! files (`config`, `lock`), nor a judge: what was read is checked as at the start, or all of it is refused.
//! Clauses: HOST-2, POL-2, CAT-6 (publishing), CAT-7 (lock, sync). Neighbours: `host` starts it, `admin` asks it.
//!
//! The order of a change is what keeps a tool from being used under a rule that was not written for it. First what is gone
//! or has other settings is withdrawn, from the pool and then from the catalog. Then the policy is put in force. Only then
//! are the new servers admitted, and the catalog published that has them.

mod difference;

#[cfg(test)]
mod tests;

use super::publish::Publishing;
use super::watched::Watched;
use super::{TICK, tell};
use crate::admin::{Changes, Reloaded};
use crate::cli::{Again, Exit, Failure};
use crate::config::{Config, Origin};
use crate::lock::Lock;
use crate::system::Hangups;
use crate::upstream::{Trouble, Upstreams};
use agent_engine::desk::Desk;
use difference::{difference, suspended};
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinSet;
use tokio::time::MissedTickBehavior;

/// What it takes to reload.
pub(super) struct Reload {
    again: Again,
    config: watch::Sender<Arc<Config>>,
    state: PathBuf,
    upstreams: Arc<Upstreams>,
    desk: Desk,
    catalog: Publishing,
    listings: JoinSet<()>,
    /// The file for which the last reload was refused. What is in force may know nothing of it.
    refused: Option<PathBuf>,
}

impl Reload {
    /// On a configuration that is in force. Each later one is told by the same sender, once all of it is in force.
    pub(super) fn new(
        again: Again,
        config: watch::Sender<Arc<Config>>,
        state: PathBuf,
        upstreams: Arc<Upstreams>,
        desk: Desk,
        catalog: Publishing,
    ) -> Self {
        Self { again, config, state, upstreams, desk, catalog, listings: JoinSet::new(), refused: None }
    }

    /// Takes in what changes from now on, as it is asked to or finds it, and tells what goes wrong, each as it comes.
    pub(super) async fn follow(
        mut self,
        mut asked: mpsc::Receiver<oneshot::Sender<Reloaded>>,
        mut hangups: Hangups,
        mut changed: watch::Receiver<()>,
        mut known: Vec<Trouble>,
    ) {
        let mut file = Watched::new(self.files());
        let mut told = None;
        let mut look = tokio::time::interval(TICK);
        look.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let (answer, found) = tokio::select! {
                Some(answer) = asked.recv() => (Some(answer), false),
                () = hangups.next() => (None, false),
                _ = look.tick() => (None, true),
            };
            if !found || file.moved() {
                file.reading();
                let reloaded = self.reload().await;
                file.look_at(self.files());
                report(&reloaded, found, &mut told);
                // Whoever asked may be gone; it is done either way.
                let _ = answer.map(|answer| answer.send(reloaded).is_ok());
            }
            self.catalog.read_again().await;
            if changed.has_changed().unwrap_or_default() {
                changed.mark_unchanged();
                self.catalog.publish().await;
                let troubles = self.upstreams.troubles();
                troubles.iter().filter(|trouble| !known.contains(trouble)).for_each(|trouble| tell(&trouble.to_string()));
                known = troubles;
            }
        }
    }

    /// The files to look at: those of what is in force, and the one that has to be mended before something else can be.
    fn files(&self) -> Vec<PathBuf> {
        let mut files = self.config.borrow().files();
        files.extend(self.refused.clone().filter(|file| !files.contains(file)));
        files
    }

    /// Reads everything again, and takes it in whole or not at all.
    async fn reload(&mut self) -> Reloaded {
        match self.read().await {
            Ok((config, lock)) => {
                self.refused = None;
                Reloaded::Taken(Box::new(self.take(config, lock).await))
            }
            Err(Failure { text: why, file, .. }) => {
                self.refused = file;
                Reloaded::Refused { why }
            }
        }
    }

    /// Reads and checks everything, and changes nothing. The lock file is not needed where the configuration is the same.
    async fn read(&mut self) -> Result<(Config, Option<Lock>), Failure> {
        let again = self.again.clone();
        let read = tokio::task::spawn_blocking(move || again()).await;
        let (config, state) = read.unwrap_or_else(|error| Err(Failure::new(Exit::Failed, format!("it could not be read: {error}"))))?;
        let before = self.config.borrow().clone();
        if state != self.state {
            return Err(fixed(&config, "state"));
        }
        if config.starts != before.starts {
            return Err(fixed(&config, "records.start"));
        }
        if (config.console.listen, config.console.proxy) != (before.console.listen, before.console.proxy) {
            return Err(fixed(&config, "console.listen"));
        }
        if difference(&before, &config).is_nothing() {
            return Ok((config, None));
        }
        let file = self.catalog.lock_file();
        let broken = |why| Failure { file: Some(file), ..Failure::new(Exit::Usage, why) };
        let lock = self.catalog.lock().await.map_err(broken)?;
        Ok((config, Some(lock)))
    }

    async fn take(&mut self, config: Config, lock: Option<Lock>) -> Changes {
        let before = self.config.borrow().clone();
        let suspended_before = suspended(&self.desk);
        self.catalog.without(self.upstreams.withdraw(&config.servers)).await;
        let (policy, recorded) = self.desk.put_in_force(config.policy.clone()).await;
        if let Some(lock) = lock {
            self.upstreams.admit(&config.servers, &lock.servers);
            self.catalog.goes_by(&config);
            self.catalog.knows(&lock);
            self.catalog.publish().await;
            self.list();
        }
        self.desk.use_synonyms(config.synonyms.clone());
        let suspended_now = suspended(&self.desk);
        let new = |warning: &&String| !before.warnings.contains(warning);
        config.warnings.iter().filter(new).for_each(|warning| tell(&format!("warning: {warning}")));
        let differs = difference(&before, &config);
        self.config.send_replace(Arc::new(config));
        Changes {
            policy,
            recorded,
            suspended: suspended_now.difference(&suspended_before).count(),
            back: suspended_before.difference(&suspended_now).count(),
            ..differs
        }
    }

    /// Lists the servers of which nothing is known, in the background, as at the start.
    fn list(&mut self) {
        while self.listings.try_join_next().is_some() {}
        let upstreams = self.upstreams.clone();
        self.listings.spawn(async move { drop(upstreams.refresh().await) });
    }
}

/// What a running host rests on can't be exchanged under it.
fn fixed(config: &Config, key: &str) -> Failure {
    let mut place = config.path.display().to_string();
    if let Origin::File { line } = config.origins.get(key) {
        place.push_str(&format!(":{line}"));
    }
    let hint = "take that change back, or end the host and start it again";
    Failure::new(Exit::Usage, format!("{place}: `{key}` can't change while the host runs\nhint: {hint}"))
}

/// Tells what a reload came to. That nothing changed is for whoever asked, and not for one that was `found`; nor is what was `told`
/// last said again then.
fn report(reloaded: &Reloaded, found: bool, told: &mut Option<String>) {
    let why = if let Reloaded::Refused { why } = reloaded { Some(why.clone()) } else { None };
    let before = std::mem::replace(told, why);
    match reloaded {
        Reloaded::Refused { why } if found && before.as_ref() == Some(why) => {}
        Reloaded::Taken(changes) if found && changes.is_nothing() => {}
        Reloaded::Taken(changes) => {
            tell("the configuration was read again, and is in force:");
            changes.lines().iter().for_each(|line| tell(&format!("  {line}")));
            if !changes.recorded {
                tell("  that the policy is in force could not be recorded");
            }
        }
        Reloaded::Refused { why } => tell(&format!("the configuration was read again and refused; what was in force still is: {why}")),
    }
}
