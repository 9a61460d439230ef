//! A login from its beginning to its end.
//!
//! Is: found, registered, shown to a person, taken back, exchanged, kept. PKCE, `state`, `resource` (RFC 8707) and `iss`
//! (RFC 9207) go along. Is not: a decision; a person runs this by a command, and says yes at the authorization server.
//! Clauses: UP-5 (login), UP-10.

use super::discovery::{Found, found, said};
use super::kept::Kept;
use super::listener::{Listener, PATIENCE};
use super::{Login, Logins};
use crate::browser;
use crate::config::is_scope;
use agent_core::safety::prose;
use rmcp::transport::auth::{AuthorizationManager, CredentialStore, InMemoryCredentialStore, OAuthClientConfig};
use std::collections::BTreeSet;
use std::time::Duration;
use url::Url;

/// What an authorization server is told that we are called.
const NAME: &str = "agent-host";
/// Scopes that are asked for at the most.
const SCOPES: usize = 64;

/// A login that waits for its person.
pub struct Begun {
    login: Login,
    manager: AuthorizationManager,
    store: InMemoryCredentialStore,
    listener: Listener,
    url: Url,
    state: String,
    issuer: String,
    scopes: Vec<String>,
    /// The secret of a client that was registered just now.
    secret: Option<String>,
}

impl Begun {
    /// Asks the server who its authorization server is, and that one for a client; listens for the browser. `more` are scopes
    /// that are wanted besides those that the login has had.
    ///
    /// # Errors
    /// The text says what is missing, or what was wrong in an answer, and is for an operator.
    pub async fn new(login: Login, logins: &Logins, more: &[String]) -> Result<Self, String> {
        let Found { mut manager, metadata, issuer } = found(&login).await?;
        let store = InMemoryCredentialStore::new();
        manager.set_credential_store(store.clone());
        let listener = Listener::bind().await?;
        let scopes = scopes(&manager, &login, logins, more).await;
        let named: Vec<&str> = scopes.iter().map(String::as_str).collect();
        let takes_documents = metadata.additional_fields.get("client_id_metadata_document_supported") == Some(&true.into());
        let mut secret = None;
        let redirect = listener.redirect();
        let client = match (&login.oauth.client_id, &login.oauth.metadata) {
            (Some(id), _) => by_hand(&login, id, redirect)?,
            (None, Some(document)) if takes_documents => OAuthClientConfig::new(document, redirect),
            _ if metadata.registration_endpoint.is_some() => {
                let client = manager.register_client(NAME, &redirect, &named).await.map_err(|error| said(&error))?;
                secret.clone_from(&client.client_secret);
                client
            }
            _ => return Err(unregistered(&login)),
        };
        manager.configure_client(client).map_err(|error| said(&error))?;
        let url = manager.get_authorization_url(&named).await.map_err(|error| said(&error))?;
        let url = Url::parse(&url).map_err(|error| error.to_string())?;
        let state = url.query_pairs().find_map(|(name, value)| (name == "state").then(|| value.into_owned()));
        let state = state.ok_or("the page of the login has no `state`")?;
        Ok(Self { login, manager, store, listener, url, state, issuer, scopes, secret })
    }

    /// The page on which a person says yes.
    #[must_use]
    pub const fn url(&self) -> &Url {
        &self.url
    }

    /// Who the authorization server says that it is, made visible.
    #[must_use]
    pub fn issuer(&self) -> String {
        prose(&self.issuer, 200)
    }

    /// What is asked for.
    #[must_use]
    pub fn scopes(&self) -> &[String] {
        &self.scopes
    }

    /// Opens the page in the platform's browser.
    ///
    /// # Errors
    /// Where there is none.
    pub fn open(&self) -> std::io::Result<()> {
        browser::open(&self.url)
    }

    /// Waits for the person, at most 5 minutes, and keeps what was given.
    ///
    /// # Errors
    /// The text is for an operator.
    pub async fn finish(self, logins: &Logins) -> Result<(), String> {
        self.finish_within(logins, PATIENCE).await
    }

    pub(super) async fn finish_within(self, logins: &Logins, patience: Duration) -> Result<(), String> {
        let answer = self.listener.answer(&self.state, patience).await?;
        let code = answer.said?;
        let exchanged = self.manager.exchange_code_for_token_with_issuer(&code, &answer.state, answer.issuer.as_deref()).await;
        exchanged.map_err(|error| said(&error))?;
        let stored = self.store.load().await.map_err(|error| said(&error))?.ok_or("no token was given")?;
        let kept = Kept { url: self.login.url.to_string(), client_secret: self.secret, stored };
        kept.authorization(&self.login).map_err(|_| "what was given is no bearer token")?;
        logins.keep(&self.login, kept).await
    }
}

/// What to ask for: what the operator wrote, else what the server says. Where more is wanted, what there was stays.
async fn scopes(manager: &AuthorizationManager, login: &Login, logins: &Logins, more: &[String]) -> Vec<String> {
    let mut scopes = login.oauth.scopes.clone();
    if !more.is_empty() {
        // A login that can't be read has no scopes.
        scopes.extend(logins.place(login).read(login).map(|kept| kept.stored.granted_scopes).unwrap_or_default());
        scopes.extend_from_slice(more);
    }
    if scopes.is_empty() {
        scopes = manager.select_initial_scopes(&[]).await;
    }
    let mut seen = BTreeSet::new();
    scopes.retain(|scope| is_scope(scope) && seen.insert(scope.clone()));
    scopes.truncate(SCOPES);
    scopes
}

/// The client that the operator registered.
pub(super) fn by_hand(login: &Login, id: &str, redirect: String) -> Result<OAuthClientConfig, String> {
    let client = OAuthClientConfig::new(id, redirect);
    let Some(secret) = &login.oauth.client_secret else { return Ok(client) };
    Ok(client.with_client_secret(secret.read().map_err(|why| format!("the client's secret can't be read: {why}"))?))
}

fn unregistered(login: &Login) -> String {
    let alias = &login.alias;
    format!(
        "its authorization server registers no client by itself; register one there by hand, with the redirect http://127.0.0.1/callback, \
         and write its `client_id` to `[servers.{alias}.oauth]`"
    )
}
