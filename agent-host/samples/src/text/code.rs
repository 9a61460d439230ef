//! Encodings and hashes.

use crate::server::{Wrong, wrong};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use schemars::JsonSchema;
use serde::Deserialize;
use sha2::{Digest, Sha256, Sha512};

/// Arguments of `encode_base64`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Encode {
    /// The text to encode.
    #[schemars(length(max = 50_000))]
    text: String,
    /// Use the alphabet for URLs and file names, without padding.
    #[serde(default)]
    url_safe: bool,
}

pub(super) fn encode(_: &(), Encode { text, url_safe }: Encode) -> Result<String, Wrong> {
    Ok(if url_safe { URL_SAFE_NO_PAD.encode(text) } else { STANDARD.encode(text) })
}

/// Arguments of `decode_base64`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Decode {
    /// The Base64 to decode; line breaks and missing padding do no harm.
    #[schemars(length(max = 100_000))]
    base64: String,
}

pub(super) fn decode(_: &(), Decode { base64 }: Decode) -> Result<String, Wrong> {
    let usual: String = base64
        .chars()
        .filter(|c| !c.is_whitespace())
        .map(|c| {
            if c == '-' {
                '+'
            } else if c == '_' {
                '/'
            } else {
                c
            }
        })
        .collect();
    let Ok(bytes) = STANDARD_NO_PAD.decode(usual.trim_end_matches('=')) else {
        return wrong("that is not Base64; look for a sign that does not belong");
    };
    String::from_utf8(bytes).or_else(|error| wrong(format!("it stands for {} bytes that are not text in UTF-8", error.as_bytes().len())))
}

/// A hash function.
#[derive(Deserialize, JsonSchema, Default)]
#[serde(rename_all = "lowercase")]
enum Algorithm {
    #[default]
    Sha256,
    Sha512,
}

/// Arguments of `hash_text`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Hash {
    /// The text to hash, as its bytes in UTF-8.
    #[schemars(length(max = 100_000))]
    text: String,
    /// Which hash function to use.
    #[serde(default)]
    algorithm: Algorithm,
}

pub(super) fn hash(_: &(), Hash { text, algorithm }: Hash) -> Result<String, Wrong> {
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(match algorithm {
        Algorithm::Sha256 => hex(&Sha256::digest(text)),
        Algorithm::Sha512 => hex(&Sha512::digest(text)),
    })
}
