//! SHA-256 with a domain, so that no digest of one kind can pass for another.
//!
//! Is not: canonical JSON (see `canon`). Clauses: CAT-3, AUD-2. Source: FIPS 180-4.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest as _, Sha256};
use std::fmt;

/// A SHA-256 digest. Shown as 64 lower-case hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(with = "String", extend("pattern" = "^[0-9a-f]{64}$"))
)]
pub struct Digest([u8; 32]);

/// What a digest is of. Each kind starts its hash with its own name and a zero byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Domain {
    /// One raw tool definition.
    Definition,
    /// A catalog, or the part of one that an asker can find.
    Catalog,
    /// A tool id, where a wire name needs a suffix.
    Id,
    /// A question put to a person.
    Question,
    /// The arguments of a call.
    Arguments,
    /// One record of a ledger's chain.
    Record,
    /// A policy as published.
    Policy,
    /// A secret session key, as it is stored.
    SessionKey,
    /// What names a client's credential, itself no secret.
    Credential,
    /// A bearer token, as it is stored.
    Token,
    /// Whose login at a server is kept in a file.
    Login,
}

impl Domain {
    const fn tag(self) -> &'static [u8] {
        match self {
            Self::Definition => b"agent-host/definition/1\0",
            Self::Catalog => b"agent-host/catalog/1\0",
            Self::Id => b"agent-host/id/1\0",
            Self::Question => b"agent-host/question/1\0",
            Self::Arguments => b"agent-host/arguments/1\0",
            Self::Record => b"agent-host/record/1\0",
            Self::Policy => b"agent-host/policy/1\0",
            Self::SessionKey => b"agent-host/session-key/1\0",
            Self::Credential => b"agent-host/credential/1\0",
            Self::Token => b"agent-host/token/1\0",
            Self::Login => b"agent-host/login/1\0",
        }
    }
}

/// A digest being made of several parts, each preceded by its length, so that no two lists of parts meet.
pub struct Hasher(Sha256);

impl Hasher {
    /// Starts a digest of the given kind.
    #[must_use]
    pub fn new(domain: Domain) -> Self {
        let mut inner = Sha256::new();
        inner.update(domain.tag());
        Self(inner)
    }

    /// Adds one part.
    #[must_use]
    pub fn part(mut self, bytes: &[u8]) -> Self {
        self.add(bytes);
        self
    }

    /// Adds one part in place.
    pub fn add(&mut self, bytes: &[u8]) {
        self.0.update((bytes.len() as u64).to_be_bytes());
        self.0.update(bytes);
    }

    /// The digest of all parts.
    #[must_use]
    pub fn finish(self) -> Digest {
        Digest(self.0.finalize().into())
    }
}

/// A text is not a digest: not 64 lower-case hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not a digest of 64 lower-case hexadecimal digits")]
pub struct NotADigest;

impl Digest {
    /// The digest of one text or byte string.
    #[must_use]
    pub fn of(domain: Domain, bytes: &[u8]) -> Self {
        Hasher::new(domain).part(bytes).finish()
    }

    /// The 32 bytes.
    #[must_use]
    pub const fn bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The first 8 hexadecimal digits, for people; never compared.
    #[must_use]
    pub fn short(&self) -> String {
        self.to_string().chars().take(8).collect()
    }

    /// The first 40 bits as 8 characters of RFC 4648 base32, lower case.
    #[must_use]
    pub fn base32(&self) -> String {
        const ALPHABET: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
        let bits = self.0.iter().take(5).fold(0u64, |bits, byte| (bits << 8) | u64::from(*byte));
        (0..8u32).rev().filter_map(|at| ALPHABET.get(((bits >> (at * 5)) & 31) as usize)).map(|byte| char::from(*byte)).collect()
    }

    /// Reads 64 lower-case hexadecimal digits.
    ///
    /// # Errors
    /// [`NotADigest`] for anything else.
    pub fn parse(text: &str) -> Result<Self, NotADigest> {
        let mut bytes = [0u8; 32];
        let nibble = |byte: u8| match byte {
            b'0'..=b'9' => Ok(byte - b'0'),
            b'a'..=b'f' => Ok(byte - b'a' + 10),
            _ => Err(NotADigest),
        };
        if text.len() != 64 {
            return Err(NotADigest);
        }
        for (byte, pair) in bytes.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
            let [high, low] = pair else { return Err(NotADigest) };
            *byte = nibble(*high)? << 4 | nibble(*low)?;
        }
        Ok(Self(bytes))
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // One write and no allocation, since every record holds several of these.
        let digit = |nibble: u8| if nibble < 10 { b'0' + nibble } else { b'a' + nibble - 10 };
        let mut text = [0; 64];
        for (pair, byte) in text.chunks_exact_mut(2).zip(self.0) {
            pair.copy_from_slice(&[digit(byte >> 4), digit(byte & 15)]);
        }
        f.write_str(std::str::from_utf8(&text).unwrap_or_default())
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({})", self.short())
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        Self::parse(&text).map_err(serde::de::Error::custom)
    }
}
