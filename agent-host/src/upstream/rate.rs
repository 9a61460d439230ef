//! How often one server's list is read: six times at once, then once in ten seconds.
//!
//! Is: a value that gives out turns. Is not: a timer; whoever takes a turn waits for it by itself. Clause: CAT-6 (notices).

use std::time::Duration;
use tokio::time::Instant;

/// Listings that need not wait, after a quiet minute.
const BURST: u32 = 6;
/// What each listing costs: so long until it is made up for.
const EACH: Duration = Duration::from_secs(10);

/// The turns taken so far, as the moment at which they are all made up for.
#[derive(Debug, Default)]
pub(super) struct Rate(Option<Instant>);

impl Rate {
    /// Takes the next turn, and says how long it is until then.
    pub(super) fn take(&mut self, now: Instant) -> Duration {
        let owed = self.0.map_or(Duration::ZERO, |even| even.saturating_duration_since(now));
        self.0 = Some(now + owed + EACH);
        owed.saturating_sub(EACH * (BURST - 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cat_6_six_listings_go_at_once_and_then_one_in_ten_seconds() {
        let (mut rate, now) = (Rate::default(), Instant::now());
        let waits: Vec<_> = (0..9).map(|_| rate.take(now).as_secs()).collect();
        assert_eq!(waits, [0, 0, 0, 0, 0, 0, 10, 20, 30]);
        let later = now + Duration::from_secs(90);
        assert_eq!((0..7).map(|_| rate.take(later).as_secs()).collect::<Vec<_>>(), [0, 0, 0, 0, 0, 0, 10]);
    }
}
