//! One child process, in a process group of its own, that never outlives its handle.
//!
//! Is not: a protocol. Clause: UP-1 (one process). The child is never waited for before its group was killed: so long
//! its number can't be anybody else's.

use crate::config;
use agent_core::safety::prose;
use parking_lot::Mutex;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use std::collections::VecDeque;
use std::io;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::AsyncReadExt;
use tokio::process::{ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::task::JoinHandle;

/// Bytes kept of what a server last wrote to its standard error.
const TAIL_BYTES: usize = 2048;

/// A running process and everything it started in its group.
pub(super) struct Child {
    group: Option<Pid>,
    _process: tokio::process::Child,
    drain: JoinHandle<()>,
    tail: Arc<Mutex<VecDeque<u8>>>,
}

impl Child {
    /// Starts a server's program, without a shell, with nothing of our environment but `PATH` and `HOME`, and no open file
    /// but its three pipes. For that, whatever this process was given by its own parent is marked to be closed when a
    /// program is started; what we open ourselves is so from the start.
    pub(super) fn spawn(settings: &config::Server) -> io::Result<(Self, ChildStdout, ChildStdin)> {
        let mut command = Command::new(&settings.command);
        command.args(&settings.args).env_clear();
        command.envs(["PATH", "HOME"].iter().filter_map(|name| std::env::var_os(name).map(|value| (name, value))));
        for (name, variable) in &settings.env {
            command.env(name, variable.read().map_err(io::Error::other)?);
        }
        command.process_group(0).kill_on_drop(true);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(cwd) = &settings.cwd {
            command.current_dir(cwd);
        }
        close_fds::set_fds_cloexec_threadsafe(3, &[]);
        let mut process = command.spawn()?;
        let group = process.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
        let pipes = (process.stdin.take(), process.stdout.take(), process.stderr.take());
        let tail = Arc::new(Mutex::new(VecDeque::new()));
        let (Some(stdin), Some(stdout), Some(stderr)) = pipes else { return Err(io::Error::other("no pipes to the process")) };
        let drain = tokio::spawn(drain(stderr, tail.clone()));
        Ok((Self { group, _process: process, drain, tail }, stdout, stdin))
    }

    /// The end of what it wrote to its standard error, on one line, made visible. Of a process that is ending, all of it.
    pub(super) async fn said(&mut self) -> String {
        let whole = tokio::time::timeout(Duration::from_millis(200), &mut self.drain).await;
        tracing::trace!(whole = whole.is_ok(), "reading what a server said");
        let bytes: Vec<u8> = self.tail.lock().iter().copied().collect();
        let text = String::from_utf8_lossy(&bytes);
        prose(&telling(&text).join(" | "), 400)
    }

    /// Lets it end, its input being closed; asks it to; kills what is left. Gives what it said last.
    pub(super) async fn stop(mut self, patience: Duration) -> String {
        if !self.ends_within(patience).await {
            self.signal(Signal::TERM);
            self.ends_within(patience).await;
        }
        self.signal(Signal::KILL);
        self.said().await
    }

    async fn ends_within(&self, patience: Duration) -> bool {
        let poll = Duration::from_millis(10);
        for _ in 0..patience.as_millis() / poll.as_millis() {
            if self.ended() {
                return true;
            }
            tokio::time::sleep(poll).await;
        }
        self.ended()
    }

    /// Whether the process ended, leaving it to be waited for later.
    pub(super) fn ended(&self) -> bool {
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        self.group.is_none_or(|pid| !matches!(waitid(WaitId::Pid(pid), look), Ok(None)))
    }

    fn signal(&self, signal: Signal) {
        if let Some(group) = self.group
            && let Err(error) = kill_process_group(group, signal)
        {
            tracing::debug!(%error, "no process left in the group");
        }
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        self.signal(Signal::KILL);
        self.drain.abort();
    }
}

/// The last three lines; before them the last one that speaks of an error, where none of the three does: a stack trace ends
/// with what says least.
fn telling(text: &str) -> Vec<&str> {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let (before, last) = lines.split_at(lines.len().saturating_sub(3));
    let error = |line: &&&str| line.to_ascii_lowercase().contains("error");
    let early = before.iter().rev().find(error).filter(|_| !last.iter().any(|line| error(&line)));
    early.into_iter().chain(last).copied().collect()
}

/// Reads to the end and keeps the last of it.
async fn drain(mut stderr: ChildStderr, tail: Arc<Mutex<VecDeque<u8>>>) {
    let mut buffer = vec![0; 4096];
    while let Ok(count @ 1..) = stderr.read(&mut buffer).await {
        let mut kept = tail.lock();
        kept.extend(buffer.iter().take(count));
        let surplus = kept.len().saturating_sub(TAIL_BYTES);
        kept.drain(..surplus);
    }
}

#[cfg(test)]
mod tests {
    use super::telling;

    #[test]
    fn a_stack_trace_tells_of_its_error() {
        assert_eq!(telling("a\n\nb\n"), ["a", "b"]);
        assert_eq!(telling("Error: no module x\n  at y\n  at z\n}\n\nNode v20\n"), ["Error: no module x", "  at z", "}", "Node v20"]);
        assert_eq!(telling("Error: 1\nb\nc\nan error\n"), ["b", "c", "an error"]);
    }
}
