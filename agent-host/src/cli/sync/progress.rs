//! How far a sync is, on standard error: a bar on a terminal, else a line for each server.

use crate::cli::print::{counted, tell};
use crate::upstream::Listed;
use agent_core::id::Alias;
use indicatif::{ProgressBar, ProgressStyle};
use parking_lot::Mutex;
use std::collections::BTreeSet;
use std::io::IsTerminal;
use std::time::Duration;

/// Between two turns of the bar's wheel.
const TURN: Duration = Duration::from_millis(120);

/// A sync as it goes on.
pub(super) struct Progress {
    /// None where there is no terminal.
    bar: Option<ProgressBar>,
    /// Who has not answered yet.
    open: Mutex<BTreeSet<Alias>>,
}

impl Progress {
    pub(super) fn new(servers: usize) -> Self {
        let bar = (std::io::stderr().is_terminal() && servers > 0).then(|| {
            let bar = ProgressBar::new(servers as u64);
            if let Ok(style) = ProgressStyle::with_template("{spinner} {bar:20} {pos} of {len} asked {msg}") {
                bar.set_style(style);
            }
            bar.enable_steady_tick(TURN);
            bar
        });
        Self { bar, open: Mutex::default() }
    }

    /// A server is asked now.
    pub(super) fn asks(&self, alias: &Alias) {
        self.open.lock().insert(alias.clone());
        self.name();
    }

    /// A server answered, or did not.
    pub(super) fn asked(&self, alias: &Alias, said: &Result<Listed, String>) {
        self.open.lock().remove(alias);
        self.name();
        match said {
            Ok(listed) => {
                self.line(&format!("{alias}: {}", counted(listed.definitions.len(), "tool")), false);
                listed.cut.iter().for_each(|cut| self.line(&format!("{}: {cut}", alias.as_str()), true));
            }
            Err(what) => self.line(&format!("server `{}`: {what}", alias.as_str()), true),
        }
        if let Some(bar) = &self.bar {
            bar.inc(1);
        }
    }

    pub(super) fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    /// Who is waited for.
    fn name(&self) {
        if let Some(bar) = &self.bar {
            let open: Vec<_> = self.open.lock().iter().map(|alias| alias.as_str().to_owned()).collect();
            bar.set_message(if open.is_empty() { String::new() } else { format!("(waiting for {})", open.join(", ")) });
        }
    }

    /// Beside a bar only what went wrong has a line of its own.
    fn line(&self, text: &str, wrong: bool) {
        match &self.bar {
            None => tell(text),
            Some(bar) if wrong => bar.suspend(|| tell(text)),
            Some(_) => {}
        }
    }
}
