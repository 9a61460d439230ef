//! Keys that `serde_json` keeps to itself: a value read into its own type gives them a meaning that JSON does not.
//!
//! An object whose first key is such a one becomes what is written in the string beside it, so one text is two values,
//! by who reads it. No such key is let in, neither in a definition nor in a message. Invariant: I-3. Attack 53.

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use std::fmt;

/// How each of them begins.
const RESERVED: &str = "$serde_json::private::";

pub(super) fn reserved(key: &str) -> bool {
    key.starts_with(RESERVED)
}

/// Whether a text is JSON that every reader takes for the same value: no key in it, at any depth and however it is
/// escaped, is a parser's own.
#[must_use]
pub fn plain(text: &[u8]) -> bool {
    let mut reader = serde_json::Deserializer::from_slice(text);
    Plain.deserialize(&mut reader).is_ok() && reader.end().is_ok()
}

/// Reads a value and keeps nothing of it.
struct Plain;

/// The same of a key.
struct Key;

impl<'de> DeserializeSeed<'de> for Plain {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> DeserializeSeed<'de> for Key {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Key {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key that is no parser's own")
    }

    fn visit_str<E: Error>(self, key: &str) -> Result<(), E> {
        if reserved(key) { Err(E::custom("a key is a parser's own")) } else { Ok(()) }
    }
}

impl<'de> Visitor<'de> for Plain {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while items.next_element_seed(Self)?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        while members.next_key_seed(Key)?.is_some() {
            members.next_value_seed(Self)?;
        }
        Ok(())
    }
}
