//! Who tried how often to log in as whom, and who may try now.
//!
//! Tries are counted for each operator and place (an IPv4 address, an IPv6 network of 64 bits), as those of the passphrase are at
//! the operator's socket, and apart from them. So a stranger who guesses makes themselves wait, and not the operator. All
//! strangers together have a bound besides, which a place from which an operator logged in before is not under. A name is counted as it was
//! typed, so that one that is nobody's is told from an operator's by no number of tries. Is: in memory, bounded. Is not: a look at the
//! passphrase. Clause: AUTH-4 (console, login).

use super::logins::{Hash, hash};
use crate::admin::passphrase::Tries;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::{Semaphore, SemaphorePermit};

/// Places that are remembered; the one that was used the longest ago makes room.
const PLACES: usize = 4096;
/// Tries of all strangers in a minute.
const STRANGERS: u32 = 60;
const MINUTE: Duration = Duration::from_secs(60);
/// The longest wait of a place, and of this machine: everybody on it is at one place, the operator too, and whoever guesses there must
/// not keep them out.
const ALONE: Duration = Duration::from_secs(15 * 60);
const SHARED: Duration = Duration::from_secs(30);
/// Passphrases that are hashed at a time; each takes 19 MiB.
const HASHES: usize = 2;

/// A name as it was typed, by its hash, and the place.
type From = (Hash, u128);

/// All tries.
pub(super) struct Attempts {
    kept: Mutex<Kept>,
    hashes: Semaphore,
}

#[derive(Default)]
struct Kept {
    places: BTreeMap<From, Place>,
    /// Where an operator logged in, and when last.
    known: BTreeMap<u128, Instant>,
    minute: Option<Instant>,
    strangers: u32,
}

struct Place {
    tries: Arc<Tries>,
    used: Instant,
}

/// Too many tries; one counts again after so long.
pub(super) struct TooMany(pub(super) Duration);

impl Kept {
    /// Counts a try of a stranger's, where there is one left in this minute.
    fn stranger(&mut self, now: Instant) -> Result<(), TooMany> {
        if self.minute.is_none_or(|since| now.duration_since(since) >= MINUTE) {
            (self.minute, self.strangers) = (Some(now), 0);
        }
        if self.strangers >= STRANGERS {
            return Err(TooMany(self.minute.map_or(MINUTE, |since| MINUTE.saturating_sub(now.duration_since(since)))));
        }
        self.strangers += 1;
        Ok(())
    }
}

impl Attempts {
    pub(super) fn new() -> Self {
        Self { kept: Mutex::default(), hashes: Semaphore::new(HASHES) }
    }

    /// What counts the tries from a place, where it may try at all.
    pub(super) fn of(&self, name: &str, peer: IpAddr) -> Result<Arc<Tries>, TooMany> {
        let (mut kept, now) = (self.kept.lock(), Instant::now());
        let from = (hash(name), network(peer));
        let known = kept.known.contains_key(&from.1);
        if let Some(place) = kept.places.get_mut(&from) {
            place.used = now;
            // One that has to wait is not looked at, and costs the others nothing.
            if known || place.tries.waits() {
                return Ok(place.tries.clone());
            }
        }
        if !known {
            kept.stranger(now)?;
        }
        if kept.places.len() >= PLACES && !kept.places.contains_key(&from) {
            let oldest = kept.places.iter().min_by_key(|(_, place)| place.used).map(|(from, _)| *from);
            oldest.map(|oldest| kept.places.remove(&oldest));
        }
        let longest = if peer.to_canonical().is_loopback() { SHARED } else { ALONE };
        let place = || Place { tries: Arc::new(Tries::within(longest)), used: now };
        let place = kept.places.entry(from).or_insert_with(place);
        Ok(place.tries.clone())
    }

    /// An operator logged in from there.
    pub(super) fn succeeded(&self, peer: IpAddr) {
        let (mut kept, now) = (self.kept.lock(), Instant::now());
        if kept.known.len() >= PLACES {
            let oldest = kept.known.iter().min_by_key(|(_, last)| **last).map(|(place, _)| *place);
            oldest.map(|oldest| kept.known.remove(&oldest));
        }
        kept.known.insert(network(peer), now);
    }

    /// Waits for room to hash in. None where the host ends.
    pub(super) async fn room(&self) -> Option<SemaphorePermit<'_>> {
        self.hashes.acquire().await.ok()
    }
}

/// What one subscriber has at hand: an IPv4 address, or 64 bits of an IPv6 address; this machine is one place.
fn network(peer: IpAddr) -> u128 {
    match peer.to_canonical() {
        here if here.is_loopback() => 0,
        IpAddr::V4(address) => u128::from(u32::from(address)),
        IpAddr::V6(address) => u128::from(address) >> 64 << 64,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn at(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn auth_4_a_stranger_who_guesses_makes_themselves_wait_alone() {
        let attempts = Attempts::new();
        let stranger = attempts.of("ada", at("203.0.113.9")).ok().unwrap();
        stranger.begin().unwrap();
        assert!(stranger.begin().is_err());
        assert!(attempts.of("ada", at("::ffff:203.0.113.9")).ok().unwrap().begin().is_err(), "the same place, written otherwise");
        attempts.of("ada", at("198.51.100.7")).ok().unwrap().begin().unwrap();
        attempts.of("eve", at("203.0.113.9")).ok().unwrap().begin().unwrap();
        attempts.of("ada", at("2001:db8::1")).ok().unwrap().begin().unwrap();
        assert!(attempts.of("ada", at("2001:db8::ffff:2")).ok().unwrap().begin().is_err(), "64 bits are one subscriber's");
    }

    #[test]
    fn auth_4_who_waits_uses_up_nobodys_tries_and_this_machine_is_one_place() {
        let attempts = Attempts::new();
        attempts.of("ada", at("203.0.113.9")).ok().unwrap().begin().unwrap();
        for _ in 0..2 * STRANGERS {
            assert!(attempts.of("ada", at("203.0.113.9")).is_ok());
        }
        assert!(attempts.of("eve", at("198.51.100.7")).is_ok());
        attempts.of("ada", at("127.0.0.1")).ok().unwrap().begin().unwrap();
        for here in ["127.0.0.2", "::1", "::ffff:127.0.0.3"] {
            assert!(attempts.of("ada", at(here)).ok().unwrap().begin().is_err(), "{here}");
        }
    }

    #[test]
    fn auth_4_many_strangers_are_bounded_and_a_known_place_is_not_held_up() {
        let attempts = Attempts::new();
        assert!(attempts.of("ada", at("198.51.100.7")).is_ok());
        attempts.succeeded(at("198.51.100.7"));
        let tried = (0..u32::from(u8::MAX)).filter(|last| attempts.of("ada", at(&format!("203.0.113.{last}"))).is_ok()).count();
        assert_eq!(tried, STRANGERS as usize - 1);
        assert!(attempts.of("ada", at("198.51.100.7")).is_ok());
        assert!(attempts.of("nobody", at("198.51.100.7")).is_ok(), "whoever's name it is");
        assert!(attempts.of("ada", at("198.51.100.8")).is_err());
    }

    #[test]
    fn auth_4_names_take_up_no_more_than_a_bound_however_many_are_typed() {
        let attempts = Attempts::new();
        attempts.succeeded(at("127.0.0.1"));
        for number in 0..PLACES + 8 {
            assert!(attempts.of(&format!("{number}").repeat(100), at("127.0.0.1")).is_ok());
        }
        assert_eq!(attempts.kept.lock().places.len(), PLACES);
    }
}
