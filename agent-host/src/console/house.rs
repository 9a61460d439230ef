//! What every route shares: where the console is reached, who may come, and who has.
//!
//! Is not: a route. Clauses: AUTH-4 (console, login, OIDC).

use super::attempts::Attempts;
use super::begun::Waiting;
use super::cookie::Cookie;
use super::live::Live;
use super::logins::{Kind, Login, Logins, Proof};
use super::prefix;
use crate::admin::passphrase::Lock;
use crate::admin::{Office, Operator, Over};
use crate::config::{Config, Console, OperatorName, Principals, Role};
use crate::oauth::Provider;
use crate::web::Guard;
use agent_core::request::{Channel, Strength};
use agent_core::time::Clock;
use parking_lot::Mutex;
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::watch;

/// One console.
pub(super) struct House {
    at: SocketAddr,
    encrypted: bool,
    /// What every path begins with; nothing where the cookie is of a host of its own.
    pub(super) prefix: String,
    pub(super) cookie: Cookie,
    state: PathBuf,
    pub(super) office: Office,
    config: watch::Receiver<Arc<Config>>,
    pub(super) logins: Logins,
    pub(super) attempts: Attempts,
    pub(super) live: Arc<Live>,
    /// Of a browser that is at a provider meanwhile, and what it began.
    pub(super) passing: Cookie,
    pub(super) waiting: Waiting,
    pub(super) provider: Mutex<Option<Arc<Provider>>>,
}

impl House {
    pub(super) fn new(
        at: SocketAddr,
        console: &Console,
        state: &Path,
        office: Office,
        config: watch::Receiver<Arc<Config>>,
        clock: Arc<dyn Clock>,
    ) -> io::Result<Self> {
        let apart = at.ip().is_loopback() && !console.proxy;
        let prefix = if apart { prefix::kept(state)? } else { String::new() };
        let encrypted = console.tls.is_some() || console.proxy;
        let cookie = Cookie::new(&prefix, encrypted);
        let (passing, waiting) = (Cookie::passing(&prefix, encrypted), Waiting::new(clock.clone()));
        let (logins, attempts, provider, live) = (Logins::new(clock), Attempts::new(), Mutex::default(), Arc::default());
        let state = state.to_owned();
        Ok(Self { at, encrypted, prefix, cookie, state, office, config, logins, attempts, live, passing, waiting, provider })
    }

    /// Where it listens.
    #[cfg(test)]
    pub(super) const fn at(&self) -> SocketAddr {
        self.at
    }

    /// The configuration now.
    pub(super) fn config(&self) -> Arc<Config> {
        self.config.borrow().clone()
    }

    /// By which names it is reached now (HOST-2).
    pub(super) fn guard(&self) -> Guard {
        Guard::new(self.at, (&self.config.borrow().console).into())
    }

    /// Where a browser finds it.
    pub(super) fn url(&self) -> String {
        let config = self.config();
        let named = config.console.hosts.first().cloned();
        let host = named.unwrap_or_else(|| self.at.to_string());
        format!("{}://{host}{}/", if self.encrypted { "https" } else { "http" }, self.prefix)
    }

    /// The operators by name, or the one that there is without any.
    pub(super) fn names(&self) -> Vec<OperatorName> {
        let config = self.config();
        if config.operators.is_empty() { vec![OperatorName::owner()] } else { config.operators.keys().cloned().collect() }
    }

    pub(super) fn lock(&self, operator: &OperatorName) -> Lock {
        Lock::of(&self.state, operator)
    }

    /// Who is logged in by a secret, as what they are now.
    pub(super) fn visitor(&self, kind: Kind, secret: &str, using: bool) -> Option<(Operator, Login)> {
        let login = self.logins.find(kind, secret, using)?;
        match self.stands(&login) {
            Some(true) => return Some((self.operator(&login.operator, login.channel())?, login)),
            Some(false) => {
                self.logins.end(&login.operator, &login.id);
            }
            None => {}
        }
        None
    }

    /// Whether what a login rests on is as it was: the operator, and the passphrase or the person at the provider.
    /// None where that can't be read now.
    pub(super) fn stands(&self, login: &Login) -> Option<bool> {
        match &login.proof {
            _ if self.operator(&login.operator, login.channel()).is_none() => Some(false),
            Proof::Passphrase(mark) => self.lock(&login.operator).mark().ok().map(|now| now == Some(*mark)),
            proof @ Proof::Provider { .. } => Some(self.meant(proof).as_ref() == Some(&login.operator)),
        }
    }

    /// The operator whom a provider's word means: of the provider as it is configured now, and letter by letter.
    pub(super) fn meant(&self, proof: &Proof) -> Option<OperatorName> {
        let Proof::Provider { by, who } = proof else { return None };
        let config = self.config();
        config.console.oidc.as_ref().filter(|now| **now == **by)?;
        config.operators.iter().find(|(_, entitled)| entitled.oidc.as_ref() == Some(who)).map(|(name, _)| name.clone())
    }

    /// What an operator of that name is now; none where there is no such operator.
    pub(super) fn operator(&self, name: &OperatorName, channel: Channel) -> Option<Operator> {
        let config = self.config();
        let (role, over) = match config.operators.get(name) {
            Some(named) => {
                let over = match &named.principals {
                    Principals::All(_) => Over::All,
                    Principals::Only(some) => Over::Only(some.clone()),
                };
                (named.role, over)
            }
            None if config.operators.is_empty() && *name == OperatorName::owner() => (Role::Admin, Over::All),
            None => return None,
        };
        Some(Operator { name: name.to_string(), role, over, channel, strength: Strength::Strong })
    }
}
