//! How often a wrong passphrase was tried, and when the next try counts.
//!
//! Is: in memory; a restart forgets it. Whoever can restart the host can read the hash as well.

use parking_lot::Mutex;
use std::time::{Duration, Instant};

/// After the first wrong try; each one doubles it.
const FIRST: Duration = Duration::from_secs(1);
/// Never longer.
const LONGEST: Duration = Duration::from_secs(15 * 60);

pub(crate) struct Tries {
    failed: Mutex<Failed>,
    longest: Duration,
}

impl Default for Tries {
    fn default() -> Self {
        Self::within(LONGEST)
    }
}

#[derive(Default)]
struct Failed {
    times: u32,
    until: Option<Instant>,
}

impl Tries {
    /// No wait is longer than this.
    pub(crate) fn within(longest: Duration) -> Self {
        Self { failed: Mutex::default(), longest }
    }

    /// Whether a try now would not be looked at.
    pub(crate) fn waits(&self) -> bool {
        self.failed.lock().until.is_some_and(|until| until > Instant::now())
    }

    /// Counts a try as failed, and says how long the one after it has to wait.
    ///
    /// # Errors
    /// How long this one has to wait still; it is not counted.
    pub(crate) fn begin(&self) -> Result<Duration, Duration> {
        let (mut failed, now) = (self.failed.lock(), Instant::now());
        let left = failed.until.map_or(Duration::ZERO, |until| until.saturating_duration_since(now));
        if !left.is_zero() {
            return Err(left);
        }
        let next = FIRST.saturating_mul(1 << failed.times.min(16)).min(self.longest);
        *failed = Failed { times: failed.times.saturating_add(1), until: Some(now + next) };
        Ok(next)
    }

    /// It was the right one.
    pub(crate) fn forget(&self) {
        *self.failed.lock() = Failed::default();
    }
}
