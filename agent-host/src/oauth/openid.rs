//! A person's login at an OpenID provider: the other side of what the console's login page begins.
//!
//! Is: where the browser is sent, and from the code that it comes back with to who that is: Authorization Code with PKCE, `state` and
//! `nonce` (OpenID Connect Core 1.0, 3.1; RFC 7636; RFC 9207). The provider is asked as `issuer` asks it, for what the operator
//! configured and its own metadata names. Is not: a login; whose value of a claim is whose the configuration says, and `console` opens
//! logins. No token is kept. Clause: AUTH-4 (OIDC). Attacks 61, 62. Neighbours: `word` reads what the provider signed.

use super::issuer::{self, Metadata};
use super::keys::Keys;
use super::word::{self, Expected};
use crate::config::Oidc;
use crate::login::Answer;
use agent_core::limits::{JWKS_FRESH_MS, JWKS_RETRY_MS};
use agent_core::safety::prose;
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use parking_lot::Mutex;
use ring::digest::{SHA256, digest};
use std::sync::Arc;
use std::time::{Duration, Instant};
use subtle::ConstantTimeEq;
use tokio::sync::Semaphore;
use url::Url;

/// Bytes that are told of what a provider said.
const SAID: usize = 300;

/// One provider, for one console.
pub(crate) struct Provider {
    settings: Arc<Oidc>,
    keys: Arc<Keys>,
    known: Mutex<Known>,
    /// One asks at a time.
    turn: Semaphore,
}

/// What the provider last said of itself, and when it was asked.
#[derive(Default)]
struct Known {
    metadata: Option<Arc<Metadata>>,
    asked: Option<Instant>,
}

/// A login that was begun: what must come back, and what goes with the code.
pub(crate) struct Begun {
    state: String,
    nonce: String,
    verifier: String,
    redirect: String,
    /// Seconds since the Unix epoch.
    since: u64,
}

impl Begun {
    /// Whether an answer is the one to this.
    pub(crate) fn is_answered_by(&self, answer: &Answer) -> bool {
        answer.state.as_bytes().ct_eq(self.state.as_bytes()).into()
    }
}

/// 256 random bits, as a URL can hold them.
fn random() -> Result<String, String> {
    let mut bits = [0; 32];
    getrandom::fill(&mut bits).map_err(|error| format!("the system has no randomness: {error}"))?;
    Ok(BASE64_URL_SAFE_NO_PAD.encode(bits))
}

impl Provider {
    /// By the operator's settings. Other settings need another one. Nobody is asked yet.
    pub(crate) fn new(settings: Oidc) -> Self {
        let keys = Arc::new(Keys::new(settings.issuer.clone(), None));
        Self { settings: Arc::new(settings), keys, known: Mutex::default(), turn: Semaphore::new(1) }
    }

    /// What it was made by.
    pub(crate) const fn settings(&self) -> &Arc<Oidc> {
        &self.settings
    }

    /// Begins a login: where the browser goes, to come back to `redirect`.
    ///
    /// # Errors
    /// The text says why nobody can log in there now.
    pub(crate) async fn begin(&self, redirect: String) -> Result<(Url, Begun), String> {
        let (metadata, settings) = (self.metadata().await?, &self.settings);
        let begun = Begun { state: random()?, nonce: random()?, verifier: random()?, redirect, since: word::now() };
        let mut url = metadata.authorization(&settings.issuer)?;
        let scopes = std::iter::once("openid").chain(settings.scopes.iter().map(String::as_str).filter(|scope| *scope != "openid"));
        let challenge = BASE64_URL_SAFE_NO_PAD.encode(digest(&SHA256, begun.verifier.as_bytes()));
        url.query_pairs_mut()
            .append_pair("response_type", "code")
            .append_pair("client_id", &settings.client_id)
            .append_pair("redirect_uri", &begun.redirect)
            .append_pair("scope", &scopes.collect::<Vec<_>>().join(" "))
            .append_pair("state", &begun.state)
            .append_pair("nonce", &begun.nonce)
            .append_pair("code_challenge", &challenge)
            .append_pair("code_challenge_method", "S256");
        if !settings.acr.is_empty() {
            url.query_pairs_mut().append_pair("acr_values", &settings.acr.join(" "));
        }
        if let Some(most) = settings.max_age {
            url.query_pairs_mut().append_pair("max_age", &most.0.as_secs().to_string());
        }
        Ok((url, begun))
    }

    /// Ends it: what the claim says of the person who logged in. Whoever has `begun` uses it up.
    ///
    /// # Errors
    /// The text says why not, and holds nothing secret.
    pub(crate) async fn finish(&self, begun: Begun, answer: Answer) -> Result<String, String> {
        let metadata = self.metadata().await?;
        match &answer.issuer {
            Some(issuer) if issuer != self.settings.issuer.as_str() => return Err("the answer is another provider's".to_owned()),
            None if metadata.names_itself() => return Err("the answer does not say whose it is".to_owned()),
            _ => {}
        }
        let code = answer.said.map_err(|why| why.replacen("authorization server", "provider", 1))?;
        let token = self.exchanged(&metadata, &begun, &code).await?;
        let expected = Expected { settings: &self.settings, nonce: &begun.nonce, since: begun.since };
        word::read(&token, &self.keys, &expected).await.map_err(|why| why.to_string().replacen("the token", "the provider's word", 1))
    }

    /// The code for an ID token.
    async fn exchanged(&self, metadata: &Metadata, begun: &Begun, code: &str) -> Result<String, String> {
        let settings = &self.settings;
        let mut form = vec![
            ("grant_type", "authorization_code"),
            ("code", code),
            ("redirect_uri", begun.redirect.as_str()),
            ("code_verifier", begun.verifier.as_str()),
        ];
        let secret = settings.client_secret.as_ref().map(|secret| secret.read());
        let secret = secret.transpose().map_err(|why| format!("the client's secret can't be read: {why}"))?;
        let basic = secret.as_deref().filter(|_| metadata.takes_basic());
        if basic.is_none() {
            form.push(("client_id", settings.client_id.as_str()));
            form.extend(secret.as_deref().map(|secret| ("client_secret", secret)));
        }
        let said = issuer::exchanged(metadata, &settings.issuer, &form, basic.map(|secret| (settings.client_id.as_str(), secret))).await;
        said.map_err(|why| format!("the provider gives nothing for the code: {}", prose(&why, SAID)))
    }

    async fn metadata(&self) -> Result<Arc<Metadata>, String> {
        let nobody = |_| "the host is ending".to_owned();
        if let Some(metadata) = self.known.lock().fresh() {
            return metadata;
        }
        let _turn = self.turn.acquire().await.map_err(nobody)?;
        if let Some(metadata) = self.known.lock().fresh() {
            return metadata;
        }
        let said = issuer::metadata(&self.settings.issuer).await;
        let said = said.inspect_err(|why| tracing::warn!("`{}` can't be asked for its metadata: {why}", self.settings.issuer.as_str()));
        let mut known = self.known.lock();
        *known = Known { metadata: said.ok().map(Arc::new), asked: Some(Instant::now()) };
        known.metadata.clone().ok_or_else(unreachable)
    }
}

fn unreachable() -> String {
    "the provider can't be asked now; the host's log says why".to_owned()
}

impl Known {
    /// What holds without asking again; none where it is time to ask.
    fn fresh(&self) -> Option<Result<Arc<Metadata>, String>> {
        let age = self.asked?.elapsed();
        let lasts = |ms| age < Duration::from_millis(ms);
        match &self.metadata {
            Some(metadata) => lasts(JWKS_FRESH_MS).then(|| Ok(metadata.clone())),
            None => lasts(JWKS_RETRY_MS).then(|| Err(unreachable())),
        }
    }
}
