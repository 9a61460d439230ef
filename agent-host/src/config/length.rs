//! A length of time as operators write it: `500ms`, `25s`, `15m`, `12h`.

use serde::Deserialize;
use std::time::Duration;

/// A length of time read from a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Length(pub Duration);

impl TryFrom<String> for Length {
    type Error = String;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        let (count, unit) = text.split_at(digits);
        let unit = match unit {
            "ms" => 1,
            "s" => 1000,
            "m" => 60 * 1000,
            "h" => 3600 * 1000,
            _ => 0,
        };
        let length = count.parse::<u64>().ok().and_then(|count| count.checked_mul(unit)).filter(|length| *length > 0);
        length
            .map(|length| Self(Duration::from_millis(length)))
            .ok_or_else(|| format!("`{}` is not a time such as `500ms`, `25s`, `15m` or `12h`", agent_core::safety::echo(&text)))
    }
}
