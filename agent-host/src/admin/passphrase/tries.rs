//! How often a wrong passphrase was tried, and when the next try counts.
//!
//! Is: in memory; a restart forgets it. Whoever can restart the host can read the hash as well.

use parking_lot::Mutex;
use std::time::{Duration, Instant};

/// After the first wrong try; each one doubles it.
const FIRST: Duration = Duration::from_secs(1);
/// Never longer.
const LONGEST: Duration = Duration::from_secs(15 * 60);

#[derive(Default)]
pub(crate) struct Tries(Mutex<Failed>);

#[derive(Default)]
struct Failed {
    times: u32,
    until: Option<Instant>,
}

impl Tries {
    /// Counts a try as failed, and says how long the one after it has to wait.
    ///
    /// # Errors
    /// How long this one has to wait still; it is not counted.
    pub(crate) fn begin(&self) -> Result<Duration, Duration> {
        let (mut failed, now) = (self.0.lock(), Instant::now());
        let left = failed.until.map_or(Duration::ZERO, |until| until.saturating_duration_since(now));
        if !left.is_zero() {
            return Err(left);
        }
        let next = FIRST.saturating_mul(1 << failed.times.min(16)).min(LONGEST);
        *failed = Failed { times: failed.times.saturating_add(1), until: Some(now + next) };
        Ok(next)
    }

    /// It was the right one.
    pub(crate) fn forget(&self) {
        *self.0.lock() = Failed::default();
    }
}
