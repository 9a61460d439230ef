//! Logins at servers behind a URL: a person's yes at an authorization server, kept as tokens and renewed before they run out.
//!
//! Is: `agent-host login` and `logout`, and one question of `upstream`'s: the `Authorization` value of one server for one
//! principal, or that a person has to log in first. The protocol is rmcp's (`transport::auth`); what it may reach, what it must
//! find and where tokens lie is decided here. Is not: a judge of clients, whose own credentials never come here; nor a keychain:
//! tokens are files of their owner's alone.
//! Clauses: UP-1 (identity), UP-5 (login), UP-10. Neighbours: `config` says how one logs in, `egress` what may be reached,
//! `upstream` sends the value, `cli` asks for a login.
//!
//! ```no_run
//! use agent_core::id::Alias;
//! use agent_host::{config::OAuthClient, login::{Login, Logins}};
//! use std::path::Path;
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let (alias, url) = (Alias::parse("tracker")?, "https://mcp.example.org/".parse()?);
//! let login = Login { alias, url, private: false, oauth: OAuthClient::default(), principal: None };
//! let logins = Logins::of(Path::new("/var/lib/agent-host"));
//! match logins.authorization(&login).await {
//!     Ok(value) => println!("{} bytes to send", value.len()),
//!     Err(why) => println!("{why}"),
//! }
//! # Ok(())
//! # }
//! ```

mod answer;
mod asked;
mod begun;
mod client;
mod discovery;
mod kept;
mod listener;
mod refused;
mod renewal;
mod revoked;
mod told;
mod unsaved;

#[cfg(test)]
mod tests;

pub(crate) use answer::Answer;
pub use begun::Begun;
pub use revoked::Tokens;
pub use told::LoginError;

use crate::config::OAuthClient;
use crate::shell::quoted;
use agent_core::id::Alias;
use agent_core::session::PrincipalId;
use http::HeaderValue;
use kept::Place;
use parking_lot::Mutex;
use renewal::{Because, One};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use url::Url;

/// One login: where, how, and whose.
#[derive(Debug, Clone)]
pub struct Login {
    /// The server's name.
    pub alias: Alias,
    /// Where it is.
    pub url: Url,
    /// Whether it may lead to this machine or a private network.
    pub private: bool,
    /// How the operator says that one logs in there.
    pub oauth: OAuthClient,
    /// Whose login it is; none is the operator's own.
    pub principal: Option<PrincipalId>,
}

impl Login {
    /// The command by which a person logs in, as it can be pasted into a shell. Of `scopes` only such as are plain words.
    #[must_use]
    pub fn command(&self, scopes: &[String]) -> String {
        let mut command = format!("agent-host login {}", self.alias);
        if let Some(principal) = &self.principal {
            command.push_str(&format!(" --principal {}", quoted(principal.as_str())));
        }
        let plain = |scope: &&String| scope.len() <= 128 && quoted(scope) == **scope && !scope.starts_with('-');
        for scope in scopes.iter().filter(plain).take(16) {
            command.push_str(&format!(" --scope {scope}"));
        }
        command
    }
}

/// Whether a principal is who runs the host, by the name that this user's own clients have.
#[must_use]
pub fn is_operator(principal: &PrincipalId) -> bool {
    principal.as_str() == format!("local:{}", rustix::process::geteuid().as_raw())
}

/// The logins that are kept in a state folder.
pub struct Logins {
    folder: PathBuf,
    /// Who renews which, so that of many who find a token old one renews it.
    renewing: Mutex<BTreeMap<PathBuf, Arc<One>>>,
}

impl Logins {
    /// Those of a state folder. Nothing is read or made yet.
    #[must_use]
    pub fn of(state: &Path) -> Self {
        Self { folder: state.join("logins"), renewing: Mutex::default() }
    }

    /// The value of `Authorization` for a request to this server, renewed where it is about to run out. The file is read each
    /// time: a login or logout in another process counts from the next request on.
    ///
    /// # Errors
    /// [`LoginError::Needed`] where a person has to log in; [`LoginError::Failed`] where it could not be renewed just now.
    pub async fn authorization(&self, login: &Login) -> Result<HeaderValue, LoginError> {
        let kept = self.kept(login)?;
        if kept.is_fresh() { kept.authorization(login) } else { self.renewed(login, &kept, Because::Old).await }
    }

    /// Whether anything is kept of a login.
    fn has(&self, login: &Login) -> bool {
        self.place(login).file().symlink_metadata().is_ok()
    }

    fn one(&self, login: &Login) -> Arc<One> {
        self.renewing.lock().entry(self.place(login).file().to_owned()).or_default().clone()
    }

    fn place(&self, login: &Login) -> Place {
        Place::of(&self.folder, &login.alias, login.principal.as_ref())
    }
}
