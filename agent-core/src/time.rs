//! Instants that neither a changed wall clock nor a reboot can stretch, and the two shared ports.
//!
//! Is not: a clock. Hosts implement the ports. Clause: ACT-4.

use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A moment by two clocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Instant {
    /// Milliseconds since the Unix epoch, by the wall clock.
    pub wall: u64,
    /// Milliseconds since boot, suspended time included.
    pub boot: u64,
    /// Which boot: any number that differs from one boot to the next.
    pub boot_id: u64,
}

impl Instant {
    /// The instant `ms` milliseconds later by both clocks.
    #[must_use]
    pub const fn after(self, ms: u64) -> Self {
        Self { wall: self.wall.saturating_add(ms), boot: self.boot.saturating_add(ms), boot_id: self.boot_id }
    }

    /// Whether an end has come. Within one boot whichever clock says so; after a reboot the wall clock alone.
    #[must_use]
    pub const fn reached(self, end: Self) -> bool {
        self.wall >= end.wall || (self.boot_id == end.boot_id && self.boot >= end.boot)
    }

    /// Whether the wall clock stands before `last`, which was recorded in an earlier boot; nothing that has an end can
    /// then be trusted to be within it.
    #[must_use]
    pub const fn went_back(self, last: Self) -> bool {
        self.boot_id != last.boot_id && self.wall < last.wall
    }

    /// The wall clock's moment as RFC 3339 in UTC. Days to a date by Howard Hinnant's `civil_from_days`.
    #[must_use]
    pub fn utc(self) -> String {
        let (days, ms) = ((self.wall / 86_400_000) as i64, self.wall % 86_400_000);
        let shifted = days + 719_468;
        let era = shifted.div_euclid(146_097);
        let day_of_era = shifted.rem_euclid(146_097);
        let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let shifted_month = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
        let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
        let year = year_of_era + era * 400 + i64::from(month <= 2);
        let (hour, minute, second, milli) = (ms / 3_600_000, ms / 60_000 % 60, ms / 1000 % 60, ms % 1000);
        format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milli:03}Z")
    }
}

/// The host's clock.
pub trait Clock: Send + Sync {
    /// The present instant.
    fn now(&self) -> Instant;
}

/// The host's source of randomness, fit for secrets.
pub trait Entropy: Send + Sync {
    /// 128 random bits.
    fn bits(&self) -> u128;
}

impl<T: Clock + ?Sized> Clock for Arc<T> {
    fn now(&self) -> Instant {
        (**self).now()
    }
}

impl<T: Entropy + ?Sized> Entropy for Arc<T> {
    fn bits(&self) -> u128 {
        (**self).bits()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn act_4_the_earlier_of_two_clocks_ends_a_grant() {
        let start = Instant { wall: 1000, boot: 10, boot_id: 1 };
        let end = start.after(100);
        assert!(!start.reached(end));
        assert!(Instant { wall: 1100, boot: 20, boot_id: 1 }.reached(end));
        assert!(Instant { wall: 500, boot: 110, boot_id: 1 }.reached(end));
        assert!(!Instant { wall: 1050, boot: 900, boot_id: 2 }.reached(end));
        assert!(Instant { wall: 999, boot: 0, boot_id: 2 }.went_back(start));
        assert!(!Instant { wall: 999, boot: 0, boot_id: 1 }.went_back(start));
    }
}
