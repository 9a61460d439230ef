//! One token: what its header names, and its claims once a key has vouched for them.
//!
//! Is: RFC 7519 and 9068, in the order in which a stranger's bytes can be trusted. Is not: where keys come from. `jku`, `x5u`,
//! `x5c` and `jwk` are what the client wrote, and nobody looks at them.
//! Clauses: SES-4 (OAuth), AUTH-4 (OIDC).

use super::Refused;
use super::provider::{self, install};
use crate::config;
use agent_core::limits::{JWT_BYTES, JWT_LEEWAY_S};
use jsonwebtoken::errors::ErrorKind;
use jsonwebtoken::{Algorithm, DecodingKey, Validation};
use serde_json::{Map, Value};

/// What `typ` may say of a token, and what one is not that says something else.
pub(super) struct Kind(&'static [&'static str], &'static str);

/// RFC 9068; many issuers leave it at `JWT`.
pub(super) const ACCESS: Kind = Kind(&["at+jwt", "application/at+jwt", "jwt"], "it is no access token");
/// OpenID Connect has no type of its own for them.
pub(super) const IDENTITY: Kind = Kind(&["jwt", "id+jwt", "application/id+jwt"], "it is no ID token");

/// What the header names, unproven.
pub(super) struct Named {
    pub(super) algorithm: Algorithm,
    pub(super) key: String,
}

/// Reads the header.
pub(super) fn header(token: &str, allowed: &[config::Algorithm], kind: &Kind) -> Result<Named, Refused> {
    if token.len() > JWT_BYTES {
        return Err(Refused::Token("it is too long"));
    }
    let header = jsonwebtoken::decode_header(token).map_err(|error| refused(error.kind()))?;
    if !allowed.iter().any(|algorithm| provider::known(*algorithm) == header.alg) {
        return Err(Refused::Token("its algorithm is not taken here"));
    }
    let Kind(names, not) = kind;
    if !header.typ.as_ref().is_none_or(|typ| names.iter().any(|known| known.eq_ignore_ascii_case(typ))) {
        return Err(Refused::Token(not));
    }
    let key = header.kid.ok_or(Refused::Token("it names no key"))?;
    Ok(Named { algorithm: header.alg, key })
}

/// The claims of a token that this key signed, for this audience, by this issuer, and within its time.
pub(super) fn claims(token: &str, named: &Named, key: &DecodingKey, issuer: &str, audience: &str) -> Result<Map<String, Value>, Refused> {
    install();
    let mut validation = Validation::new(named.algorithm);
    validation.set_required_spec_claims(&["exp", "aud", "iss"]);
    validation.set_audience(&[audience]);
    validation.leeway = JWT_LEEWAY_S;
    validation.validate_nbf = true;
    let claims: Map<String, Value> = jsonwebtoken::decode(token, key, &validation).map_err(|error| refused(error.kind()))?.claims;
    // Whole and as one text: a list that also holds our issuer is none that an issuer writes.
    if claims.get("iss").and_then(Value::as_str) != Some(issuer) {
        return Err(Refused::Token("it is another issuer's"));
    }
    // RFC 7800: good together with proof of another key alone, and nobody here asks for that.
    if claims.contains_key("cnf") {
        return Err(Refused::Token("it is bound to a key of its holder's"));
    }
    Ok(claims)
}

/// The claim that names the principal.
pub(super) fn subject<'a>(claims: &'a Map<String, Value>, name: &str) -> Result<&'a str, Refused> {
    let subject = claims.get(name).and_then(Value::as_str);
    subject.filter(|subject| !subject.is_empty()).ok_or(Refused::Token("it names no subject"))
}

/// Seconds since the Unix epoch.
pub(super) fn expires(claims: &Map<String, Value>) -> Result<u64, Refused> {
    let end = claims.get("exp").and_then(|end| end.as_u64().or_else(|| end.as_f64().map(|end| end as u64)));
    end.ok_or(Refused::Token("it has no end"))
}

/// The scopes: `scope` (RFC 9068) or `scp`, as a text with blanks or as a list.
pub(super) fn scopes(claims: &Map<String, Value>) -> Vec<&str> {
    match claims.get("scope").or_else(|| claims.get("scp")) {
        Some(Value::String(text)) => text.split_ascii_whitespace().collect(),
        Some(Value::Array(list)) => list.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

fn refused(kind: &ErrorKind) -> Refused {
    Refused::Token(match kind {
        ErrorKind::ExpiredSignature => "it has expired",
        ErrorKind::ImmatureSignature => "its time has not come",
        ErrorKind::InvalidAudience => "it is for another audience",
        ErrorKind::InvalidSignature => "its signature is wrong",
        ErrorKind::MissingRequiredClaim(_) | ErrorKind::InvalidClaimFormat(_) => "a claim is missing or of another shape",
        _ => "it can't be read as a signed JWT",
    })
}
