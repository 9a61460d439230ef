//! The signatures of tokens, checked by ring.
//!
//! Is: what `jsonwebtoken` asks of a library of cryptography, as far as it is used: checking. Is not: able to sign, or to
//! take a shared secret for a key. Clause: SES-4 (OAuth).

use crate::config;
use jsonwebtoken::crypto::{CryptoProvider, JwtSigner, JwtVerifier, KeyUtils};
use jsonwebtoken::errors::{Error, ErrorKind, new_error};
use jsonwebtoken::signature::{self, Verifier};
use jsonwebtoken::{Algorithm, AlgorithmFamily, DecodingKey, DecodingKeyKind, EncodingKey};
use ring::signature as with;

static RING: CryptoProvider =
    CryptoProvider { signer_factory: no_signer, verifier_factory: verifier, key_utils: KeyUtils::new_unimplemented() };

/// Makes ring the library of the process. Whoever comes first does it; there is no other that could be in its place.
pub(super) fn install() {
    _ = RING.install_default();
}

/// The same name in `jsonwebtoken`'s words.
pub(super) const fn known(algorithm: config::Algorithm) -> Algorithm {
    match algorithm {
        config::Algorithm::RS256 => Algorithm::RS256,
        config::Algorithm::RS384 => Algorithm::RS384,
        config::Algorithm::RS512 => Algorithm::RS512,
        config::Algorithm::PS256 => Algorithm::PS256,
        config::Algorithm::PS384 => Algorithm::PS384,
        config::Algorithm::PS512 => Algorithm::PS512,
        config::Algorithm::ES256 => Algorithm::ES256,
        config::Algorithm::ES384 => Algorithm::ES384,
        config::Algorithm::EdDSA => Algorithm::EdDSA,
    }
}

/// A key, and the one algorithm that it is used with.
struct Checked {
    algorithm: Algorithm,
    key: DecodingKey,
}

fn verifier(algorithm: &Algorithm, key: &DecodingKey) -> Result<Box<dyn JwtVerifier>, Error> {
    if key.family() != algorithm.family() || key.family() == AlgorithmFamily::Hmac {
        return Err(new_error(ErrorKind::InvalidKeyFormat));
    }
    Ok(Box::new(Checked { algorithm: *algorithm, key: key.clone() }))
}

fn no_signer(_: &Algorithm, _: &EncodingKey) -> Result<Box<dyn JwtSigner>, Error> {
    Err(new_error(ErrorKind::UnsupportedAlgorithm))
}

const fn rsa(algorithm: Algorithm) -> Option<&'static with::RsaParameters> {
    match algorithm {
        Algorithm::RS256 => Some(&with::RSA_PKCS1_2048_8192_SHA256),
        Algorithm::RS384 => Some(&with::RSA_PKCS1_2048_8192_SHA384),
        Algorithm::RS512 => Some(&with::RSA_PKCS1_2048_8192_SHA512),
        Algorithm::PS256 => Some(&with::RSA_PSS_2048_8192_SHA256),
        Algorithm::PS384 => Some(&with::RSA_PSS_2048_8192_SHA384),
        Algorithm::PS512 => Some(&with::RSA_PSS_2048_8192_SHA512),
        _ => None,
    }
}

fn curve(algorithm: Algorithm) -> Option<&'static dyn with::VerificationAlgorithm> {
    match algorithm {
        Algorithm::ES256 => Some(&with::ECDSA_P256_SHA256_FIXED),
        Algorithm::ES384 => Some(&with::ECDSA_P384_SHA384_FIXED),
        Algorithm::EdDSA => Some(&with::ED25519),
        _ => None,
    }
}

impl Verifier<Vec<u8>> for Checked {
    fn verify(&self, message: &[u8], signature: &Vec<u8>) -> Result<(), signature::Error> {
        let checked = match self.key.kind() {
            DecodingKeyKind::RsaModulusExponent { n, e } => {
                rsa(self.algorithm).map(|way| with::RsaPublicKeyComponents { n, e }.verify(way, message, signature))
            }
            DecodingKeyKind::SecretOrDer(point) => {
                curve(self.algorithm).map(|way| with::UnparsedPublicKey::new(way, point).verify(message, signature))
            }
        };
        checked.and_then(Result::ok).ok_or_else(signature::Error::new)
    }
}

impl JwtVerifier for Checked {
    fn algorithm(&self) -> Algorithm {
        self.algorithm
    }
}
