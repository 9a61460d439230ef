//! The operator's end of the API: a login at a host behind a URL, and requests under it.
//!
//! Is: over TLS, or in the clear to this machine alone; no redirect is followed and no proxy taken. The bearer token is in this
//! process's memory and nowhere else: a file of it would be the same to every program of this user. Is not: a place where a
//! passphrase comes from; `cli` asks for it. Clause: HOST-3 (login).

use super::login::{Come, Coming};
use super::{Operation, PREFIX};
use crate::admin::passphrase::Secret;
use crate::admin::{Request, Response};
use crate::config::is_local;
use crate::egress::crypto;
use http::StatusCode;
use http::header::{AUTHORIZATION, CONTENT_TYPE};
use http_body_util::{BodyExt, Limited};
use serde::de::DeserializeOwned;
use std::path::Path;
use std::time::Duration;
use url::Url;
use zeroize::Zeroizing;

/// How long one request may take, its answer included.
const PATIENCE: Duration = Duration::from_secs(30);
/// Bytes of an answer.
const ANSWER_BYTES: usize = 64 * 1024 * 1024;

/// A host behind a URL, and a login there.
pub(crate) struct Far {
    url: Url,
    client: reqwest::Client,
    bearer: Zeroizing<String>,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NoAnswer {
    /// It is no address of a host.
    #[error("{0}")]
    Address(String),
    /// It was not reached, or said something else.
    #[error("the host did not answer: {0}")]
    Broken(String),
    /// It refused, with what to do.
    #[error("{0}\nhint: {1}")]
    Refused(String, String),
}

impl Far {
    /// Logs in. `ca`: a PEM file of the authorities that vouch for the host, in place of the system's.
    pub(crate) async fn enter(url: &Url, ca: Option<&Path>, operator: Option<String>, passphrase: Secret) -> Result<Self, NoAnswer> {
        let mut far = Self { url: url.clone(), client: client(ca)?, bearer: Zeroizing::default() };
        let body = serde_json::to_vec(&Coming { operator, passphrase }).map(Zeroizing::new);
        let body = body.map_err(|error| NoAnswer::Broken(error.to_string()))?;
        match far.send("login", body).await? {
            Come::LoggedIn { bearer, .. } => far.bearer = Zeroizing::new(bearer),
            Come::LoggedOut {} => return Err(NoAnswer::Broken("it answered something else".to_owned())),
        }
        Ok(far)
    }

    /// Asks for something.
    pub(crate) async fn ask(&self, request: &Request) -> Result<Response, NoAnswer> {
        let (operation, body) = Operation::body(request).map_err(NoAnswer::Broken)?;
        self.send(operation.name, body).await
    }

    /// Ends the login.
    pub(crate) async fn leave(self) -> Result<(), NoAnswer> {
        self.send::<Come>("logout", Zeroizing::new(b"{}".to_vec())).await.map(drop)
    }

    async fn send<T: DeserializeOwned>(&self, name: &str, body: Zeroizing<Vec<u8>>) -> Result<T, NoAnswer> {
        let broken = |why: &dyn std::fmt::Display| NoAnswer::Broken(why.to_string());
        let url = self.url.join(&format!("{PREFIX}{name}")).map_err(|error| broken(&error))?;
        let mut request = self.client.post(url).header(CONTENT_TYPE, "application/json");
        if !self.bearer.is_empty() {
            request = request.header(AUTHORIZATION, format!("Bearer {}", *self.bearer));
        }
        let response = request.body(body.to_vec()).send().await.map_err(|error| broken(&causes(&error)))?;
        let status = response.status();
        let body = Limited::new(reqwest::Body::from(response), ANSWER_BYTES).collect().await;
        let body = body.map_err(|error| broken(&error))?.to_bytes();
        if status == StatusCode::OK {
            return serde_json::from_slice(&body).map_err(|error| broken(&error));
        }
        match serde_json::from_slice(&body) {
            Ok(Response::Failed { what, hint }) => Err(NoAnswer::Refused(what, hint)),
            _ => Err(broken(&format!("HTTP status {status}; is it a host's console?"))),
        }
    }
}

/// An error with what is behind it: which certificate, which name.
fn causes(error: &reqwest::Error) -> String {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}

fn client(ca: Option<&Path>) -> Result<reqwest::Client, NoAnswer> {
    crypto();
    let mut builder = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).no_proxy().referer(false).timeout(PATIENCE);
    if let Some(ca) = ca {
        let wrong = |error: &dyn std::fmt::Display| NoAnswer::Address(format!("`{}` can't be used: {error}", ca.display()));
        let pem = std::fs::read(ca).map_err(|error| wrong(&error))?;
        let roots = reqwest::Certificate::from_pem_bundle(&pem).map_err(|error| wrong(&error))?;
        if roots.is_empty() {
            return Err(wrong(&"it holds no certificate"));
        }
        builder = builder.tls_certs_only(roots);
    }
    let builder = builder.user_agent(concat!("agent-host/", env!("CARGO_PKG_VERSION")));
    builder.build().map_err(|error| NoAnswer::Broken(causes(&error)))
}

/// Reads the address of a host: `https`, or anything on this machine.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn address(text: &str) -> Result<Url, String> {
    let url = Url::parse(text).map_err(|error| format!("{error}; write `https://HOST:PORT`"))?;
    let plain = url.scheme() == "http" && is_local(&url);
    if url.scheme() != "https" && !plain {
        return Err("only `https` is spoken to another machine, for a passphrase goes there".to_owned());
    }
    let bare = url.path() == "/" && url.query().is_none() && url.fragment().is_none();
    if !bare || !url.username().is_empty() || url.password().is_some() {
        return Err("write nothing but `https://HOST:PORT`".to_owned());
    }
    Ok(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn host_3_a_passphrase_goes_nowhere_in_the_clear_but_to_this_machine() {
        for good in
            ["https://host.example:8751", "https://host.example/", "http://127.0.0.1:8751", "http://localhost:8751/", "http://[::1]:8751"]
        {
            assert!(address(good).is_ok(), "{good}");
        }
        for wrong in [
            "http://host.example:8751",
            "http://10.0.0.7:8751",
            "http://127.0.0.1.evil.example:8751",
            "http://localhost.evil.example",
            "ftp://127.0.0.1",
            "https://ada:secret@host.example",
            "https://host.example/c/0123",
            "https://host.example/?x",
            "host.example:8751",
            "",
        ] {
            assert!(address(wrong).is_err(), "{wrong}");
        }
    }
}
