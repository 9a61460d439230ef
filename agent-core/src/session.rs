//! Who asks: principals, sessions and their keys, and what one round knows of a session.
//!
//! Is not: the set's fold (`state`) or its lock (engine `session`). Clauses: SES-1, SRCH-4.

use crate::digest::{Digest, Domain};
use crate::id::ToolId;
use crate::state::SessionState;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;
use subtle::ConstantTimeEq;

/// 32 lower-case hexadecimal digits.
pub(crate) fn bits(text: &str) -> Option<u128> {
    let plain = text.len() == 32 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    plain.then(|| u128::from_str_radix(text, 16).ok())?
}

macro_rules! token {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[cfg_attr(
            feature = "schema",
            derive(schemars::JsonSchema),
            schemars(with = "String", extend("pattern" = concat!("^", $prefix, "[0-9a-f]{32}$")))
        )]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(u128);

        impl $name {
            /// From 128 random bits.
            #[must_use]
            pub const fn new(bits: u128) -> Self {
                Self(bits)
            }

            /// Reads the form that `Display` writes; nothing else is one.
            #[must_use]
            pub fn parse(text: &str) -> Option<Self> {
                bits(text.strip_prefix($prefix)?).map(Self)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "{:032x}"), self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }

        impl From<$name> for String {
            fn from(value: $name) -> Self {
                value.to_string()
            }
        }

        impl TryFrom<String> for $name {
            type Error = &'static str;
            fn try_from(text: String) -> Result<Self, Self::Error> {
                Self::parse(&text).ok_or(concat!("not `", $prefix, "` and 32 hexadecimal digits"))
            }
        }
    };
}

token! {
    /// A session's public name: shown and logged, worth nothing by itself.
    SessionId, "s_"
}
token! {
    /// One request for activation.
    RequestId, "r_"
}
token! {
    /// One call.
    CallId, "c_"
}
token! {
    /// A bearer token's public name, by which it is listed and taken back; worth nothing by itself.
    TokenId, "t_"
}

/// A session's secret, shown once. Its text is in no log and in no record; only [`SessionKey::digest`] is stored.
#[derive(Clone)]
pub struct SessionKey(u128);

impl SessionKey {
    /// From 128 random bits.
    #[must_use]
    pub const fn new(bits: u128) -> Self {
        Self(bits)
    }

    /// Reads what a client presents.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        bits(text).map(Self)
    }

    /// The text handed to the client, once.
    #[must_use]
    pub fn reveal(&self) -> String {
        format!("{:032x}", self.0)
    }

    /// What is stored of it.
    #[must_use]
    pub fn digest(&self) -> Digest {
        Digest::of(Domain::SessionKey, &self.0.to_be_bytes())
    }

    /// Compares in constant time.
    #[must_use]
    pub fn matches(&self, stored: &Digest) -> bool {
        self.digest().bytes().ct_eq(stored.bytes()).into()
    }
}

impl fmt::Debug for SessionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SessionKey(redacted)")
    }
}

macro_rules! label {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(extend("pattern" = "^.{1,128}$")))]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(Arc<str>);

        impl $name {
            /// Checks an operator's text: 1 to 128 bytes, nothing that can't be seen.
            ///
            /// # Errors
            /// The text says what is wrong.
            pub fn parse(text: &str) -> Result<Self, &'static str> {
                match text {
                    "" => Err("empty"),
                    _ if text.len() > 128 => Err("longer than 128 bytes"),
                    _ if text.chars().any(crate::safety::is_hidden) => Err("holds a character that can't be seen"),
                    _ => Ok(Self(text.into())),
                }
            }

            /// The text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "`{}`", self.0)
            }
        }

        impl From<$name> for String {
            fn from(value: $name) -> Self {
                value.0.as_ref().to_owned()
            }
        }

        impl TryFrom<String> for $name {
            type Error = &'static str;
            fn try_from(text: String) -> Result<Self, Self::Error> {
                Self::parse(&text)
            }
        }
    };
}

label! {
    /// Whom the host takes the asker for: `local:<uid>` or a name of the operator's.
    PrincipalId
}
label! {
    /// What its launcher calls a session: shown, worth nothing by itself.
    SessionName
}
label! {
    /// The operator's name for a ceiling and its presets.
    ProfileId
}
label! {
    /// What an operator wrote beside a bearer token, to know it again.
    TokenNote
}

/// Who asks, in one session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Asker {
    /// The session.
    pub session: SessionId,
    /// Its one principal.
    pub principal: PrincipalId,
    /// Its ceiling, where it has one.
    pub profile: Option<ProfileId>,
}

/// What a client's list of tools holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Listing {
    /// Builtins, then what the session holds: it grows with a yes.
    #[default]
    Held,
    /// Builtins, always; what the session holds runs through `call_tool` alone.
    Builtins,
}

impl Listing {
    /// Whether it names what the session holds, so that a tool can be called by name (ACT-6).
    #[must_use]
    pub const fn names(self) -> bool {
        matches!(self, Self::Held)
    }
}

/// One exact definition of one tool.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Bound {
    /// The tool.
    pub id: ToolId,
    /// The digest of its definition.
    pub digest: Digest,
}

/// What of a catalog an asker can find: everything but `hidden`.
#[derive(Debug, Clone)]
pub struct Visibility {
    /// Withheld, hidden by policy, beyond the ceiling or drifted.
    pub hidden: Arc<BTreeSet<ToolId>>,
    /// The digest of what is left, the same as that of a catalog which never held the hidden tools.
    pub digest: Digest,
}

impl Visibility {
    /// Whether the asker can find the tool, if it is there.
    #[must_use]
    pub fn shows(&self, id: &ToolId) -> bool {
        !self.hidden.contains(id)
    }
}

/// One session as one round sees it.
#[derive(Debug, Clone)]
pub struct SessionView {
    /// Who asks.
    pub asker: Asker,
    /// The folded state.
    pub state: Arc<SessionState>,
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn ses_1_keys_are_stored_hashed_and_never_printed() {
        let key = SessionKey::new(7);
        assert!(key.matches(&key.digest()) && !SessionKey::new(8).matches(&key.digest()));
        assert!(!format!("{key:?}").contains(&key.reveal()));
        assert!(SessionKey::parse(&key.reveal()).unwrap().matches(&key.digest()));
        assert!(SessionKey::parse("+000000000000000000000000000000A").is_none());
    }

    #[test]
    fn tokens_read_only_what_they_write() {
        let id = SessionId::new(255);
        assert_eq!(SessionId::parse(&id.to_string()), Some(id));
        assert_eq!(SessionId::parse(&id.to_string().to_uppercase()), None);
        assert_eq!(SessionId::parse(&RequestId::new(255).to_string()), None);
    }
}
