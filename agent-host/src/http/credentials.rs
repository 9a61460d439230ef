//! From what a request presents to who asks.
//!
//! Is: the credential alone; nothing else of a request is looked at. A text that begins as our tokens do is one of them or
//! nothing; anything else is an access token, where the operator named an issuer. Is not: what a caller may do. Clause: SES-4.
//! Source: RFC 6750, RFC 9728.

use super::answer::refused;
use crate::caller::{Caller, credential};
use crate::client::Clients;
use crate::oauth::{Refused, ResourceServer};
use crate::web::bearer;
use agent_core::digest::Digest;
use agent_core::session::TokenId;
use agent_core::token::{PREFIX, TokenRecord};
use agent_engine::token::Standing;
use axum::Json;
use axum::response::{IntoResponse, Response};
use http::header::{RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderMap, HeaderValue, StatusCode};
use parking_lot::Mutex;
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};
use tokio::sync::watch;

/// How a token of ours is named as a credential, and one of an issuer's.
const TOKEN: &str = "token";
const ISSUED: &str = "oauth";
/// Seconds after which an issuer is asked again that could not be.
const RETRY: u64 = agent_core::limits::JWKS_RETRY_MS / 1000;
/// A token that is worth nothing: unknown, over and taken back are the same.
const NONE: Refused = Refused::Token("it is unknown, over, or taken back");

/// The credentials that are taken.
#[derive(Clone)]
pub struct Credentials {
    clients: Clients,
    issuer: Arc<Mutex<Option<Arc<ResourceServer>>>>,
}

impl Credentials {
    /// The host's own tokens, and those of the issuer that the configuration names at the time.
    #[must_use]
    pub fn new(clients: Clients) -> Self {
        Self { clients, issuer: Arc::default() }
    }

    /// The issuer now. Other settings make another, which knows no key and no token yet (HOST-2).
    fn issuer(&self) -> Option<Arc<ResourceServer>> {
        let config = self.clients.config();
        let (mut kept, settings) = (self.issuer.lock(), config.oauth.as_ref());
        if kept.as_ref().map(|issuer| issuer.settings()) != settings {
            *kept = settings.map(|settings| Arc::new(ResourceServer::new(settings.clone())));
        }
        kept.clone()
    }

    pub(super) async fn of_header(&self, headers: &HeaderMap) -> Result<Caller, Refused> {
        let bearer = bearer(headers).ok_or(Refused::Absent)?;
        match self.issuer() {
            Some(issuer) if !bearer.starts_with(PREFIX) => {
                let claims = issuer.check(bearer).await?;
                let name = serde_json::to_string(&(&claims.issuer, &claims.subject, &claims.profile)).unwrap_or_default();
                let until = claims.until();
                Ok(Caller::new(claims.principal, Some(claims.profile), (ISSUED, &name), until))
            }
            _ => self.clients.desk.token(bearer).map(|token| caller(&token)).ok_or(NONE),
        }
    }

    /// The caller of a token that may stand in a URL.
    pub(super) fn of_url(&self, token: &str) -> Result<Caller, Refused> {
        self.clients.desk.token(token).filter(|token| token.url).map(|token| caller(&token)).ok_or(NONE)
    }

    /// What who was refused is told.
    pub(super) fn challenge(&self, why: &Refused) -> Response {
        let mut response = refused(why.status(), &format!("{why}; `agent-host token create` makes a token"));
        let challenge = match self.issuer() {
            Some(issuer) => issuer.challenge(why),
            None if *why == Refused::Absent => Some(HeaderValue::from_static("Bearer")),
            None => Some(HeaderValue::from_static("Bearer error=\"invalid_token\"")),
        };
        challenge.map(|challenge| response.headers_mut().insert(WWW_AUTHENTICATE, challenge));
        if *why == Refused::Unavailable {
            response.headers_mut().insert(RETRY_AFTER, RETRY.into());
        }
        response
    }

    /// What clients of an authorization server read first; nothing where there is none.
    pub(super) fn metadata(&self) -> Response {
        match self.issuer() {
            Some(issuer) => Json(issuer.metadata()).into_response(),
            None => refused(StatusCode::NOT_FOUND, "MCP is at /mcp"),
        }
    }

    /// The tokens that stand, as they come and go.
    pub(super) fn standing(&self) -> watch::Receiver<Standing> {
        self.clients.desk.watch_tokens()
    }
}

fn caller(token: &TokenRecord) -> Caller {
    let until = token.until.and_then(|until| UNIX_EPOCH.checked_add(Duration::from_millis(until.wall)));
    Caller::new(token.principal.clone(), token.profile.clone(), (TOKEN, &token.id.to_string()), until)
}

/// The credential that a token is.
pub(super) fn of_token(id: TokenId) -> Digest {
    credential(TOKEN, &id.to_string())
}
