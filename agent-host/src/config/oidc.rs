//! Where operators log in besides by a passphrase: one OpenID provider, and what its word on a person must hold.
//!
//! Is: `[console.oidc]`, and whether it fits to the operators. Is not: a look at the provider, which may be down now; nor who somebody
//! is: `[operators.NAME] oidc` says that, value by value. Clauses: AUTH-4 (OIDC), UP-2 (operator's files).

use super::check::{Wrong, wrong};
use super::{Algorithm, Console, Entitled, Length, OAuth, OperatorName, Variable, WebAddress, is_scope};
use agent_core::session::PrincipalId;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use toml::Spanned;

/// Values of `acr` and scopes that may be named.
const LIST: usize = 16;
/// Bytes of a client's name, of a claim's, and of a value that names a person.
const BYTES: usize = 255;

/// The OpenID provider at which operators log in to the console.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Oidc {
    /// The provider, written as `iss` of its ID tokens writes it.
    pub issuer: WebAddress,
    /// What the provider calls this console.
    pub client_id: String,
    /// The secret that goes with it, where it has one.
    pub client_secret: Option<Variable>,
    /// The claim that says who somebody is, which `[operators.NAME] oidc` compares. `email` counts only with `email_verified`. Choose one
    /// that the provider alone can set.
    #[serde(default = "subject")]
    pub claim: String,
    /// Scopes that are asked for besides `openid`, such as `email`.
    #[serde(default)]
    pub scopes: Vec<String>,
    /// How ID tokens may be signed; `RS256`, `PS256`, `ES256` and `EdDSA` where left out.
    #[serde(default = "super::oauth::usual")]
    pub algorithms: Vec<Algorithm>,
    /// How the person must have been authenticated: `acr` must be one of these. Left out, the provider decides.
    #[serde(default)]
    pub acr: Vec<String>,
    /// How long ago the person may have been authenticated at the provider when they log in here. Left out, the provider decides.
    pub max_age: Option<Length>,
}

fn subject() -> String {
    "sub".to_owned()
}

impl Oidc {
    pub(super) fn resolved(mut self, folder: &Path) -> Self {
        self.client_secret = self.client_secret.map(|secret| secret.resolved(folder));
        self
    }
}

fn is_plain(text: &str) -> bool {
    !text.is_empty() && text.len() <= BYTES && text.bytes().all(|byte| matches!(byte, b' '..=b'~'))
}

/// The table by itself.
pub(super) fn table(oidc: &Oidc) -> Result<(), Wrong> {
    if oidc.issuer.url().query().is_some() {
        return wrong("`issuer` has no `?`", "write the address up to it");
    }
    if !is_plain(&oidc.client_id) || !is_plain(&oidc.claim) {
        return wrong("`client_id` or `claim` is no name", "1 to 255 visible ASCII characters");
    }
    if oidc.algorithms.is_empty() {
        return wrong("`algorithms` is empty", "leave it out, or name at least one");
    }
    if oidc.scopes.len() > LIST || !oidc.scopes.iter().all(|scope| is_scope(scope)) {
        return wrong("`scopes` holds what is no scope", "at most 16, each one word without quotes and backslashes");
    }
    if oidc.acr.len() > LIST || !oidc.acr.iter().all(|acr| is_scope(acr)) {
        return wrong("`acr` holds what is no value of it", "at most 16, each one word");
    }
    Ok(())
}

/// The operators beside it: who is named there is somebody, and nobody else's.
pub(super) fn operators(console: &Console, operators: &BTreeMap<OperatorName, Spanned<Entitled>>) -> Result<(), (Range<usize>, Wrong)> {
    let mut seen = BTreeMap::new();
    for (name, entitled) in operators {
        let Some(value) = &entitled.get_ref().oidc else { continue };
        let odd = |what: String, hint| Err((entitled.span(), (what, hint)));
        if console.oidc.is_none() {
            return odd("`oidc` names a person at a provider, and there is none".to_owned(), "write `[console.oidc]`, or leave `oidc` out");
        }
        if value.is_empty() || value.len() > BYTES || value.chars().any(agent_core::safety::is_hidden) {
            return odd("`oidc` is no value of a claim".to_owned(), "1 to 255 bytes, nothing in it that can't be seen");
        }
        if let Some(other) = seen.insert(value.as_str(), name) {
            return odd(format!("`{other}` and `{name}` are the same person at the provider"), "a person is one operator");
        }
    }
    Ok(())
}

/// That nobody could log in by it; none where somebody can.
pub(super) fn nobody(operators: &BTreeMap<OperatorName, Spanned<Entitled>>) -> Result<(), Wrong> {
    if operators.values().any(|entitled| entitled.get_ref().oidc.is_some()) {
        return Ok(());
    }
    wrong("nobody could log in at `[console.oidc]`", "give an operator `oidc`: what the claim says of them")
}

/// Who an operator is as a client besides, where the same issuer's same claim names both.
pub(super) fn themselves(oidc: Option<&Oidc>, oauth: Option<&OAuth>, entitled: &mut Entitled) {
    let (Some(oidc), Some(oauth), Some(value)) = (oidc, oauth, &entitled.oidc) else { return };
    if oidc.issuer.as_str() == oauth.issuer.as_str() && oidc.claim == oauth.principal {
        entitled.is.extend(PrincipalId::parse(&format!("{}{value}", crate::oauth::SUBJECTS)));
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use crate::config::{Config, OperatorName};
    use std::path::Path;

    const TABLE: &str = "[console.oidc]\nissuer = \"https://id.example\"\nclient_id = \"console\"\n";
    const ADA: &str = "[operators.ada]\nrole = \"admin\"\nprincipals = \"*\"\noidc = \"1\"\n";
    const EVE: &str = "[operators.eve]\nrole = \"admin\"\nprincipals = \"*\"\n";

    fn parse(text: &str) -> Result<Config, String> {
        Config::parse(Path::new("/etc/agent-host.toml"), text).map_err(|error| error.to_string())
    }

    #[test]
    fn auth_4_a_person_at_a_provider_is_one_operator_and_a_provider_without_persons_is_an_error() {
        let config = parse(&format!("{TABLE}{ADA}{EVE}")).unwrap();
        let oidc = config.console.oidc.unwrap();
        assert_eq!((oidc.claim.as_str(), oidc.scopes.len(), oidc.algorithms.len(), oidc.max_age), ("sub", 0, 4, None));
        for (wrong, says) in [
            (TABLE.to_owned(), "nobody could log in"),
            (format!("{TABLE}{EVE}"), "nobody could log in"),
            (ADA.to_owned(), "there is none"),
            (format!("{TABLE}{ADA}{EVE}oidc = \"1\"\n"), "the same person"),
            (format!("{TABLE}{EVE}oidc = \"\"\n"), "no value of a claim"),
            (format!("{TABLE}{EVE}oidc = \"a\\u200bb\"\n"), "no value of a claim"),
            (format!("{TABLE}algorithms = []\n{ADA}"), "`algorithms` is empty"),
            (format!("{TABLE}algorithms = [\"HS256\"]\n{ADA}"), "HS256"),
            (format!("{TABLE}acr = [\"a b\"]\n{ADA}"), "`acr`"),
            (format!("{TABLE}claim = \"\"\n{ADA}"), "`claim`"),
            (format!("{}{ADA}", TABLE.replace("https", "http")), "this machine alone"),
        ] {
            let said = parse(&wrong).unwrap_err();
            assert!(said.contains(says), "{wrong}: {said}");
        }
    }

    #[test]
    fn auth_4_an_operator_is_the_client_that_the_same_issuer_names_by_the_same_claim() {
        let oauth = |issuer: &str, claim: &str| {
            format!(
                "[profiles.p]\n[oauth]\nprofile = \"p\"\nissuer = \"{issuer}\"\nresource = \"https://t.example\"\nprincipal = \"{claim}\"\n"
            )
        };
        for (issuer, claim, same) in
            [("https://id.example", "sub", true), ("https://other.example", "sub", false), ("https://id.example", "client_id", false)]
        {
            let config = parse(&format!("{TABLE}{ADA}{}", oauth(issuer, claim))).unwrap();
            let is = &config.operators.get(&OperatorName::parse("ada").unwrap()).unwrap().is;
            assert_eq!(is.iter().any(|principal| principal.as_str() == "oauth:1"), same, "{issuer} {claim}");
        }
    }
}
