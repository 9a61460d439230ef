//! A length of time as operators write it: `500ms`, `25s`, `15m`, `12h`.
//!
//! Is not: an instant, nor a clock. Clauses: POL-1, AUTH-2 (how long a yes holds).

use serde::{Deserialize, Serialize};
use std::fmt;
use std::time::Duration;

/// No length is longer: 30 days, in milliseconds. So none overflows what it is added to.
const MOST: u64 = 30 * 24 * 3600 * 1000;

/// As it is written, as a person reads it, and how many milliseconds it has.
const UNITS: [(&str, &str, u64); 4] =
    [("h", "hour", 3600 * 1000), ("m", "minute", 60 * 1000), ("s", "second", 1000), ("ms", "millisecond", 1)];

/// A time such as `500ms`, `25s`, `15m` or `12h`; 30 days at the most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(extend("pattern" = "^0*[1-9][0-9]*(ms|s|m|h)$")))]
#[serde(try_from = "String", into = "String")]
pub struct Length(pub Duration);

impl TryFrom<String> for Length {
    type Error = String;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        let (count, unit) = text.split_at(digits);
        let unit = UNITS.iter().find(|(name, ..)| *name == unit).map_or(0, |(_, _, unit)| *unit);
        let length = count.parse::<u64>().ok().and_then(|count| count.checked_mul(unit)).filter(|length| *length > 0);
        match length {
            Some(length) if length <= MOST => Ok(Self(Duration::from_millis(length))),
            Some(_) => Err(format!("`{text}` is longer than 30 days")),
            None => Err(format!("`{}` is not a time such as `500ms`, `25s`, `15m` or `12h`", crate::safety::echo(&text))),
        }
    }
}

impl Length {
    /// In milliseconds.
    #[must_use]
    pub fn ms(self) -> u64 {
        u64::try_from(self.0.as_millis()).unwrap_or(u64::MAX)
    }

    /// As a person reads it: `30 minutes`.
    #[must_use]
    pub fn words(self) -> String {
        let (count, _, word) = self.parts();
        format!("{count} {word}{}", if count == 1 { "" } else { "s" })
    }

    /// By the largest unit that measures it exactly.
    fn parts(self) -> (u64, &'static str, &'static str) {
        let ms = self.ms();
        let (name, word, unit) = UNITS.into_iter().find(|(_, _, unit)| ms.is_multiple_of(*unit)).unwrap_or(("ms", "millisecond", 1));
        (ms / unit, name, word)
    }
}

impl fmt::Display for Length {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (count, name, _) = self.parts();
        write!(f, "{count}{name}")
    }
}

impl From<Length> for String {
    fn from(length: Length) -> Self {
        length.to_string()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn lengths_are_written_as_they_are_read() {
        for (written, shown) in [("500ms", "500ms"), ("1000ms", "1s"), ("90s", "90s"), ("60m", "1h"), ("720h", "720h"), ("007s", "7s")] {
            assert_eq!(Length::try_from(written.to_owned()).unwrap().to_string(), shown);
        }
        for slip in ["", "5", "s", "0s", "-1s", "1.5s", "1 s", "1S", "1d", "721h", "18446744073709551615h"] {
            assert!(Length::try_from(slip.to_owned()).is_err(), "{slip}");
        }
    }

    #[test]
    fn lengths_are_said_in_words() {
        for (written, said) in [("30m", "30 minutes"), ("60m", "1 hour"), ("90s", "90 seconds"), ("1ms", "1 millisecond")] {
            assert_eq!(Length::try_from(written.to_owned()).unwrap().words(), said);
        }
    }
}
