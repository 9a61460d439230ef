//! Tokens that were accepted a moment ago: a client shows the same one with every request, and a signature is checked once.
//!
//! Is: digests, in memory, bounded. Is not: an authority of its own. A token is in here only after all of it was checked, and
//! counts no longer than its own time, and than the very key that vouched for it as it was last fetched.
//! Clause: SES-4 (OAuth).

use super::Claims;
use super::keys::Key;
use agent_core::limits::{JWT_ACCEPTED, JWT_LEEWAY_S};
use parking_lot::Mutex;
use ring::digest::{SHA256, digest};
use std::collections::HashMap;
use std::sync::Arc;

struct Entry {
    key: Arc<Key>,
    claims: Claims,
}

/// What was accepted, by the digest of the whole token.
#[derive(Default)]
pub(super) struct Accepted(Mutex<HashMap<Vec<u8>, Entry>>);

fn name(token: &str) -> Vec<u8> {
    digest(&SHA256, token.as_bytes()).as_ref().to_vec()
}

impl Accepted {
    /// What this token said, where that still holds; `now` in seconds since the Unix epoch.
    pub(super) fn get(&self, token: &str, key: &Arc<Key>, now: u64) -> Option<Claims> {
        let accepted = self.0.lock();
        let entry = accepted.get(&name(token))?;
        let holds = Arc::ptr_eq(&entry.key, key) && now <= entry.claims.expires.saturating_add(JWT_LEEWAY_S);
        holds.then(|| entry.claims.clone())
    }

    /// Keeps an accepted token. Where there is no place, all are forgotten: they are checked again, and that is all.
    pub(super) fn put(&self, token: &str, key: Arc<Key>, claims: Claims) {
        let mut accepted = self.0.lock();
        if accepted.len() >= JWT_ACCEPTED {
            accepted.clear();
        }
        accepted.insert(name(token), Entry { key, claims });
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use agent_core::session::{PrincipalId, ProfileId};
    use serde_json::json;
    use std::time::{Duration, UNIX_EPOCH};

    fn key() -> Arc<Key> {
        let jwk = json!({ "kty": "OKP", "crv": "Ed25519", "kid": "a", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo" });
        Arc::new(Key::new(serde_json::from_value(jwk).unwrap()).unwrap())
    }

    fn claims(expires: u64) -> Claims {
        let (principal, profile) = (PrincipalId::parse("oauth:a").unwrap(), ProfileId::parse("p").unwrap());
        Claims { principal, profile, issuer: "https://id.example".to_owned(), subject: "a".to_owned(), expires }
    }

    #[test]
    fn ses_4_attack_61_what_was_accepted_ends_with_its_time_and_its_key() {
        let (accepted, first, again) = (Accepted::default(), key(), key());
        accepted.put("a.b.c", first.clone(), claims(1000));
        assert_eq!(accepted.get("a.b.c", &first, 1000 + JWT_LEEWAY_S), Some(claims(1000)));
        assert_eq!(accepted.get("a.b.c", &first, 1001 + JWT_LEEWAY_S), None, "its time is over");
        let taken = UNIX_EPOCH + Duration::from_secs(1000 + JWT_LEEWAY_S);
        assert_eq!(claims(1000).until(), Some(taken), "and what runs for it has as long");
        assert_eq!(accepted.get("a.b.c", &again, 1000), None, "the same key, fetched again, has yet to vouch for it");
        assert_eq!(accepted.get("a.b.d", &first, 1000), None, "another signature is another token");
        for at in 0..=JWT_ACCEPTED {
            accepted.put(&at.to_string(), first.clone(), claims(1000));
        }
        assert!(accepted.0.lock().len() <= JWT_ACCEPTED);
        assert_eq!(accepted.get(&JWT_ACCEPTED.to_string(), &first, 1000), Some(claims(1000)));
    }
}
