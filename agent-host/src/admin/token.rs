//! Bearer tokens over the socket: what is asked for, how long it stands, and the secret on its one way out.
//!
//! Is not: what a request over HTTP does with one. Clause: SES-4 (tokens). Neighbours: the engine's desk makes them.

use super::Response;
use super::handle::failed;
use crate::oauth::SUBJECTS as ISSUED;
use agent_core::limits::TOKEN_MS;
use agent_core::safety::echo;
use agent_core::session::{PrincipalId, ProfileId, TokenNote};
use agent_core::token::Token;
use agent_engine::desk::Desk;
use agent_engine::token::{NotMade, Wanted};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::time::Duration;

/// A token as an operator orders it. How long it stands must be said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Ordered {
    /// Whom its bearer is taken for.
    pub principal: PrincipalId,
    /// The profile of its bearer's sessions; without one they have the configuration's.
    pub profile: Option<ProfileId>,
    /// How long it stands.
    pub ttl: Lifetime,
    /// Whether it may stand in a URL.
    pub url: bool,
    /// What to write beside it.
    pub note: Option<TokenNote>,
}

/// How long a token stands, such as `30m`, `12h` or `90d`, or `never`: until it is taken back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(with = "String", extend("pattern" = "^(never|0*[1-9][0-9]*[mhd])$"))
)]
#[serde(try_from = "String", into = "String")]
pub struct Lifetime(pub Option<Duration>);

const NEVER: &str = "never";
const UNITS: [(&str, u64); 3] = [("d", 24 * 3600 * 1000), ("h", 3600 * 1000), ("m", 60 * 1000)];

impl TryFrom<String> for Lifetime {
    type Error = String;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        if text == NEVER {
            return Ok(Self(None));
        }
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        let (count, unit) = text.split_at(digits);
        let unit = UNITS.iter().find(|(name, _)| *name == unit).map_or(0, |(_, unit)| *unit);
        match count.parse::<u64>().ok().and_then(|count| count.checked_mul(unit)).filter(|ms| *ms > 0) {
            Some(ms) if ms <= TOKEN_MS => Ok(Self(Some(Duration::from_millis(ms)))),
            Some(_) => Err(format!("`{}` is longer than 3650 days; `{NEVER}` has no end", echo(&text))),
            None => Err(format!("`{}` is neither a time such as `30m`, `12h` or `90d` nor `{NEVER}`", echo(&text))),
        }
    }
}

impl fmt::Display for Lifetime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(lasts) = self.0 else { return f.write_str(NEVER) };
        let ms = u64::try_from(lasts.as_millis()).unwrap_or(TOKEN_MS);
        let (name, unit) = UNITS.into_iter().find(|(_, unit)| ms.is_multiple_of(*unit)).unwrap_or(("m", 60 * 1000));
        write!(f, "{}{name}", ms / unit)
    }
}

impl From<Lifetime> for String {
    fn from(lifetime: Lifetime) -> Self {
        lifetime.to_string()
    }
}

/// A token's secret on its way to whoever ordered it. It is a text only on that way.
#[derive(Debug, Clone)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(with = "String", extend("pattern" = "^aht_[0-9a-f]{64}$"))
)]
pub struct Bearer(pub Token);

impl PartialEq for Bearer {
    fn eq(&self, other: &Self) -> bool {
        self.0.matches(&other.0.digest())
    }
}

impl Eq for Bearer {}

impl Serialize for Bearer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0.reveal())
    }
}

impl<'de> Deserialize<'de> for Bearer {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Token::parse(&text).map(Self).ok_or_else(|| serde::de::Error::custom("not a token"))
    }
}

/// Makes one.
pub(super) async fn create(desk: &Desk, ordered: Ordered, by: &str) -> Response {
    let Ordered { principal, profile, ttl, url, note } = ordered;
    if principal.as_str().starts_with(ISSUED) {
        return failed(format!("no token was made: `{ISSUED}` begins the names of an issuer's subjects"), "choose another principal");
    }
    match desk.create_token(Wanted { principal, profile, lasts: ttl.0, url, note }, by).await {
        Ok((record, secret)) => Response::TokenMade { secret: Bearer(secret), token: Box::new((*record).clone()) },
        Err(error) => failed(format!("no token was made: {error}"), &hint(&error)),
    }
}

fn hint(error: &NotMade) -> String {
    match error {
        NotMade::NoProfile(_, known) if known.is_empty() => "there are none; `[profiles.NAME]` in the configuration makes one".to_owned(),
        NotMade::NoProfile(_, known) => {
            let known: Vec<_> = known.iter().map(ProfileId::as_str).collect();
            format!("there are: {}", known.join(", "))
        }
        NotMade::Full => "`agent-host token list` shows them, `agent-host token revoke ID` makes room".to_owned(),
        NotMade::Commit(_) => "see whether the disk is full, then try again".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn ses_4_lifetimes_are_written_as_they_are_read() {
        for (written, shown) in [("90d", "90d"), ("24h", "1d"), ("90m", "90m"), ("120m", "2h"), ("3650d", "3650d"), ("never", "never")] {
            assert_eq!(Lifetime::try_from(written.to_owned()).unwrap().to_string(), shown);
        }
        for slip in ["", "d", "0d", "90", "-1d", "1.5d", "90 d", "90D", "30s", "Never", "3651d", "18446744073709551615d"] {
            assert!(Lifetime::try_from(slip.to_owned()).is_err(), "{slip}");
        }
    }

    #[test]
    fn ses_4_a_secret_is_a_text_on_the_line_alone() {
        let bearer = Bearer(Token::new(7, 8));
        let line = serde_json::to_string(&bearer).unwrap();
        assert_eq!(line, format!("\"{}\"", Token::new(7, 8).reveal()));
        assert_eq!(serde_json::from_str::<Bearer>(&line).unwrap(), bearer);
        assert!(serde_json::from_str::<Bearer>("\"aht_7\"").is_err() && bearer != Bearer(Token::new(8, 7)));
        assert_eq!(format!("{bearer:?}"), "Bearer(Token(redacted))");
    }

    #[test]
    fn ses_4_how_long_a_token_stands_must_be_said() {
        let order = r#"{"principal":"ada","profile":null,"url":false,"note":null"#;
        assert!(serde_json::from_str::<Ordered>(&format!("{order}}}")).is_err());
        assert_eq!(serde_json::from_str::<Ordered>(&format!("{order},\"ttl\":\"never\"}}")).unwrap().ttl, Lifetime(None));
    }
}
