//! Bearer tokens: a secret that says whom the host takes its bearer for, and what is kept of it.
//!
//! Is not: what the bearer may do, which policy and grants say; nor the list of those that stand (`state`).
//! Clause: SES-4 (tokens). Neighbours: `session` has the public names.

use crate::digest::{Digest, Domain};
use crate::session::{PrincipalId, ProfileId, TokenId, TokenNote, bits};
use crate::time::Instant;
use serde::{Deserialize, Serialize};
use std::fmt;
use subtle::ConstantTimeEq;

/// What a token's text begins with, by which it is told from credentials of another kind.
pub const PREFIX: &str = "aht_";

/// A token's secret, shown once: `aht_` and 64 hexadecimal digits. Its text is in no log and in no record; only
/// [`Token::digest`] is stored.
#[derive(Clone)]
pub struct Token(u128, u128);

impl Token {
    /// From 256 random bits.
    #[must_use]
    pub const fn new(high: u128, low: u128) -> Self {
        Self(high, low)
    }

    /// Reads what a client presents, in the form in which it was shown; nothing else is one.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (high, low) = text.strip_prefix(PREFIX)?.split_at_checked(32)?;
        Some(Self(bits(high)?, bits(low)?))
    }

    /// The text handed to whoever made it, once.
    #[must_use]
    pub fn reveal(&self) -> String {
        format!("{PREFIX}{:032x}{:032x}", self.0, self.1)
    }

    /// What is stored of it.
    #[must_use]
    pub fn digest(&self) -> Digest {
        Digest::of(Domain::Token, &[self.0.to_be_bytes(), self.1.to_be_bytes()].concat())
    }

    /// Compares in constant time.
    #[must_use]
    pub fn matches(&self, stored: &Digest) -> bool {
        self.digest().bytes().ct_eq(stored.bytes()).into()
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(redacted)")
    }
}

/// What is kept of a token.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TokenRecord {
    /// Its public name.
    pub id: TokenId,
    /// Whom its bearer is taken for.
    pub principal: PrincipalId,
    /// The ceiling of its bearer's sessions; without one it is the configuration's.
    pub profile: Option<ProfileId>,
    /// The digest of its secret.
    pub digest: Digest,
    /// Whether it may stand in a URL, where others than its bearer may see it.
    pub url: bool,
    /// What the operator wrote beside it.
    pub note: Option<TokenNote>,
    /// When it was made.
    pub made: Instant,
    /// When it ends, if it does by itself.
    pub until: Option<Instant>,
}

impl TokenRecord {
    /// Whether its end has come.
    #[must_use]
    pub fn over(&self, now: Instant) -> bool {
        self.until.is_some_and(|until| now.reached(until))
    }

    /// Whether it is worth something now. One that has an end is not while the clock stands before the moment it was made.
    #[must_use]
    pub fn stands(&self, now: Instant) -> bool {
        self.until.is_none_or(|until| !now.reached(until) && !now.went_back(self.made))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn ses_4_a_token_is_stored_hashed_and_never_printed() {
        let token = Token::new(7, 8);
        let text = token.reveal();
        assert_eq!(text, format!("aht_{:032x}{:032x}", 7, 8));
        assert!(token.matches(&token.digest()));
        for other in [Token::new(8, 7), Token::new(7, 0), Token::new(0, 8)] {
            assert!(!other.matches(&token.digest()));
        }
        assert!(Token::parse(&text).unwrap().matches(&token.digest()));
        assert!(!format!("{token:?}").contains('7'));
        let key = crate::session::SessionKey::new(7).digest();
        assert!(!token.matches(&key) && !Token::new(0, 7).matches(&key));
    }

    #[test]
    fn ses_4_a_token_is_read_only_as_it_was_shown() {
        let text = Token::new(u128::MAX, 1).reveal();
        let upper = format!("aht_{}", text.trim_start_matches("aht_").to_uppercase());
        let bare = text.trim_start_matches("aht_");
        let split = format!("aht_{}é{}", "0".repeat(31), "0".repeat(31));
        for wrong in ["", "aht_", bare, &upper, &text[..67], &format!("{text}0"), &format!(" {text}"), &format!("{text}\n"), &split] {
            assert!(Token::parse(wrong).is_none(), "{wrong:?}");
        }
    }

    #[test]
    fn ses_4_a_token_ends_by_either_clock() {
        let made = Instant { wall: 1_000, boot: 10, boot_id: 1 };
        let record = |until| TokenRecord {
            id: TokenId::new(1),
            principal: PrincipalId::parse("ada").unwrap(),
            profile: None,
            digest: Token::new(1, 2).digest(),
            url: false,
            note: None,
            made,
            until,
        };
        let (ends, stays) = (record(Some(made.after(100))), record(None));
        let rebooted = |wall| Instant { wall, boot: 5, boot_id: 2 };
        for (now, stands) in [
            (made, true),
            (made.after(99), true),
            (made.after(100), false),
            (Instant { boot: 110, ..made }, false),
            (rebooted(1_050), true),
            (rebooted(1_100), false),
            (rebooted(999), false),
        ] {
            assert_eq!(ends.stands(now), stands, "{now:?}");
            assert!(stays.stands(now), "{now:?}");
        }
        assert!(!ends.over(rebooted(999)));
    }
}
