//! A passphrase in memory: never shown, and wiped when it is dropped.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

/// Bytes that a passphrase has at least.
const LEAST: usize = 8;
/// Bytes that a passphrase has at the most.
const MOST: usize = 1024;

/// A passphrase as it was typed.
#[derive(Clone)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "Passphrase", with = "String", extend("minLength" = LEAST, "maxLength" = MOST, "format" = "password"))
)]
pub struct Secret(Zeroizing<String>);

/// A text that can't be a passphrase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SecretError {
    /// Too short.
    #[error("a passphrase has at least {LEAST} bytes")]
    Short,
    /// Too long.
    #[error("a passphrase has at most {MOST} bytes")]
    Long,
}

impl Secret {
    /// Takes a text of 8 to 1024 bytes, as it is.
    ///
    /// # Errors
    /// [`SecretError`] for any other.
    pub fn new(text: Zeroizing<String>) -> Result<Self, SecretError> {
        match text.len() {
            ..LEAST => Err(SecretError::Short),
            LEAST..=MOST => Ok(Self(text)),
            _ => Err(SecretError::Long),
        }
    }

    pub(super) fn bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

impl PartialEq for Secret {
    fn eq(&self, other: &Self) -> bool {
        self.bytes().ct_eq(other.bytes()).into()
    }
}

impl Eq for Secret {}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(redacted)")
    }
}

/// Only for the line that goes over the socket.
impl Serialize for Secret {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Secret {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::new(Zeroizing::new(String::deserialize(deserializer)?)).map_err(serde::de::Error::custom)
    }
}
