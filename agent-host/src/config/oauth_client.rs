//! How a person logs in at a server, and whose login a call goes with.
//!
//! Is: what the operator says of it. Is not: a token, nor a login; `login` makes and keeps those.
//! Clauses: UP-1 (identity), UP-2 (operator's files), UP-5 (login), UP-10.

use super::Variable;
use serde::{Deserialize, Serialize};
use std::path::Path;
use url::Url;

/// Scopes that may be named.
const SCOPES: usize = 64;
/// Bytes of one scope, and of a client's name.
const BYTES: usize = 1024;

/// How agent-host logs in at a server with OAuth. Everything may be left out: then it registers itself, where it may.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct OAuthClient {
    /// The client that was registered by hand at the authorization server.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 1024)))]
    pub client_id: Option<String>,
    /// Its secret, where it has one.
    pub client_secret: Option<Variable>,
    /// What is asked for at a login, in place of what the server says that it needs.
    pub scopes: Vec<String>,
    /// The `https` address of a client metadata document of the operator's, which is the client's name where the authorization
    /// server takes one.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^https://")))]
    pub metadata: Option<String>,
}

impl OAuthClient {
    /// What is wrong with it, and what to do.
    pub(super) fn check(&self) -> Result<(), (String, &'static str)> {
        let wrong = |what: &str, hint| Err((what.to_owned(), hint));
        if self
            .client_id
            .as_ref()
            .is_some_and(|id| id.is_empty() || id.len() > BYTES || !id.bytes().all(|byte| matches!(byte, b' '..=b'~')))
        {
            return wrong("`client_id` is no client's name", "1 to 1024 visible ASCII characters, as the authorization server shows it");
        }
        if self.client_secret.is_some() && self.client_id.is_none() {
            return wrong("`client_secret` is there without a `client_id`", "name the client that it belongs to");
        }
        if self.scopes.len() > SCOPES || !self.scopes.iter().all(|scope| is_scope(scope)) {
            return wrong(
                "`scopes` holds what is no scope",
                "at most 64, each of visible ASCII characters without blanks, quotes and backslashes",
            );
        }
        if self.metadata.as_ref().is_some_and(|url| !is_document(url)) {
            return wrong(
                "`metadata` is no client metadata document's address",
                "an `https` address with a path, without a user and without `#`",
            );
        }
        Ok(())
    }

    pub(super) fn resolved(mut self, folder: &Path) -> Self {
        self.client_secret = self.client_secret.map(|secret| secret.resolved(folder));
        self
    }
}

/// Whether a text is one scope (RFC 6749, 3.3).
pub(crate) fn is_scope(text: &str) -> bool {
    !text.is_empty() && text.len() <= BYTES && text.bytes().all(|byte| matches!(byte, b'!' | b'#'..=b'[' | b']'..=b'~'))
}

fn is_document(text: &str) -> bool {
    let Ok(url) = Url::parse(text) else { return false };
    let nobody = url.username().is_empty() && url.password().is_none();
    url.scheme() == "https" && url.host().is_some() && url.path() != "/" && url.fragment().is_none() && nobody
}
