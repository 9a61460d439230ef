//! A length of time as operators write it: `500ms`, `25s`, `15m`, `12h`.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::time::Duration;

/// No length is longer: 30 days, in milliseconds. So none overflows what it is added to.
const MOST: u64 = 30 * 24 * 3600 * 1000;

const UNITS: [(&str, u64); 4] = [("h", 3600 * 1000), ("m", 60 * 1000), ("s", 1000), ("ms", 1)];

/// A time such as `500ms`, `25s`, `15m` or `12h`; 30 days at the most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(extend("pattern" = "^0*[1-9][0-9]*(ms|s|m|h)$")))]
#[serde(try_from = "String", into = "String")]
pub struct Length(pub Duration);

impl TryFrom<String> for Length {
    type Error = String;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        let (count, unit) = text.split_at(digits);
        let unit = UNITS.iter().find(|(name, _)| *name == unit).map_or(0, |(_, unit)| *unit);
        let length = count.parse::<u64>().ok().and_then(|count| count.checked_mul(unit)).filter(|length| *length > 0);
        match length {
            Some(length) if length <= MOST => Ok(Self(Duration::from_millis(length))),
            Some(_) => Err(format!("`{text}` is longer than 30 days")),
            None => Err(format!("`{}` is not a time such as `500ms`, `25s`, `15m` or `12h`", agent_core::safety::echo(&text))),
        }
    }
}

impl fmt::Display for Length {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ms = u64::try_from(self.0.as_millis()).unwrap_or(u64::MAX);
        let (name, unit) = UNITS.into_iter().find(|(_, unit)| ms.is_multiple_of(*unit)).unwrap_or(("ms", 1));
        write!(f, "{}{name}", ms / unit)
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
}
