//! Who is logged in: in memory, by a random id that is kept as its hash.
//!
//! A login ends when it is ended, after 30 minutes without use, after 12 hours, when its operator has another passphrase or is
//! gone from the configuration, and with the host; one by way of a provider also when the configuration says another thing of the provider or
//! the person. Is not: how somebody logs in. Clauses: AUTH-4 (console, login, OIDC).

use super::prefix::random;
use crate::admin::passphrase::Mark;
use crate::config::{Oidc, OperatorName};
use agent_core::request::Channel;
use agent_core::time::{Clock, Instant};
use parking_lot::Mutex;
use ring::digest::{SHA256, digest};
use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// How long a login lasts that nobody uses, in milliseconds.
pub(super) const IDLE: u64 = 30 * 60 * 1000;
/// How long it lasts at all, in milliseconds.
pub(super) const LONGEST: u64 = 12 * 3600 * 1000;
/// Logins of one operator; the one that was used the longest ago makes room.
const EACH: usize = 16;

pub(super) type Hash = [u8; 32];

pub(super) fn hash(secret: &str) -> Hash {
    let mut hash = Hash::default();
    hash.copy_from_slice(digest(&SHA256, secret.as_bytes()).as_ref());
    hash
}

/// All logins.
pub(crate) struct Logins {
    clock: Arc<dyn Clock>,
    kept: Mutex<BTreeMap<Hash, Kept>>,
}

/// One login.
#[derive(Debug, Clone)]
pub(crate) struct Login {
    /// Which, as lists name it. It opens nothing.
    pub(crate) id: String,
    /// Whose.
    pub(crate) operator: OperatorName,
    /// What opened it.
    pub(crate) proof: Proof,
    /// What each of its forms sends back.
    pub(crate) csrf: String,
    /// From where, and by what, as its browser called itself.
    pub(crate) from: String,
    /// When it was opened, in milliseconds since 1970.
    pub(crate) since: u64,
    /// When it was used last.
    pub(crate) used: u64,
    /// Ends what it has open, once it is over.
    pub(crate) over: CancellationToken,
}

/// By what a login's secret comes. A secret of one kind is nothing as the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A browser's cookie.
    Page,
    /// A program's bearer token.
    Program,
}

impl Kind {
    fn hash(self, secret: &str) -> Hash {
        match self {
            Self::Page => hash(&format!("page {secret}")),
            Self::Program => hash(&format!("program {secret}")),
        }
    }
}

/// What a login rests on. It ends where that does not hold any more.
#[derive(Debug, Clone)]
pub(crate) enum Proof {
    /// The operator's passphrase.
    Passphrase(Mark),
    /// The word of a provider.
    Provider {
        /// The provider, by all that is demanded of it.
        by: Arc<Oidc>,
        /// Who that says it is.
        who: String,
    },
}

impl Login {
    /// The way in which its answers come.
    pub(crate) const fn channel(&self) -> Channel {
        match self.proof {
            Proof::Passphrase(_) => Channel::Console,
            Proof::Provider { .. } => Channel::Oidc,
        }
    }
}

struct Kept {
    login: Login,
    idle: Instant,
    end: Instant,
    flash: Option<Flash>,
}

/// What came of a form, for the next page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Flash {
    /// Whether it was done.
    pub(crate) done: bool,
    /// In words.
    pub(crate) text: String,
    /// What can be done next, by one button.
    pub(crate) next: Option<Next>,
}

impl Flash {
    /// Words alone.
    pub(crate) fn new(done: bool, text: impl Into<String>) -> Self {
        Self { done, text: text.into(), next: None }
    }
}

/// A form that a word offers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Next {
    /// What it asks for, as `action` names it.
    pub(crate) what: &'static str,
    /// Its fields.
    pub(crate) fields: Vec<(&'static str, String)>,
    /// What its button says.
    pub(crate) label: &'static str,
}

/// Who logs in, and how.
pub(crate) struct Opening {
    pub(crate) kind: Kind,
    pub(crate) operator: OperatorName,
    pub(crate) proof: Proof,
    pub(crate) from: String,
}

impl Logins {
    pub(crate) fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock, kept: Mutex::default() }
    }

    /// Opens a login, and says its secret, which is nowhere else.
    ///
    /// # Errors
    /// The system has no randomness.
    pub(crate) fn open(&self, opening: Opening) -> io::Result<String> {
        let (secret, now) = (random()?, self.clock.now());
        let Opening { kind, operator, proof, from } = opening;
        let id = random()?.chars().take(12).collect();
        let over = CancellationToken::new();
        let login = Login { id, operator, proof, csrf: random()?, from, since: now.wall, used: now.wall, over };
        let mut kept = self.kept.lock();
        prune(&mut kept, now);
        let own = kept.iter().filter(|(_, kept)| kept.login.operator == login.operator);
        if own.clone().count() >= EACH
            && let Some(oldest) = own.min_by_key(|(_, kept)| kept.login.used).map(|(hash, _)| *hash)
        {
            remove(&mut kept, |hash, _| *hash == oldest);
        }
        kept.insert(kind.hash(&secret), Kept { login, idle: now.after(IDLE), end: now.after(LONGEST), flash: None });
        Ok(secret)
    }

    /// The login of a secret of that kind. `using` says whether a person uses it, or only a page that looks again.
    pub(crate) fn find(&self, kind: Kind, secret: &str, using: bool) -> Option<Login> {
        let now = self.clock.now();
        let mut kept = self.kept.lock();
        prune(&mut kept, now);
        let found = kept.get_mut(&kind.hash(secret))?;
        if using {
            (found.login.used, found.idle) = (now.wall, now.after(IDLE));
        }
        Some(found.login.clone())
    }

    /// Ends those of an operator that an id names.
    pub(crate) fn end(&self, operator: &OperatorName, id: &str) -> bool {
        remove(&mut self.kept.lock(), |_, login| login.operator == *operator && login.id == id) > 0
    }

    /// Ends every login of the same operator but this one. Returns how many.
    pub(crate) fn end_others(&self, mine: &Login) -> usize {
        remove(&mut self.kept.lock(), |_, login| login.operator == mine.operator && login.id != mine.id)
    }

    /// An operator's logins, the latest used first.
    pub(crate) fn of(&self, operator: &OperatorName) -> Vec<Login> {
        let now = self.clock.now();
        let mut kept = self.kept.lock();
        prune(&mut kept, now);
        let mut own: Vec<_> = kept.values().map(|kept| kept.login.clone()).filter(|login| login.operator == *operator).collect();
        own.sort_by_key(|login| std::cmp::Reverse((login.used, login.since)));
        own
    }

    /// Leaves a word for the next page.
    pub(crate) fn tell(&self, login: &Login, flash: Flash) {
        if let Some(kept) = self.kept.lock().values_mut().find(|kept| kept.login.id == login.id) {
            kept.flash = Some(flash);
        }
    }

    /// The word that was left, once.
    pub(crate) fn told(&self, login: &Login) -> Option<Flash> {
        self.kept.lock().values_mut().find(|kept| kept.login.id == login.id)?.flash.take()
    }

    /// Ends what came to its end, and what an operator's own state ends.
    pub(crate) fn sweep(&self, stands: impl Fn(&Login) -> bool) {
        let now = self.clock.now();
        let mut kept = self.kept.lock();
        prune(&mut kept, now);
        remove(&mut kept, |_, login| !stands(login));
    }
}

fn prune(kept: &mut BTreeMap<Hash, Kept>, now: Instant) {
    let over: Vec<_> = kept.iter().filter(|(_, kept)| now.reached(kept.idle) || now.reached(kept.end)).map(|(hash, _)| *hash).collect();
    if !over.is_empty() {
        remove(kept, |hash, _| over.contains(hash));
    }
}

fn remove(kept: &mut BTreeMap<Hash, Kept>, which: impl Fn(&Hash, &Login) -> bool) -> usize {
    let before = kept.len();
    kept.retain(|hash, kept| {
        let goes = which(hash, &kept.login);
        if goes {
            kept.login.over.cancel();
        }
        !goes
    });
    before - kept.len()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use agent_engine::testing::ManualClock;

    fn open(logins: &Logins, name: &str) -> String {
        let operator = OperatorName::parse(name).unwrap();
        logins.open(Opening { kind: Kind::Page, operator, proof: Proof::Passphrase(Mark::of_nobody()), from: String::new() }).unwrap()
    }

    #[test]
    fn auth_4_a_login_ends_without_use_and_after_twelve_hours() {
        let clock = Arc::new(ManualClock::default());
        let logins = Logins::new(clock.clone());
        let (ada, watches) = (open(&logins, "ada"), open(&logins, "ada"));
        let over = logins.find(Kind::Page, &watches, false).unwrap().over;
        for _ in 0..24 {
            clock.advance(IDLE - 1);
            assert!(logins.find(Kind::Page, &ada, true).is_some());
            assert!(logins.find(Kind::Page, &watches, false).is_none() || !over.is_cancelled());
        }
        assert!(over.is_cancelled() && logins.find(Kind::Page, &watches, true).is_none(), "a page that looks again is no use");
        clock.advance(IDLE - 1);
        assert!(logins.find(Kind::Page, &ada, true).is_none(), "twelve hours are over");
        let ada = open(&logins, "ada");
        clock.advance(IDLE);
        assert!(logins.find(Kind::Page, &ada, true).is_none());
    }

    #[test]
    fn auth_4_logins_are_bounded_listed_and_ended() {
        let clock = Arc::new(ManualClock::default());
        let logins = Logins::new(clock.clone());
        let (ada, eve) = (OperatorName::parse("ada").unwrap(), OperatorName::parse("eve").unwrap());
        let secrets: Vec<_> = (0..=EACH)
            .map(|_| {
                clock.advance(1);
                open(&logins, "ada")
            })
            .collect();
        let other = open(&logins, "eve");
        assert!(logins.find(Kind::Program, &other, true).is_none(), "a cookie is no bearer token");
        let mine = logins.find(Kind::Page, secrets.last().unwrap(), true).unwrap();
        assert!(logins.of(&ada).len() == EACH && logins.find(Kind::Page, secrets.first().unwrap(), true).is_none());
        assert!(!logins.end(&eve, &mine.id), "another operator's is not theirs to end");
        assert!(logins.end_others(&mine) == EACH - 1 && logins.of(&ada).len() == 1);
        assert!(logins.end(&ada, &mine.id) && mine.over.is_cancelled() && logins.find(Kind::Page, secrets.last().unwrap(), true).is_none());
        assert!(logins.find(Kind::Page, &other, true).is_some());
        logins.sweep(|login| login.operator != eve);
        assert!(logins.find(Kind::Page, &other, true).is_none());
    }
}
