//! What an operator's authorization server signed: access tokens, at the OAuth 2.1 resource server's side, and ID tokens of operators.
//!
//! Is: from a bearer token to who that is and under which profile, what a refused client is told, and what this resource says
//! of itself (RFC 6750, 9068, 9728); and in `openid` a person's login at an OpenID provider. Is not: an authorization server, our own tokens (`aht_`), or a route; `http` has those.
//! A token is taken for what a key of the issuer signed, and for nothing that it says of where keys are.
//! Clauses: SES-4 (OAuth), AUTH-4 (OIDC). Neighbours: `config` says whose tokens, `http` asks for each request, `console` for a login.

mod accepted;
mod issuer;
mod keys;
mod openid;
mod provider;
mod refused;
mod token;
mod word;

#[cfg(test)]
mod tests;

pub(crate) use openid::{Begun, Provider};
pub use refused::Refused;

use crate::config::OAuth;
use accepted::Accepted;
use agent_core::limits::JWT_LEEWAY_S;
use agent_core::session::{PrincipalId, ProfileId};
use http::HeaderValue;
use keys::{Key, Keys};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use token::Named;

/// What the principals begin with that an issuer's tokens name, and no others.
pub(crate) const SUBJECTS: &str = "oauth:";
/// Where the metadata of a resource at the root is.
const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";

/// What an accepted token says, as far as anything here goes by it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claims {
    /// `oauth:` and the claim that names the principal.
    pub principal: PrincipalId,
    /// By the token's scopes.
    pub profile: ProfileId,
    /// As configured.
    pub issuer: String,
    /// The claim that names the principal.
    pub subject: String,
    /// Seconds since the Unix epoch. The token is taken up to a minute longer.
    pub expires: u64,
}

impl Claims {
    /// Until when the token is taken: what runs for it has as long.
    #[must_use]
    pub fn until(&self) -> Option<SystemTime> {
        UNIX_EPOCH.checked_add(Duration::from_secs(self.expires.saturating_add(JWT_LEEWAY_S)))
    }
}

/// One protected resource and the one issuer whose tokens it takes. Making one asks nobody.
pub struct ResourceServer {
    settings: OAuth,
    keys: Arc<Keys>,
    accepted: Accepted,
}

impl ResourceServer {
    /// By the operator's settings. Other settings need another one.
    #[must_use]
    pub fn new(settings: OAuth) -> Self {
        let keys = Arc::new(Keys::new(settings.issuer.clone(), settings.jwks.clone()));
        Self { settings, keys, accepted: Accepted::default() }
    }

    /// What it was made by.
    #[must_use]
    pub const fn settings(&self) -> &OAuth {
        &self.settings
    }

    /// Reads a bearer token. The issuer is asked for its keys where they are needed and not at hand; else there is no I/O.
    ///
    /// # Errors
    /// [`Refused`] has the status and the reason; [`ResourceServer::challenge`] makes a header of it.
    pub async fn check(&self, bearer: &str) -> Result<Claims, Refused> {
        let named = token::header(bearer, &self.settings.algorithms, &token::ACCESS)?;
        let key = self.keys.find(&named).await?;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(u64::MAX, |now| now.as_secs());
        if let Some(claims) = self.accepted.get(bearer, &key, now) {
            return Ok(claims);
        }
        let claims = self.read(bearer, &named, &key)?;
        self.accepted.put(bearer, key, claims.clone());
        Ok(claims)
    }

    fn read(&self, bearer: &str, named: &Named, key: &Key) -> Result<Claims, Refused> {
        let claims = token::claims(bearer, named, key.decoding(), self.settings.issuer.as_str(), self.settings.audience())?;
        let subject = token::subject(&claims, &self.settings.principal)?;
        let principal = PrincipalId::parse(&format!("{SUBJECTS}{subject}")).map_err(|_| Refused::Token("its subject is no name"))?;
        Ok(Claims {
            principal,
            profile: self.profile(&token::scopes(&claims))?,
            issuer: self.settings.issuer.as_str().to_owned(),
            subject: subject.to_owned(),
            expires: token::expires(&claims)?,
        })
    }

    /// What the scopes give: all that are required, then the first that has a profile.
    fn profile(&self, scopes: &[&str]) -> Result<ProfileId, Refused> {
        if !self.settings.required.iter().all(|scope| scopes.contains(&scope.as_str())) {
            return Err(Refused::Scope);
        }
        let mapped = self.settings.scopes.0.iter().find(|(scope, _)| scopes.contains(&scope.as_str())).map(|(_, profile)| profile);
        mapped.or(self.settings.profile.as_ref()).cloned().ok_or(Refused::Scope)
    }

    /// What this resource says of itself to everybody: RFC 9728.
    #[must_use]
    pub fn metadata(&self) -> Value {
        let mapped = self.settings.scopes.0.iter().map(|(scope, _)| scope);
        let scopes: Vec<_> = self.settings.required.iter().chain(mapped).collect();
        json!({
            "resource": self.settings.resource.as_str(),
            "authorization_servers": [self.settings.issuer.as_str()],
            "scopes_supported": scopes,
            "bearer_methods_supported": ["header"],
        })
    }

    /// The path at which clients look for the metadata: the well-known one, then the resource's own.
    #[must_use]
    pub fn metadata_path(&self) -> String {
        format!("{WELL_KNOWN}{}", self.settings.resource.url().path().trim_end_matches('/'))
    }

    /// `WWW-Authenticate` of a refusal; none where the client can do nothing about it.
    #[must_use]
    pub fn challenge(&self, refused: &Refused) -> Option<HeaderValue> {
        let mut metadata = self.settings.resource.url().clone();
        metadata.set_path(&self.metadata_path());
        let mut challenge = format!("Bearer resource_metadata=\"{metadata}\"");
        let scope = self.wanted().join(" ");
        if !scope.is_empty() {
            challenge += &format!(", scope=\"{scope}\"");
        }
        if let Some(code) = refused.code()? {
            challenge += &format!(", error=\"{code}\", error_description=\"{refused}\"");
        }
        HeaderValue::try_from(challenge).ok()
    }

    /// The scopes that are enough to come in, and no more.
    fn wanted(&self) -> Vec<&str> {
        let least = self.settings.scopes.0.last().filter(|_| self.settings.profile.is_none()).map(|(scope, _)| scope);
        self.settings.required.iter().chain(least).map(String::as_str).collect()
    }
}
