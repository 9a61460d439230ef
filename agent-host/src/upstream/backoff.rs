//! How long a server that failed is left alone: 1 second, then twice as long each time, up to a minute.
//!
//! Is: a value that is told what happened and when. Is not: a timer; nothing is started because a rest is over. Clause:
//! UP-1 (backoff).

use super::start_error::StartError;
use std::time::Duration;
use tokio::time::Instant;

/// The first rest.
const FIRST: Duration = Duration::from_secs(1);
/// No rest is longer.
const LONGEST: Duration = Duration::from_secs(60);

/// The rests between tries of something that should stay: each is twice the one before, until it stayed for long.
pub(super) struct Rests {
    first: Duration,
    next: Duration,
}

impl Rests {
    pub(super) const fn from(first: Duration) -> Self {
        Self { first, next: first }
    }

    /// The rest after it stayed so long.
    pub(super) fn after(&mut self, stayed: Duration) -> Duration {
        let rest = if stayed > LONGEST { self.first } else { self.next };
        self.next = (rest * 2).min(LONGEST);
        rest
    }
}

/// A rest in whole seconds, never 0.
pub(super) fn seconds(rest: Duration) -> u64 {
    rest.as_secs() + u64::from(rest.subsec_nanos() > 0)
}

/// What is held against a server; nothing where it last lived.
#[derive(Debug, Default)]
pub(super) struct Backoff(Option<Failure>);

#[derive(Debug)]
struct Failure {
    why: StartError,
    rest: Duration,
    until: Instant,
}

impl Backoff {
    /// It would not start, or ended soon after.
    pub(super) fn failed(&mut self, why: StartError, now: Instant) {
        let rest = self.0.as_ref().map_or(FIRST, |before| (before.rest * 2).min(LONGEST));
        self.0 = Some(Failure { why, rest, until: now + rest });
    }

    /// It did what it was started for.
    pub(super) fn lived(&mut self) {
        self.0 = None;
    }

    /// Why it failed last, and for how long yet it is left alone.
    pub(super) fn last(&self, now: Instant) -> Option<(&StartError, Duration)> {
        self.0.as_ref().map(|failure| (&failure.why, failure.until.saturating_duration_since(now)))
    }

    /// Why it is left alone, while it is, and until when.
    pub(super) fn resting(&self, now: Instant) -> Option<StartError> {
        let (why, rest) = self.last(now).filter(|(_, rest)| !rest.is_zero())?;
        Some(why.and(&format!("it is tried again in {}s", seconds(rest))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn up_1_each_rest_is_twice_the_one_before_up_to_a_minute() {
        let (mut backoff, mut now) = (Backoff::default(), Instant::now());
        let mut rests = Vec::new();
        for _ in 0..8 {
            assert_eq!(backoff.resting(now), None);
            backoff.failed(StartError::other("no".to_owned()), now);
            let rest = backoff.last(now).map(|(_, rest)| rest).unwrap_or_default();
            let told = format!("no; it is tried again in {}s", rest.as_secs());
            assert_eq!(backoff.resting(now), Some(StartError::other(told)));
            rests.push(rest.as_secs());
            now += rest;
        }
        assert_eq!(rests, [1, 2, 4, 8, 16, 32, 60, 60]);
        assert_eq!(backoff.last(now).map(|(_, rest)| rest), Some(Duration::ZERO), "why it failed is known until it lived");
        backoff.lived();
        assert!(backoff.last(now).is_none());
        backoff.failed(StartError::login("no key".to_owned()), now);
        let part = now + Duration::from_millis(100);
        assert_eq!(backoff.resting(part), Some(StartError::login("no key; it is tried again in 1s".to_owned())));
    }
}
