//! The way of every request of a login: to addresses that are allowed for its server, to no redirect's target, and for no more
//! than a bounded answer.
//!
//! Is: rmcp's client for OAuth over ours. Is not: the rules of what may be reached, which are `egress`'s. Clause: UP-5 (login).

use super::Login;
use crate::config::is_local;
use crate::egress::Clients;
use agent_core::safety::prose;
use http::header::CONTENT_TYPE;
use http::{Response, StatusCode};
use http_body_util::{BodyExt, Limited};
use rmcp::transport::auth::{OAuthHttpClient, OAuthHttpClientError, OAuthHttpClientFuture, OAuthHttpRequest};
use std::time::Duration;
use url::Url;

/// How long one request may take, its answer included.
const PATIENCE: Duration = Duration::from_secs(20);
/// Bytes of an answer.
const ANSWER_BYTES: usize = 256 * 1024;

/// A client for what one server's metadata names.
pub(super) struct Client {
    clients: Clients,
    private: bool,
    /// Whether the server itself is on this machine, reached without TLS.
    local: bool,
}

impl Client {
    pub(super) fn of(login: &Login) -> Self {
        Self { clients: Clients::default(), private: login.private, local: is_local(&login.url) }
    }

    /// Whether an address may be asked, or shown to a person: `https`, or anything on this machine where the server is there too.
    pub(super) fn may_reach(&self, url: &Url) -> Result<(), String> {
        self.client(url).map(drop)
    }

    fn client(&self, url: &Url) -> Result<reqwest::Client, String> {
        let plain = self.local && url.scheme() == "http" && is_local(url);
        if url.scheme() != "https" && !plain {
            return Err(format!("`{}` is no `https` address", told(url)));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(format!("`{}` holds a user's name", told(url)));
        }
        self.clients.of(url, self.private)
    }

    /// Sends a form, with a client's name and secret where it has one; what is answered besides the status is not read.
    pub(super) async fn post(&self, url: &Url, form: String, basic: Option<(String, String)>) -> Result<StatusCode, String> {
        let request = self.client(url)?.post(url.clone()).timeout(PATIENCE).body(form);
        let request = request.header(CONTENT_TYPE, "application/x-www-form-urlencoded");
        let request = match basic {
            Some((name, secret)) => request.basic_auth(name, Some(secret)),
            None => request,
        };
        // Without the address: what was asked of it is in no message.
        let answer = request.send().await.map_err(|error| prose(&error.without_url().to_string(), 200))?;
        Ok(answer.status())
    }

    async fn send(&self, request: OAuthHttpRequest) -> Result<Response<Vec<u8>>, OAuthHttpClientError> {
        let request = reqwest::Request::try_from(request.request)?;
        let client = self.client(request.url())?;
        // It follows no redirect: where rmcp does, it asks again, and here again.
        let response: Response<reqwest::Body> = client.execute(request).await?.into();
        let (parts, body) = response.into_parts();
        let body = Limited::new(body, ANSWER_BYTES).collect().await?.to_bytes().to_vec();
        Ok(Response::from_parts(parts, body))
    }
}

impl OAuthHttpClient for Client {
    fn execute(&self, request: OAuthHttpRequest) -> OAuthHttpClientFuture<'_> {
        Box::pin(async move {
            let late = |_| format!("it did not answer within {} s", PATIENCE.as_secs());
            tokio::time::timeout(PATIENCE, self.send(request)).await.map_err(late)?
        })
    }
}

/// An address without what may be secret in it.
fn told(url: &Url) -> String {
    let mut url = url.clone();
    // Only an address without a host refuses this, and it has no user then.
    let _ = url.set_username("").and_then(|()| url.set_password(None));
    url.set_query(None);
    url.set_fragment(None);
    prose(url.as_str(), 200)
}
