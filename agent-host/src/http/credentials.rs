//! From what a request presents to who asks.
//!
//! Is: the credential alone; nothing else of a request is looked at. Is not: where credentials come from, which is said when
//! this is made. Clause: SES-4. Source: RFC 6750.

use super::answer::refused;
use crate::caller::Caller;
use agent_core::digest::Digest;
use axum::response::Response;
use http::header::AUTHORIZATION;
use http::{HeaderMap, StatusCode};
use std::sync::Arc;
use tokio::sync::mpsc;

type Check = dyn Fn(&str) -> Option<Caller> + Send + Sync;

/// The credentials that are taken.
#[derive(Clone)]
pub struct Credentials(Arc<Check>);

/// Nobody is known by what was presented.
pub(super) struct Denied;

impl Credentials {
    /// Those that a function knows a caller of.
    pub fn new(check: impl Fn(&str) -> Option<Caller> + Send + Sync + 'static) -> Self {
        Self(Arc::new(check))
    }

    pub(super) async fn of_header(&self, headers: &HeaderMap) -> Result<Caller, Denied> {
        let text = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok()).ok_or(Denied)?;
        self.of_url(text.strip_prefix("Bearer ").ok_or(Denied)?)
    }

    pub(super) fn of_url(&self, token: &str) -> Result<Caller, Denied> {
        (self.0)(token).ok_or(Denied)
    }

    pub(super) fn challenge(&self, _: &Denied) -> Response {
        refused(StatusCode::UNAUTHORIZED, "a credential is needed")
    }

    pub(super) fn metadata(&self) -> Response {
        refused(StatusCode::NOT_FOUND, "MCP is at /mcp")
    }

    pub(super) fn revoked(&self) -> mpsc::Receiver<Digest> {
        mpsc::channel(1).1
    }
}
