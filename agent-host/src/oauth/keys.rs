//! The issuer's keys: at hand, and asked for again when they are old or lack one.
//!
//! Is: when the issuer is asked. It is asked by one at a time, and no more often than the clause says, whatever tokens say.
//! Is not: the asking; `issuer` does that. Clause: SES-4 (OAuth).

use super::token::Named;
use super::{Refused, issuer};
use crate::config::WebAddress;
use agent_core::limits::{JWKS_FRESH_MS, JWKS_KEPT_MS, JWKS_PAUSE_MS, JWKS_RETRY_MS};
use jsonwebtoken::jwk::{AlgorithmParameters, EllipticCurve, Jwk, KeyOperations, PublicKeyUse};
use jsonwebtoken::{Algorithm, DecodingKey};
use parking_lot::RwLock;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// One public key of the issuer's.
pub(super) struct Key {
    jwk: Jwk,
    decoding: DecodingKey,
}

impl Key {
    /// None of what can't check a signature: shared secrets, keys for encryption, kinds that we don't know.
    pub(super) fn new(jwk: Jwk) -> Option<Self> {
        let secret = matches!(jwk.algorithm, AlgorithmParameters::OctetKey(_));
        let checks = matches!(jwk.common.public_key_use, None | Some(PublicKeyUse::Signature))
            && jwk.common.key_operations.as_ref().is_none_or(|does| does.contains(&KeyOperations::Verify));
        let decoding = DecodingKey::from_jwk(&jwk).ok().filter(|_| checks && !secret)?;
        Some(Self { jwk, decoding })
    }

    pub(super) const fn decoding(&self) -> &DecodingKey {
        &self.decoding
    }

    fn is(&self, named: &Named) -> bool {
        self.jwk.common.key_id.as_ref() == Some(&named.key)
            && self.jwk.common.key_algorithm.is_none_or(|only| only == named.algorithm.into())
            && match &self.jwk.algorithm {
                AlgorithmParameters::RSA(_) => named.algorithm.family() == jsonwebtoken::AlgorithmFamily::Rsa,
                AlgorithmParameters::EllipticCurve(key) => match key.curve {
                    EllipticCurve::P256 => named.algorithm == Algorithm::ES256,
                    EllipticCurve::P384 => named.algorithm == Algorithm::ES384,
                    _ => false,
                },
                AlgorithmParameters::OctetKeyPair(key) => key.curve == EllipticCurve::Ed25519 && named.algorithm == Algorithm::EdDSA,
                _ => false,
            }
    }
}

/// What the issuer last said, and when it was last asked.
#[derive(Default)]
pub(super) struct Kept {
    keys: Vec<Arc<Key>>,
    said: Option<Instant>,
    asked: Option<Instant>,
    failed: bool,
}

impl Kept {
    /// The key, and whether it can be used without another thought.
    pub(super) fn look(&self, named: &Named, now: Instant) -> Option<(Arc<Key>, bool)> {
        let age = now.saturating_duration_since(self.said?);
        let key = self.keys.iter().find(|key| key.is(named)).filter(|_| age < Duration::from_millis(JWKS_KEPT_MS))?;
        Some((key.clone(), age < Duration::from_millis(JWKS_FRESH_MS)))
    }

    /// Whether the issuer may be asked.
    pub(super) fn due(&self, now: Instant) -> bool {
        let pause = Duration::from_millis(if self.failed { JWKS_RETRY_MS } else { JWKS_PAUSE_MS });
        self.asked.is_none_or(|asked| now.saturating_duration_since(asked) >= pause)
    }

    /// Takes what it said, or that it could not be asked.
    pub(super) fn take(&mut self, said: Option<Vec<Key>>, now: Instant) {
        self.asked = Some(now);
        self.failed = said.is_none();
        if let Some(keys) = said {
            self.keys = keys.into_iter().map(Arc::new).collect();
            self.said = Some(now);
        }
    }
}

/// The keys of one issuer.
pub(super) struct Keys {
    issuer: WebAddress,
    at: Option<WebAddress>,
    kept: RwLock<Kept>,
    /// One asks at a time.
    turn: Arc<Semaphore>,
}

impl Keys {
    pub(super) fn new(issuer: WebAddress, at: Option<WebAddress>) -> Self {
        Self { issuer, at, kept: RwLock::default(), turn: Arc::new(Semaphore::new(1)) }
    }

    fn look(&self, named: &Named) -> Option<(Arc<Key>, bool)> {
        self.kept.read().look(named, Instant::now())
    }

    /// The key that a token names. For one that is not there all wait. An old one is looked after by whoever is first, who
    /// waits for what the issuer says of it, but not for an issuer that was down when it was last asked.
    pub(super) async fn find(self: &Arc<Self>, named: &Named) -> Result<Arc<Key>, Refused> {
        let turn = match self.look(named) {
            Some((key, true)) => return Ok(key),
            Some((key, false)) if !self.due() => return Ok(key),
            Some((key, false)) => match self.turn.clone().try_acquire_owned() {
                Ok(turn) => turn,
                Err(_) => return Ok(key),
            },
            None => self.turn.clone().acquire_owned().await.map_err(|_| Refused::Unavailable)?,
        };
        if self.due() {
            // In a task of its own: a client that goes away ends no question that others wait for.
            let asked = tokio::spawn(self.clone().ask(turn));
            if let Some((key, _)) = self.look(named).filter(|_| self.failed()) {
                return Ok(key);
            }
            _ = asked.await;
        }
        let unknown = if self.failed() { Refused::Unavailable } else { Refused::Token("its key is not one of the issuer's") };
        self.look(named).map(|(key, _)| key).ok_or(unknown)
    }

    fn due(&self) -> bool {
        self.kept.read().due(Instant::now())
    }

    fn failed(&self) -> bool {
        self.kept.read().failed
    }

    async fn ask(self: Arc<Self>, turn: OwnedSemaphorePermit) {
        let said = issuer::keys(&self.issuer, self.at.as_ref()).await;
        let said = said.inspect_err(|why| tracing::warn!("the keys of `{}` can't be had: {why}", self.issuer.as_str())).ok();
        self.kept.write().take(said, Instant::now());
        drop(turn);
    }
}

#[cfg(test)]
mod tests;
