//! Where the `Authorization` of a server behind a URL comes from, where that is neither in the file nor in a variable.
//!
//! Is: the one question that a connection has to whoever keeps logins. Is not: a login, nor a place for tokens. What a client
//! showed us is no part of the question and can't be an answer (UP-5). Clauses: UP-5 (HTTP), UP-10.

use crate::config::OAuthClient;
use agent_core::id::Alias;
use agent_core::session::PrincipalId;
use async_trait::async_trait;
use http::{HeaderValue, StatusCode};
use url::Url;

/// One request that is about to be sent.
#[derive(Debug, Clone)]
pub struct Access {
    /// The server.
    pub server: Alias,
    /// Who calls, where the operator says `identity = "per-principal"`. None is the operator, also where a server is listed
    /// before anybody calls.
    pub principal: Option<PrincipalId>,
    /// Where the request goes.
    pub url: Url,
    /// Whether that may be this machine or a private network.
    pub private: bool,
    /// As which client one logs in, where the operator says so.
    pub oauth: Option<OAuthClient>,
    /// What was sent before and refused with 401 or 403, where this is the second attempt.
    pub refused: Option<Refused>,
}

/// A value that a server refused.
#[derive(Debug, Clone)]
pub struct Refused {
    /// The value; none where there was none to send.
    pub value: Option<HeaderValue>,
    /// Which of the two it was.
    pub status: StatusCode,
    /// The server's `WWW-Authenticate`, as it was sent: a stranger's words, for nobody to see. Empty where there was none.
    pub challenge: String,
}

/// Why there is nothing to send. In words for an operator and a model, without anything secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoAccess {
    /// Nobody is logged in, or not any more, or not with what is needed.
    NeedsLogin {
        /// Why.
        why: String,
        /// The command by which who the access is for logs in.
        command: String,
    },
    /// It can't be found out just now.
    Failed(String),
}

/// Whoever keeps logins.
#[async_trait]
pub trait Authorize: Send + Sync {
    /// The value to send, marked as sensitive; None where the server is not one that is logged in at, and its headers are all
    /// that it gets. Asked for each request, so an answer comes from memory; a token that is refreshed meanwhile is waited for.
    ///
    /// # Errors
    /// [`NoAccess`] says why.
    async fn authorize(&self, access: &Access) -> Result<Option<HeaderValue>, NoAccess>;

    /// The command by which who an access is for logs in, where that can be done here. It is told where the operator has not
    /// written another, as `login`.
    fn command(&self, access: &Access) -> Option<String>;
}

/// No server is logged in at.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoLogins;

#[async_trait]
impl Authorize for NoLogins {
    async fn authorize(&self, _: &Access) -> Result<Option<HeaderValue>, NoAccess> {
        Ok(None)
    }

    fn command(&self, _: &Access) -> Option<String> {
        None
    }
}
