//! Whose access tokens are taken over HTTP, as the file has it: the issuer, what its tokens must say, and what they give.
//!
//! Is: the keys of `[oauth]`, and the one kind of address that they take. Is not: what reads a token; `oauth` does.
//! Clauses: SES-4 (OAuth), UP-2 (operator's files).

use agent_core::session::ProfileId;
use serde::{Deserialize, Serialize, Serializer};
use std::collections::BTreeMap;
use toml::Spanned;
use url::{Host, Url};

/// The authorization server whose access tokens (JWT) clients may present over HTTP, and what those tokens give.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct OAuth {
    /// The authorization server, written as `iss` of its tokens writes it.
    pub issuer: WebAddress,
    /// This host's MCP endpoint as clients write it, such as `https://tools.example/mcp`.
    pub resource: WebAddress,
    /// What `aud` of a token must hold; the resource where left out.
    pub audience: Option<String>,
    /// Where the issuer's keys are; where left out, its metadata says so.
    pub jwks: Option<WebAddress>,
    /// How tokens may be signed; `RS256`, `PS256`, `ES256` and `EdDSA` where left out.
    #[serde(default = "usual")]
    pub algorithms: Vec<Algorithm>,
    /// The claim that names the principal, which is called `oauth:` and its value. Choose one that the issuer alone can set.
    #[serde(default = "subject")]
    pub principal: String,
    /// Scopes that every token must have.
    #[serde(default)]
    pub required: Vec<String>,
    /// The profile that a scope gives. The first in this order that a token has decides, so the widest stands first; a client
    /// with none of them is told to ask for the last.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(with = "BTreeMap<String, ProfileId>"))]
    pub scopes: Scopes,
    /// The profile of a token with none of `scopes`. Left out, such a token is refused.
    pub profile: Option<ProfileId>,
}

pub(super) fn usual() -> Vec<Algorithm> {
    vec![Algorithm::RS256, Algorithm::PS256, Algorithm::ES256, Algorithm::EdDSA]
}

fn subject() -> String {
    "sub".to_owned()
}

impl OAuth {
    /// What `aud` of a token must hold.
    #[must_use]
    pub fn audience(&self) -> &str {
        self.audience.as_deref().unwrap_or(self.resource.as_str())
    }
}

/// How a token is signed: with a private key that the issuer alone has. Shared secrets and `none` are no choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Algorithm {
    /// RSA (PKCS #1 1.5) with SHA-256; as all of RSA, with keys of 2048 bits or more.
    RS256,
    /// RSA (PKCS #1 1.5) with SHA-384.
    RS384,
    /// RSA (PKCS #1 1.5) with SHA-512.
    RS512,
    /// RSA (PSS) with SHA-256.
    PS256,
    /// RSA (PSS) with SHA-384.
    PS384,
    /// RSA (PSS) with SHA-512.
    PS512,
    /// ECDSA on P-256 with SHA-256.
    ES256,
    /// ECDSA on P-384 with SHA-384.
    ES384,
    /// Ed25519.
    EdDSA,
}

/// Scopes and their profiles, in the order in which the file has them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(from = "BTreeMap<String, Spanned<ProfileId>>")]
pub struct Scopes(pub Vec<(String, ProfileId)>);

impl From<BTreeMap<String, Spanned<ProfileId>>> for Scopes {
    fn from(written: BTreeMap<String, Spanned<ProfileId>>) -> Self {
        let mut written: Vec<_> = written.into_iter().collect();
        written.sort_by_key(|(_, profile)| profile.span().start);
        Self(written.into_iter().map(|(scope, profile)| (scope, profile.into_inner())).collect())
    }
}

impl Serialize for Scopes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(scope, profile)| (scope, profile)))
    }
}

/// An address that a secret or a key may come from or go to: `https`, or `http` on this very machine. It names no user and
/// has no `#`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(with = "String", extend("pattern" = "^https?://[^#]+$")))]
#[serde(try_from = "String", into = "String")]
pub struct WebAddress {
    text: String,
    url: Url,
}

impl WebAddress {
    /// As it was written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// As it is fetched.
    #[must_use]
    pub const fn url(&self) -> &Url {
        &self.url
    }

    /// Whether it is on this machine.
    #[must_use]
    pub fn is_local(&self) -> bool {
        is_local(&self.url)
    }
}

/// Whether a URL leads to this machine, as it is written.
pub(crate) fn is_local(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name.eq_ignore_ascii_case("localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

impl TryFrom<String> for WebAddress {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let url = Url::parse(&text).map_err(|_| "not an address such as `https://id.example`")?;
        match url.scheme() {
            "https" => {}
            "http" if is_local(&url) => {}
            "http" => return Err("`http` is for this machine alone, another is reached by `https`"),
            _ => return Err("neither `https` nor `http`"),
        }
        if !url.username().is_empty() || url.password().is_some() || url.fragment().is_some() {
            return Err("an address here names no user and has no `#`");
        }
        Ok(Self { text, url })
    }
}

impl From<WebAddress> for String {
    fn from(address: WebAddress) -> Self {
        address.text
    }
}

#[cfg(test)]
mod tests;
