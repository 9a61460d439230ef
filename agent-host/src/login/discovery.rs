//! Which authorization server is a server's, and whether one can log in there safely.
//!
//! Is: rmcp's discovery (RFC 9728, RFC 8414, OpenID Connect), and what we demand of what it finds. Is not: a fallback: a
//! server that publishes nothing has no login. Clauses: UP-5 (login), UP-10.

use super::Login;
use super::client::Client;
use agent_core::safety::prose;
use rmcp::transport::auth::{AuthError, AuthorizationManager, AuthorizationMetadata};
use std::error::Error;
use std::sync::Arc;
use url::Url;

/// Bytes told of what a server said.
const SAID: usize = 300;

/// A server's login as far as it needs no client yet.
pub(super) struct Found {
    pub(super) manager: AuthorizationManager,
    pub(super) metadata: AuthorizationMetadata,
    pub(super) issuer: String,
}

/// Asks the server, and then its authorization server, for their metadata.
///
/// # Errors
/// The text is for an operator: it can hold what a server said, made visible and cut.
pub(super) async fn found(login: &Login) -> Result<Found, String> {
    let client = Arc::new(Client::of(login));
    client.may_reach(&login.url)?;
    let manager = AuthorizationManager::new_with_oauth_http_client(login.url.clone(), client.clone()).await;
    let mut manager = manager.map_err(|error| said(&error))?;
    let resolution = manager.resolve_metadata().await.map_err(|error| said(&error))?;
    if !resolution.source.is_discovered() {
        return Err("the server names no authorization server: it has no login, or one that is not OAuth as MCP has it".to_owned());
    }
    let metadata = resolution.metadata;
    let issuer = sound(&metadata, &client)?;
    manager.set_metadata(metadata.clone());
    Ok(Found { manager, metadata, issuer })
}

/// The issuer, of metadata by which one can log in safely. That it is the one that was looked for, rmcp has seen to.
fn sound(metadata: &AuthorizationMetadata, client: &Client) -> Result<String, String> {
    let methods = metadata.code_challenge_methods_supported.as_deref().unwrap_or_default();
    if !methods.iter().any(|method| method == "S256") {
        return Err(
            "its authorization server does not say that it supports PKCE with S256, without which a login could be stolen".to_owned()
        );
    }
    let endpoints = [Some(&metadata.authorization_endpoint), Some(&metadata.token_endpoint), metadata.registration_endpoint.as_ref()];
    for endpoint in endpoints.into_iter().flatten() {
        let url =
            Url::parse(endpoint).map_err(|_| format!("its authorization server names what is no address: `{}`", prose(endpoint, 100)))?;
        client.may_reach(&url).map_err(|why| format!("its authorization server names an address that is not used: {why}"))?;
    }
    metadata.issuer.clone().ok_or_else(|| "its authorization server does not say who it is".to_owned())
}

/// An error with all that caused it, on one line.
pub(super) fn said(error: &AuthError) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        let more = error.to_string();
        if !text.contains(&more) {
            text.push_str(&format!(": {more}"));
        }
        source = error.source();
    }
    prose(&text, SAID)
}
