//! The issuer, asked for its keys over HTTP.
//!
//! Is: its metadata (RFC 8414, OpenID Connect Discovery) and its key set (RFC 7517), bounded in time and size. No redirect is
//! followed, and nothing of a request decides where this goes. Is not: a cache. Clause: SES-4 (OAuth).

use super::keys::Key;
use crate::config::WebAddress;
use crate::egress::Clients;
use agent_core::limits::{JWKS_BYTES, JWKS_FETCH_MS};
use agent_core::safety::prose;
use reqwest::Client;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::error::Error;
use std::time::Duration;
use url::Url;

/// Bytes of the words on what went wrong; an address in it can be a stranger's.
const WORDS: usize = 256;

#[derive(Deserialize)]
struct Metadata {
    issuer: String,
    jwks_uri: String,
}

#[derive(Deserialize)]
struct KeySet {
    keys: Vec<serde_json::Value>,
}

/// Every key of the issuer's that can check a signature. Those that we can't read are none of ours.
pub(super) async fn keys(issuer: &WebAddress, at: Option<&WebAddress>) -> Result<Vec<Key>, String> {
    let asked = tokio::time::timeout(Duration::from_millis(JWKS_FETCH_MS), async {
        let clients = Clients::default();
        match at {
            // What the operator wrote may be anywhere but at this machine's own links.
            Some(at) => fetched::<KeySet>(&clients.of(at.url(), true)?, at.url()).await,
            None => {
                let at = discovered(&clients.of(issuer.url(), true)?, issuer).await?;
                // What the issuer says leads into no private network but its own.
                let own = at.url().host_str() == issuer.url().host_str();
                fetched::<KeySet>(&clients.of(at.url(), own)?, at.url()).await
            }
        }
    });
    let set = asked.await.unwrap_or_else(|_| Err(format!("no answer within {JWKS_FETCH_MS} ms"))).map_err(|why| prose(&why, WORDS))?;
    Ok(set.keys.into_iter().filter_map(|key| serde_json::from_value(key).ok()).filter_map(Key::new).collect())
}

/// Where the issuer's metadata says that its keys are.
async fn discovered(client: &Client, issuer: &WebAddress) -> Result<WebAddress, String> {
    let mut last = String::new();
    for url in well_known(issuer.url()) {
        match fetched::<Metadata>(client, &url).await {
            Ok(metadata) if metadata.issuer != issuer.as_str() => return Err(format!("`{url}` is another issuer's metadata")),
            Ok(metadata) => return WebAddress::try_from(metadata.jwks_uri).map_err(|why| format!("`jwks_uri` of `{url}`: {why}")),
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
    let mut response = client.get(url.clone()).header("accept", "application/json").send().await.map_err(|error| told(&error))?;
    if !response.status().is_success() {
        return Err(format!("`{url}` answered {}", response.status()));
    }
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| told(&error))? {
        body.extend_from_slice(&chunk);
        if body.len() > JWKS_BYTES {
            return Err(format!("`{url}` has more than {JWKS_BYTES} bytes"));
        }
    }
    serde_json::from_slice(&body).map_err(|_| format!("`{url}` is not what it should be"))
}

/// An error with what caused it.
fn told(error: &dyn Error) -> String {
    let causes = std::iter::successors(Some(error), |&error| error.source()).map(ToString::to_string);
    causes.collect::<Vec<_>>().join(": ")
}
