//! A desktop notification when something begins to wait for a person.
//!
//! Is: one task that looks at what waits, and one text in our words: how many requests, and which command shows them. Is
//! not: the question. Nothing that a model or a server wrote is in it, and it can't be answered. Off unless the operator's
//! file switches it on (`approval.notify`). It holds nothing up: one program at a time, without a shell, ended after
//! [`PATIENCE`]. Clause: AUTH-5. Neighbours: `app` runs it, the engine's `desk` says what waits.

#[cfg(test)]
mod tests;

use crate::config::Config;
use agent_engine::desk::Desk;
use rustix::process::{Pid, Signal, kill_process_group};
use std::io;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;
use tokio::process::Command;
use tokio::sync::watch;
use tokio::time::{Instant, MissedTickBehavior, interval, timeout};

/// Between two looks at what waits.
const LOOK: Duration = Duration::from_secs(1);
/// Between two notifications at the least.
const APART: Duration = Duration::from_secs(10);
/// How long the program that shows one may take.
const PATIENCE: Duration = Duration::from_secs(5);
/// What that program is given of our environment: how to be found, and how to reach the desktop.
const GIVEN: [&str; 7] = ["PATH", "HOME", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY"];

/// Notifies whenever something waits and nothing did a moment before, while the configuration in force says so. A failure is
/// logged once.
pub(crate) async fn follow(desk: Desk, config: watch::Receiver<Arc<Config>>) {
    let (mut bell, mut failed) = (Bell::default(), false);
    let mut every = interval(LOOK);
    every.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        every.tick().await;
        let on = config.borrow().notify;
        let waiting = if on { desk.waiting().len() + desk.inquiries().len() } else { 0 };
        if !bell.rings(waiting, Instant::now()) {
            continue;
        }
        let Some((program, arguments)) = notification(waiting) else {
            tracing::warn!("`approval.notify` is on, and this platform has no notification that agent-host knows");
            return;
        };
        if let Err(error) = show(program, &arguments, PATIENCE).await
            && !std::mem::replace(&mut failed, true)
        {
            tracing::warn!(program, %error, "what waits for a person could not be put on the desktop; this is said once");
        }
    }
}

/// When to notify.
#[derive(Default)]
struct Bell {
    waited: bool,
    owed: bool,
    last: Option<Instant>,
}

impl Bell {
    /// Whether to notify now. What begins to wait too soon after the last time is made up for, if it still waits then.
    fn rings(&mut self, waiting: usize, now: Instant) -> bool {
        self.owed = waiting > 0 && (self.owed || !self.waited);
        self.waited = waiting > 0;
        let rings = self.owed && self.last.is_none_or(|last| now.duration_since(last) >= APART);
        if rings {
            (self.owed, self.last) = (false, Some(now));
        }
        rings
    }
}

/// The program of this platform, and its arguments.
fn notification(waiting: usize) -> Option<(&'static str, Vec<String>)> {
    let wait = if waiting == 1 { "1 request waits".to_owned() } else { format!("{waiting} requests wait") };
    let text = format!("{wait} for a person: agent-host approvals");
    if cfg!(target_os = "linux") {
        Some(("notify-send", vec!["--app-name=agent-host".to_owned(), "agent-host".to_owned(), text]))
    } else if cfg!(target_os = "macos") {
        Some(("osascript", vec!["-e".to_owned(), format!("display notification \"{text}\" with title \"agent-host\"")]))
    } else {
        None
    }
}

/// Runs a program to its end, or ends it and whatever it started. It runs in no folder of ours or of a client's.
async fn show(program: &str, arguments: &[String], patience: Duration) -> io::Result<()> {
    let mut command = Command::new(program);
    command.args(arguments).current_dir("/").env_clear();
    command.envs(GIVEN.iter().filter_map(|name| std::env::var_os(name).map(|value| (name, value))));
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.process_group(0).kill_on_drop(true);
    close_fds::set_fds_cloexec_threadsafe(3, &[]);
    let mut process = command.spawn()?;
    let group = process.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
    let Ok(ended) = timeout(patience, process.wait()).await else {
        // Not waited for yet, so the number is still its own.
        if let Some(group) = group
            && let Err(error) = kill_process_group(group, Signal::KILL)
        {
            tracing::debug!(%error, "a notification's program was gone already");
        }
        process.wait().await?;
        return Err(io::Error::other(format!("it did not end within {} s", patience.as_secs())));
    };
    let status = ended?;
    if status.success() { Ok(()) } else { Err(io::Error::other(status.to_string())) }
}
