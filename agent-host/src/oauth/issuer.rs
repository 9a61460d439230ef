//! The issuer, asked over HTTP: for its keys, and for what it gives for a code.
//!
//! Is: its metadata (RFC 8414, OpenID Connect Discovery), its key set (RFC 7517) and its token endpoint (RFC 6749, 3.2), bounded in
//! time and size. No redirect is followed, and nothing of a request decides where this goes. Is not: a cache.
//! Clauses: SES-4 (OAuth), AUTH-4 (OIDC).

use super::keys::Key;
use crate::config::WebAddress;
use crate::egress::Clients;
use agent_core::limits::{JWKS_BYTES, JWKS_FETCH_MS};
use agent_core::safety::prose;
use reqwest::{Client, RequestBuilder, StatusCode};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::error::Error;
use std::time::Duration;
use url::Url;

/// Bytes of the words on what went wrong; an address in it can be a stranger's.
const WORDS: usize = 256;

/// What an issuer says of itself, as far as it is used.
#[derive(Deserialize)]
pub(super) struct Metadata {
    issuer: String,
    jwks_uri: String,
    authorization_endpoint: Option<String>,
    token_endpoint: Option<String>,
    token_endpoint_auth_methods_supported: Option<Vec<String>>,
    #[serde(default)]
    authorization_response_iss_parameter_supported: bool,
}

impl Metadata {
    /// Where a browser goes to log in.
    pub(super) fn authorization(&self, issuer: &WebAddress) -> Result<Url, String> {
        endpoint("authorization_endpoint", self.authorization_endpoint.as_ref(), issuer).map(|at| at.url().clone())
    }

    /// Whether its answers say that they are its own (RFC 9207).
    pub(super) const fn names_itself(&self) -> bool {
        self.authorization_response_iss_parameter_supported
    }

    /// Whether a client's secret goes into a header; else it goes into the form.
    pub(super) fn takes_basic(&self) -> bool {
        self.token_endpoint_auth_methods_supported.as_ref().is_none_or(|all| all.iter().any(|one| one == "client_secret_basic"))
    }
}

/// An address of the issuer's metadata. One of this machine is only that of an issuer that is on it.
fn endpoint(name: &str, at: Option<&String>, issuer: &WebAddress) -> Result<WebAddress, String> {
    let at = at.ok_or_else(|| format!("its metadata has no `{name}`"))?;
    let address = WebAddress::try_from(at.clone()).map_err(|why| format!("its `{name}`: {why}"))?;
    if address.is_local() && !issuer.is_local() { Err(format!("its `{name}` is on this machine")) } else { Ok(address) }
}

#[derive(Deserialize)]
struct Given {
    id_token: Option<String>,
}

#[derive(Deserialize)]
struct Refusal {
    error: String,
}

#[derive(Deserialize)]
struct KeySet {
    keys: Vec<serde_json::Value>,
}

/// Every key of the issuer's that can check a signature. Those that we can't read are none of ours.
pub(super) async fn keys(issuer: &WebAddress, at: Option<&WebAddress>) -> Result<Vec<Key>, String> {
    let set = within(async {
        let clients = Clients::default();
        match at {
            // What the operator wrote may be anywhere but at this machine's own links.
            Some(at) => fetched::<KeySet>(&clients.of(at.url(), true)?, at.url()).await,
            None => {
                let metadata = discovered(&clients.of(issuer.url(), true)?, issuer).await?;
                let at = WebAddress::try_from(metadata.jwks_uri).map_err(|why| format!("its `jwks_uri`: {why}"))?;
                fetched::<KeySet>(&client(&clients, &at, issuer)?, at.url()).await
            }
        }
    });
    let set = set.await?;
    Ok(set.keys.into_iter().filter_map(|key| serde_json::from_value(key).ok()).filter_map(Key::new).collect())
}

/// What the issuer says of itself.
pub(super) async fn metadata(issuer: &WebAddress) -> Result<Metadata, String> {
    within(async { discovered(&Clients::default().of(issuer.url(), true)?, issuer).await }).await
}

/// The ID token that the issuer gives for a form with a code in it; with a client's name and secret in a header, where they are there.
pub(super) async fn exchanged(
    metadata: &Metadata,
    issuer: &WebAddress,
    form: &[(&str, &str)],
    basic: Option<(&str, &str)>,
) -> Result<String, String> {
    within(async {
        let (clients, at) = (Clients::default(), endpoint("token_endpoint", metadata.token_endpoint.as_ref(), issuer)?);
        let encoded = |text: &str| url::form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>();
        let body = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(form).finish();
        let mut request = client(&clients, &at, issuer)?.post(at.url().clone()).body(body);
        request = request.header("content-type", "application/x-www-form-urlencoded");
        if let Some((name, secret)) = basic {
            request = request.basic_auth(encoded(name), Some(encoded(secret)));
        }
        let (status, body) = answered(request, at.url()).await?;
        if !status.is_success() {
            let why = serde_json::from_slice::<Refusal>(&body).map_or(String::new(), |refusal| format!(" ({})", refusal.error));
            return Err(format!("it answered {status}{why}"));
        }
        let given: Given = serde_json::from_slice(&body).map_err(|_| "its answer is not what it should be".to_owned())?;
        given.id_token.ok_or_else(|| "it gave no ID token".to_owned())
    })
    .await
}

/// What comes of it in time, or words that can be shown.
async fn within<T>(asking: impl Future<Output = Result<T, String>>) -> Result<T, String> {
    let asked = tokio::time::timeout(Duration::from_millis(JWKS_FETCH_MS), asking);
    asked.await.unwrap_or_else(|_| Err(format!("no answer within {JWKS_FETCH_MS} ms"))).map_err(|why| prose(&why, WORDS))
}

/// The client for what the issuer's metadata names: it leads into no private network but the issuer's own.
fn client(clients: &Clients, at: &WebAddress, issuer: &WebAddress) -> Result<Client, String> {
    clients.of(at.url(), at.url().host_str() == issuer.url().host_str())
}

async fn discovered(client: &Client, issuer: &WebAddress) -> Result<Metadata, String> {
    let mut last = String::new();
    for url in well_known(issuer.url()) {
        match fetched::<Metadata>(client, &url).await {
            Ok(metadata) if metadata.issuer != issuer.as_str() => return Err(format!("`{url}` is another issuer's metadata")),
            Ok(metadata) => return Ok(metadata),
            Err(why) => last = why,
        }
    }
    Err(last)
}

/// Where an issuer's metadata can be, in the order in which MCP's clients look.
pub(super) fn well_known(issuer: &Url) -> Vec<Url> {
    let path = issuer.path().trim_end_matches('/');
    let mut paths = vec![format!("/.well-known/oauth-authorization-server{path}"), format!("/.well-known/openid-configuration{path}")];
    if !path.is_empty() {
        paths.push(format!("{path}/.well-known/openid-configuration"));
    }
    let at = |path: String| {
        let mut url = issuer.clone();
        url.set_path(&path);
        url
    };
    paths.into_iter().map(at).collect()
}

async fn fetched<T: DeserializeOwned>(client: &Client, url: &Url) -> Result<T, String> {
    let (status, body) = answered(client.get(url.clone()), url).await?;
    if !status.is_success() {
        return Err(format!("`{url}` answered {status}"));
    }
    serde_json::from_slice(&body).map_err(|_| format!("`{url}` is not what it should be"))
}

/// A whole answer, within the bound.
async fn answered(request: RequestBuilder, url: &Url) -> Result<(StatusCode, Vec<u8>), String> {
    let mut response = request.header("accept", "application/json").send().await.map_err(|error| told(&error))?;
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| told(&error))? {
        body.extend_from_slice(&chunk);
        if body.len() > JWKS_BYTES {
            return Err(format!("`{url}` has more than {JWKS_BYTES} bytes"));
        }
    }
    Ok((response.status(), body))
}

/// An error with what caused it.
fn told(error: &dyn Error) -> String {
    let causes = std::iter::successors(Some(error), |&error| error.source()).map(ToString::to_string);
    causes.collect::<Vec<_>>().join(": ")
}
