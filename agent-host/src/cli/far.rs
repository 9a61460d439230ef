//! Where an operator's command is asked: of the host of a state folder, or of one behind a URL (`--at`).
//!
//! Is: the flags, and a login for this one command by a passphrase typed at the terminal. Nothing of it is kept: a file that holds
//! a login would let every program of this user answer for the person. Clauses: HOST-3 (login), AUTH-4 (login).

use super::tty::Tty;
use super::{Exit, Failure};
use crate::admin::passphrase::Secret;
use crate::admin::{Request, Response, Unanswered, ask};
use crate::api::{Far, NoAnswer, address};
use clap::Args;
use std::path::{Path, PathBuf};
use url::Url;

/// A host elsewhere.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct Elsewhere {
    /// Ask the host whose console is at this URL, such as `https://HOST:8751`, after a login with the passphrase.
    #[arg(long, global = true, help_heading = "Global options", value_name = "URL", value_parser = address)]
    at: Option<Url>,
    /// Whom to log in there as, where the host has several operators.
    #[arg(long = "as-operator", global = true, help_heading = "Global options", value_name = "NAME", requires = "at")]
    whom: Option<String>,
    /// The PEM file of who vouches for that host's certificate, in place of the system's.
    #[arg(long, global = true, help_heading = "Global options", value_name = "FILE", requires = "at")]
    ca: Option<PathBuf>,
}

impl Elsewhere {
    /// Whether a host elsewhere is named.
    pub(crate) const fn is_named(&self) -> bool {
        self.at.is_some()
    }

    /// Logs in there, where one is named.
    pub(super) async fn enter(&self) -> Result<Option<Far>, Failure> {
        let Some(url) = &self.at else { return Ok(None) };
        let mut tty = Tty::open_or("a login takes a passphrase, typed at a terminal")?;
        let whose = self.whom.as_deref().map(|name| format!(" of {name}")).unwrap_or_default();
        let text = tty.secret(&format!("passphrase{whose} at {}: ", url.authority())).await?;
        let secret = Secret::new(text).map_err(|error| Failure::new(Exit::Failed, format!("nobody is logged in: {error}")))?;
        Ok(Some(Far::enter(url, self.ca.as_deref(), self.whom.clone(), secret).await?))
    }
}

/// Whom to ask.
#[derive(Clone, Copy)]
pub(super) enum At<'a> {
    /// The host of a state folder.
    Here(&'a Path),
    /// One behind a URL.
    There(&'a Far),
}

impl<'a> From<&'a Path> for At<'a> {
    fn from(state: &'a Path) -> Self {
        Self::Here(state)
    }
}

impl<'a> From<&'a PathBuf> for At<'a> {
    fn from(state: &'a PathBuf) -> Self {
        Self::Here(state)
    }
}

impl At<'_> {
    /// Whether it is a host elsewhere, which knows by a login who asks.
    pub(super) const fn is_far(self) -> bool {
        matches!(self, Self::There(_))
    }

    /// The answer; none where no host runs here.
    pub(super) async fn ask(self, request: &Request) -> Result<Option<Response>, Failure> {
        match self {
            Self::Here(state) => match ask(state, request).await {
                Ok(response) => Ok(Some(response)),
                Err(Unanswered::NoHost) => Ok(None),
                Err(error) => Err(Failure::new(Exit::Failed, format!("{error}\nhint: it may be done; `agent-host audit show` says"))),
            },
            Self::There(far) => Ok(Some(far.ask(request).await?)),
        }
    }
}

impl From<NoAnswer> for Failure {
    fn from(error: NoAnswer) -> Self {
        let exit = if matches!(error, NoAnswer::Address(_)) { Exit::Usage } else { Exit::Failed };
        Self::new(exit, error.to_string())
    }
}
