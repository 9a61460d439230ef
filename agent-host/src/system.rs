//! The machine's clock and randomness, the user it runs this as, and its words that this should end or read again.
//!
//! Is: the two ports that engine and host share, over the system, a name, and three signals. Is not: timers; whoever waits asks the runtime.
//! Clauses: ACT-4, SES-1.

use agent_core::time::{Clock, Entropy, Instant};
use std::time::{SystemTime, UNIX_EPOCH};
use tokio::signal::unix::{Signal, SignalKind, signal};

/// The wall clock, and the time since boot with suspended time counted.
///
/// On Linux both come from the kernel, boot id included, so that a grant's end survives a restart of the process by
/// either clock. Elsewhere the second clock starts with the process and may stand still while the machine sleeps, and
/// each process counts as a boot of its own: after a restart the wall clock alone decides, as after a reboot.
pub struct SystemClock(boot::Boot);

impl SystemClock {
    /// The clock of this boot.
    #[must_use]
    pub fn new() -> Self {
        Self(boot::Boot::new())
    }
}

impl Default for SystemClock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for SystemClock {
    fn now(&self) -> Instant {
        // A clock before 1970 reads as 1970; nothing recorded ends before that.
        let wall = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Instant { wall: millis(wall), boot: self.0.elapsed(), boot_id: self.0.id() }
    }
}

fn millis(duration: std::time::Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// Waits until somebody asks this process to end: by an interrupt at the terminal, or by SIGTERM.
pub(crate) async fn asked_to_end() {
    let signals = (signal(SignalKind::terminate()), signal(SignalKind::interrupt()));
    let (Ok(mut terminate), Ok(mut interrupt)) = signals else { return std::future::pending().await };
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
}

/// What SIGHUP asks for: to read the configuration again. From the moment this is made, that signal ends nothing.
pub(crate) struct Hangups(Option<Signal>);

impl Hangups {
    pub(crate) fn new() -> Self {
        Self(signal(SignalKind::hangup()).ok())
    }

    /// Waits for the next.
    pub(crate) async fn next(&mut self) {
        let came = match &mut self.0 {
            Some(signal) => signal.recv().await,
            None => None,
        };
        if came.is_none() {
            std::future::pending().await
        }
    }
}

/// This process's user as sessions and records name it: `local:<uid>`.
pub(crate) fn user() -> String {
    format!("local:{}", rustix::process::geteuid().as_raw())
}

/// The operating system's generator.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemEntropy;

impl Entropy for SystemEntropy {
    /// Ends the process where the system gives no randomness: an id that can be guessed is worse than a host that is
    /// down, and nothing acknowledged is lost.
    fn bits(&self) -> u128 {
        let mut bytes = [0; 16];
        if let Err(error) = getrandom::fill(&mut bytes) {
            tracing::error!(%error, "the system gives no randomness");
            std::process::abort();
        }
        u128::from_ne_bytes(bytes)
    }
}

/// Both halves of a random number count.
const fn fold(bits: u128) -> u64 {
    (bits >> 64) as u64 ^ bits as u64
}

#[cfg(target_os = "linux")]
mod boot {
    use super::{Entropy, SystemEntropy, fold};
    use rustix::time::{ClockId, clock_gettime};

    pub(super) struct Boot(u64);

    impl Boot {
        /// The kernel's random id of this boot; without it, this process counts as a boot of its own.
        pub(super) fn new() -> Self {
            let text = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
            let digits: String = text.trim().split('-').collect();
            Self(fold(u128::from_str_radix(&digits, 16).unwrap_or_else(|_| SystemEntropy.bits())))
        }

        pub(super) const fn id(&self) -> u64 {
            self.0
        }

        pub(super) fn elapsed(&self) -> u64 {
            let time = clock_gettime(ClockId::Boottime);
            let part = |number: i64| u64::try_from(number).unwrap_or_default();
            part(time.tv_sec).saturating_mul(1000).saturating_add(part(time.tv_nsec) / 1_000_000)
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod boot {
    use super::{Entropy, SystemEntropy, fold, millis};

    pub(super) struct Boot {
        id: u64,
        anchor: std::time::Instant,
    }

    impl Boot {
        pub(super) fn new() -> Self {
            Self { id: fold(SystemEntropy.bits()), anchor: std::time::Instant::now() }
        }

        pub(super) const fn id(&self) -> u64 {
            self.id
        }

        pub(super) fn elapsed(&self) -> u64 {
            millis(self.anchor.elapsed())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn act_4_two_clocks_of_one_boot_agree_and_go_on() {
        let (one, two) = (SystemClock::new(), SystemClock::new());
        let first = one.now();
        std::thread::sleep(std::time::Duration::from_millis(20));
        let then = two.now();
        assert!(then.reached(first.after(20)) && !then.reached(first.after(60_000)));
        assert!(then.boot >= first.boot + 20);
        assert_eq!(first.boot_id == then.boot_id, cfg!(target_os = "linux"));
    }

    #[test]
    fn ses_1_no_two_draws_are_the_same() {
        let draws: std::collections::BTreeSet<_> = (0..1000).map(|_| SystemEntropy.bits()).collect();
        assert_eq!(draws.len(), 1000);
    }
}
