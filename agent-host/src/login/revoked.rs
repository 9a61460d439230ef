//! The end of a login: forgotten here, and then its tokens taken back where they were given out.
//!
//! Is: RFC 7009, as far as the authorization server offers it. Is not: a condition; the login is forgotten first, whatever comes of the
//! rest, and whoever asked is told. Tokens go to the issuer that gave them and to nobody else. Clause: UP-5 (login).

use super::client::Client;
use super::discovery::found;
use super::kept::Kept;
use super::renewal::{client_of, locked};
use super::{Login, Logins};
use agent_core::safety::prose;
use serde_json::Value;
use url::Url;
use url::form_urlencoded::{Serializer, byte_serialize};

/// What became of the tokens of a login that was forgotten.
#[derive(Debug, PartialEq, Eq)]
pub enum Tokens {
    /// The authorization server took them back.
    Revoked,
    /// It offers no way to: they are good until they end.
    Kept,
    /// They could not be taken back; the text says why, for an operator.
    Failed(String),
}

impl Logins {
    /// Forgets a login, and has its tokens taken back; none where there was no login.
    ///
    /// # Errors
    /// The text says what could not be removed; nothing is taken back then.
    pub async fn end(&self, login: &Login) -> Result<Option<Tokens>, String> {
        if !self.has(login) {
            return Ok(None);
        }
        let (place, one) = (self.place(login), self.one(login));
        let kept = {
            // Whoever renews it meanwhile would put it back.
            let _turn = one.turn.acquire().await;
            let _others = locked(&place).await.map_err(|error| error.to_string())?;
            let kept = place.read(login).map_err(|error| error.to_string());
            if !place.remove()? {
                return Ok(None);
            }
            kept
        };
        Ok(Some(match kept {
            Ok(kept) => revoked(login, &kept).await.unwrap_or_else(Tokens::Failed),
            Err(why) => Tokens::Failed(why),
        }))
    }
}

/// Asks the issuer of a login's tokens to take them back.
async fn revoked(login: &Login, kept: &Kept) -> Result<Tokens, String> {
    let tokens = kept.revocable();
    if tokens.is_empty() {
        return Ok(Tokens::Revoked);
    }
    let found = found(login).await?;
    if kept.stored.issuer.as_ref() != Some(&found.issuer) {
        return Err("its authorization server is another than the one that gave them".to_owned());
    }
    let said = &found.metadata.additional_fields;
    let Some(endpoint) = said.get("revocation_endpoint").and_then(Value::as_str) else { return Ok(Tokens::Kept) };
    let endpoint =
        Url::parse(endpoint).map_err(|_| format!("its authorization server names what is no address: `{}`", prose(endpoint, 100)))?;
    let credentials = client_of(login, kept)?;
    let by_post = said.get("revocation_endpoint_auth_methods_supported").and_then(Value::as_array).is_some_and(|methods| {
        let takes = |method: &str| methods.iter().any(|known| known == method);
        takes("client_secret_post") && !takes("client_secret_basic")
    });
    let client = Client::of(login);
    for (kind, token) in tokens {
        let mut form = Serializer::new(String::new());
        form.append_pair("token", &token).append_pair("token_type_hint", kind);
        let mut basic = None;
        match &credentials.client_secret {
            Some(secret) if !by_post => {
                let encoded = |text: &str| byte_serialize(text.as_bytes()).collect::<String>();
                basic = Some((encoded(&credentials.client_id), encoded(secret)));
            }
            secret => {
                form.append_pair("client_id", &credentials.client_id);
                if let Some(secret) = secret {
                    form.append_pair("client_secret", secret);
                }
            }
        }
        let status = client.post(&endpoint, form.finish(), basic).await?;
        if !status.is_success() {
            return Err(format!("its authorization server answered {status}"));
        }
    }
    Ok(Tokens::Revoked)
}
