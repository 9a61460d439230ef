//! From what a request presents to who asks.
//!
//! Is: the credential alone; nothing else of a request is looked at. A text that begins as our tokens do is one of them or
//! nothing. Is not: what a caller may do. Clause: SES-4. Source: RFC 6750.

use super::answer::refused;
use crate::caller::{Caller, credential};
use agent_core::digest::Digest;
use agent_core::session::TokenId;
use agent_core::token::TokenRecord;
use agent_engine::desk::Desk;
use agent_engine::token::Standing;
use axum::response::Response;
use http::header::{AUTHORIZATION, WWW_AUTHENTICATE};
use http::{HeaderMap, HeaderValue, StatusCode};
use tokio::sync::watch;

/// How a token is named as a credential.
const TOKEN: &str = "token";

/// The credentials that are taken.
#[derive(Clone)]
pub struct Credentials {
    desk: Desk,
}

/// Nobody is known by what was presented.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Denied {
    /// Nothing was.
    Missing,
    /// It is worth nothing, or not here.
    Invalid,
}

impl Credentials {
    /// The host's own tokens.
    #[must_use]
    pub const fn new(desk: Desk) -> Self {
        Self { desk }
    }

    pub(super) fn of_header(&self, headers: &HeaderMap) -> Result<Caller, Denied> {
        let mut values = headers.get_all(AUTHORIZATION).iter();
        let (Some(value), None) = (values.next(), values.next()) else { return Err(Denied::Missing) };
        let (scheme, bearer) = value.to_str().ok().and_then(|text| text.split_once(' ')).ok_or(Denied::Missing)?;
        if !scheme.eq_ignore_ascii_case("bearer") {
            return Err(Denied::Missing);
        }
        self.desk.token(bearer.trim()).map(|token| caller(&token)).ok_or(Denied::Invalid)
    }

    /// The caller of a token that may stand in a URL.
    pub(super) fn of_url(&self, token: &str) -> Result<Caller, Denied> {
        self.desk.token(token).filter(|token| token.url).map(|token| caller(&token)).ok_or(Denied::Invalid)
    }

    /// What who was denied is told.
    pub(super) fn challenge(&self, denied: Denied) -> Response {
        let (why, says) = match denied {
            Denied::Missing => ("a credential is needed: `Authorization: Bearer TOKEN`, as `agent-host token create` makes one", "Bearer"),
            Denied::Invalid => ("this credential is unknown, over, or taken back", "Bearer error=\"invalid_token\""),
        };
        let mut response = refused(StatusCode::UNAUTHORIZED, why);
        response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static(says));
        response
    }

    /// What the clients of an authorization server read first; there is none.
    pub(super) fn metadata(&self) -> Response {
        refused(StatusCode::NOT_FOUND, "MCP is at /mcp")
    }

    /// The tokens that stand, as they come and go.
    pub(super) fn standing(&self) -> watch::Receiver<Standing> {
        self.desk.watch_tokens()
    }
}

fn caller(token: &TokenRecord) -> Caller {
    Caller::new(token.principal.clone(), token.profile.clone(), TOKEN, &token.id.to_string())
}

/// The credential that a token is.
pub(super) fn of_token(id: TokenId) -> Digest {
    credential(TOKEN, &id.to_string())
}
