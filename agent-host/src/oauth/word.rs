//! One ID token: who the provider says somebody is, to this console, in this login.
//!
//! Is: OpenID Connect Core 1.0, 3.1.3.7, on what `token` has checked as it checks access tokens: signature, issuer, audience and time.
//! Is not: asked for anything that the token does not sign. Clause: AUTH-4 (OIDC). Attack 61.

use super::keys::Keys;
use super::{Refused, token};
use crate::config::Oidc;
use agent_core::limits::JWT_LEEWAY_S;
use serde_json::{Map, Value};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};
use subtle::ConstantTimeEq;

/// Bytes of the value that says who it is.
const BYTES: usize = 255;

/// What it must say.
pub(super) struct Expected<'a> {
    pub(super) settings: &'a Oidc,
    pub(super) nonce: &'a str,
    /// When this login was begun, in seconds since the Unix epoch.
    pub(super) since: u64,
}

/// Seconds since the Unix epoch.
pub(super) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(u64::MAX, |now| now.as_secs())
}

/// The claim that says who it is.
pub(super) async fn read(text: &str, keys: &Arc<Keys>, expected: &Expected<'_>) -> Result<String, Refused> {
    let settings = expected.settings;
    let named = token::header(text, &settings.algorithms, &token::IDENTITY)?;
    let key = keys.find(&named).await?;
    let claims = token::claims(text, &named, key.decoding(), settings.issuer.as_str(), &settings.client_id)?;
    checked(&claims, expected, now()).map(str::to_owned)
}

fn checked<'a>(claims: &'a Map<String, Value>, expected: &Expected<'_>, now: u64) -> Result<&'a str, Refused> {
    let Expected { settings, nonce, since } = expected;
    let text = |name: &str| claims.get(name).and_then(Value::as_str);
    let time = |name: &str| claims.get(name).and_then(|at| at.as_u64().or_else(|| at.as_f64().map(|at| at as u64)));
    if !text("nonce").is_some_and(|said| bool::from(said.as_bytes().ct_eq(nonce.as_bytes()))) {
        return Err(Refused::Token("it belongs to another login"));
    }
    // For us alone: who else it is for could have been given it, and show it here.
    let others = claims.get("aud").and_then(Value::as_array).is_some_and(|all| all.len() != 1);
    if others || claims.get("azp").is_some_and(|azp| azp.as_str() != Some(settings.client_id.as_str())) {
        return Err(Refused::Token("it is for another audience"));
    }
    let made = time("iat").ok_or(Refused::Token("it does not say when it was made"))?;
    if made > now.saturating_add(JWT_LEEWAY_S) || made.saturating_add(JWT_LEEWAY_S) < *since {
        return Err(Refused::Token("it was not made in this login"));
    }
    if let Some(most) = settings.max_age {
        let since = time("auth_time").ok_or(Refused::Token("it does not say when the person was asked"))?;
        if since.saturating_add(most.0.as_secs()).saturating_add(JWT_LEEWAY_S) < now || since > now.saturating_add(JWT_LEEWAY_S) {
            return Err(Refused::Token("the person was asked too long ago"));
        }
    }
    if !settings.acr.is_empty() && !text("acr").is_some_and(|acr| settings.acr.iter().any(|wanted| wanted == acr)) {
        return Err(Refused::Token("the person was not asked in the way that is wanted here"));
    }
    // OpenID Connect Core 1.0, 2: there is always one, whichever claim is looked at.
    token::subject(claims, "sub")?;
    if settings.claim == "email" && claims.get("email_verified") != Some(&Value::Bool(true)) {
        return Err(Refused::Token("its `email` is not verified"));
    }
    token::subject(claims, &settings.claim).ok().filter(|who| who.len() <= BYTES).ok_or(Refused::Token("it does not say who it is"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing)]
    use super::*;
    use crate::config::Config;
    use serde_json::json;
    use std::path::Path;

    fn settings(more: &str) -> Oidc {
        let text = format!(
            "[console.oidc]\nissuer = \"https://id.example\"\nclient_id = \"console\"\n{more}\n\
             [operators.ada]\nrole = \"admin\"\nprincipals = \"*\"\noidc = \"1\"\n"
        );
        Config::parse(Path::new("/x"), &text).unwrap().console.oidc.unwrap()
    }

    fn says(settings: &Oidc, changes: Value) -> Result<String, Refused> {
        let mut claims = json!({ "sub": "1", "aud": "console", "nonce": "n", "iat": 1000, "auth_time": 990 });
        for (name, value) in changes.as_object().unwrap() {
            match value {
                Value::Null => drop(claims.as_object_mut().unwrap().remove(name)),
                value => claims[name] = value.clone(),
            }
        }
        checked(claims.as_object().unwrap(), &Expected { settings, nonce: "n", since: 1000 }, 1005).map(str::to_owned)
    }

    #[test]
    fn auth_4_attack_61_an_id_token_is_of_this_login_for_this_console() {
        let plain = settings("");
        for good in [
            json!({}),
            json!({ "aud": ["console"], "azp": "console" }),
            json!({ "iat": 1065 }),
            json!({ "iat": 940.5 }),
            json!({ "auth_time": null }),
        ] {
            assert_eq!(says(&plain, good.clone()), Ok("1".to_owned()), "{good}");
        }
        for (wrong, why) in [
            (json!({ "nonce": "m" }), "it belongs to another login"),
            (json!({ "nonce": null }), "it belongs to another login"),
            (json!({ "nonce": ["n"] }), "it belongs to another login"),
            (json!({ "aud": ["console", "other"] }), "it is for another audience"),
            (json!({ "aud": ["console", "other"], "azp": "console" }), "it is for another audience"),
            (json!({ "azp": "other" }), "it is for another audience"),
            (json!({ "azp": 7 }), "it is for another audience"),
            (json!({ "iat": null }), "it does not say when it was made"),
            (json!({ "iat": "1000" }), "it does not say when it was made"),
            (json!({ "iat": 1066 }), "it was not made in this login"),
            (json!({ "iat": 939 }), "it was not made in this login"),
            (json!({ "sub": null }), "it names no subject"),
        ] {
            assert_eq!(says(&plain, wrong.clone()), Err(Refused::Token(why)), "{wrong}");
        }
    }

    #[test]
    fn auth_4_an_id_token_says_who_by_the_claim_and_how_the_person_was_asked() {
        let email = settings("claim = \"email\"");
        let ada = "ada@id.example";
        assert_eq!(says(&email, json!({ "email": ada, "email_verified": true })), Ok(ada.to_owned()));
        for verified in [json!(null), json!(false), json!("true"), json!(1)] {
            assert_eq!(
                says(&email, json!({ "email": ada, "email_verified": verified })),
                Err(Refused::Token("its `email` is not verified"))
            );
        }
        let long = "x".repeat(256);
        for nobody in [json!(null), json!(""), json!([ada]), json!(long)] {
            let said = says(&email, json!({ "email": nobody, "email_verified": true }));
            assert_eq!(said, Err(Refused::Token("it does not say who it is")), "{nobody}");
        }
        let strict = settings("max_age = \"5m\"\nacr = [\"mfa\", \"hardware\"]");
        assert_eq!(says(&strict, json!({ "acr": "hardware" })), Ok("1".to_owned()));
        assert_eq!(says(&strict, json!({ "acr": "mfa", "auth_time": 645 })), Ok("1".to_owned()));
        for (wrong, why) in [
            (json!({ "acr": "pwd" }), "the person was not asked in the way that is wanted here"),
            (json!({ "acr": ["mfa"] }), "the person was not asked in the way that is wanted here"),
            (json!({}), "the person was not asked in the way that is wanted here"),
            (json!({ "acr": "mfa", "auth_time": 644 }), "the person was asked too long ago"),
            (json!({ "acr": "mfa", "auth_time": 1066 }), "the person was asked too long ago"),
            (json!({ "acr": "mfa", "auth_time": null }), "it does not say when the person was asked"),
        ] {
            assert_eq!(says(&strict, wrong.clone()), Err(Refused::Token(why)), "{wrong}");
        }
    }
}
