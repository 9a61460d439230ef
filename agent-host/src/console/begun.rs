//! Logins that were begun at a provider and have not come back: each bound to the browser that began it, and good once.
//!
//! Is: in memory, bounded, each for ten minutes, by the hash of a secret that is in that browser's cookie alone. So an answer that somebody
//! else got, shown in this browser, ends no login of theirs here. Is not: the login. Clause: AUTH-4 (OIDC). Source: RFC 6749, 10.12.

use super::logins::{Hash, hash};
use super::prefix::random;
use crate::login::Answer;
use crate::oauth;
use agent_core::time::{Clock, Instant};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

/// How long a person has at the provider, in seconds.
pub(super) const PATIENCE_S: u64 = 600;
/// Those that wait at a time; the oldest makes room.
const MOST: usize = 1024;

/// All that wait.
pub(super) struct Waiting {
    clock: Arc<dyn Clock>,
    kept: Mutex<BTreeMap<Hash, One>>,
}

struct One {
    begun: oauth::Begun,
    /// Who is asked. Where the settings are others by now, the answer is nobody's.
    provider: Arc<oauth::Provider>,
    to: String,
    end: Instant,
    since: u64,
}

/// What an answer ends.
pub(super) struct Back {
    pub(super) begun: oauth::Begun,
    pub(super) provider: Arc<oauth::Provider>,
    /// The page that was asked for.
    pub(super) to: String,
}

impl Waiting {
    pub(super) fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock, kept: Mutex::default() }
    }

    /// Remembers one, and says what its browser keeps.
    ///
    /// # Errors
    /// The system has no randomness.
    pub(super) fn put(&self, begun: oauth::Begun, provider: Arc<oauth::Provider>, to: String) -> io::Result<String> {
        let (secret, now) = (random()?, self.clock.now());
        let mut kept = self.kept.lock();
        kept.retain(|_, one| !now.reached(one.end));
        if kept.len() >= MOST
            && let Some(oldest) = kept.iter().min_by_key(|(_, one)| one.since).map(|(hash, _)| *hash)
        {
            kept.remove(&oldest);
        }
        kept.insert(hash(&secret), One { begun, provider, to, end: now.after(PATIENCE_S * 1000), since: now.wall });
        Ok(secret)
    }

    /// The one that this browser began and this answers, once.
    pub(super) fn take(&self, secrets: &[&str], answer: &Answer) -> Option<Back> {
        let now = self.clock.now();
        let mut kept = self.kept.lock();
        kept.retain(|_, one| !now.reached(one.end));
        let is_answered = |hash: &Hash| kept.get(hash).is_some_and(|one| one.begun.is_answered_by(answer));
        let found = secrets.iter().map(|secret| hash(secret)).find(is_answered)?;
        let One { begun, provider, to, .. } = kept.remove(&found)?;
        Some(Back { begun, provider, to })
    }
}
