//! A login by way of a provider: the browser is sent there, and what it comes back with opens a login or nothing.
//!
//! Is: the one GET that opens something. It takes the cookie of the browser that began, and works once. Where the browser comes back to is
//! made of the configuration alone. Is not: a judge of what the provider said; `oauth` reads it, the configuration says whose it is.
//! Clause: AUTH-4 (OIDC). Neighbours: `begun` remembers, `routes` opens logins as for a passphrase.

use super::begun::{Back, PATIENCE_S};
use super::form::Form;
use super::house::House;
use super::logins::Proof;
use super::plain;
use super::routes::{enter, from, html, is_path, later, nowhere, text};
use crate::login::Answer;
use crate::oauth::Provider;
use crate::web::Peer;
use agent_core::safety::visible;
use axum::Extension;
use axum::extract::{Request, State};
use axum::response::Response;
use http::StatusCode;
use http::header::SET_COOKIE;
use std::sync::Arc;

/// Where a login at a provider is begun, and where it comes back, behind the prefix.
pub(super) const BEGIN: &str = "/login/oidc";
pub(super) const BACK: &str = "/login/oidc/back";
/// Under which name tries to begin one are counted; no operator can be called that.
const COUNTED: &str = "/oidc";

impl House {
    /// The provider of the configuration now. Other settings are another provider.
    pub(super) fn provider(&self) -> Option<Arc<Provider>> {
        let config = self.config();
        let settings = config.console.oidc.as_ref()?;
        let mut kept = self.provider.lock();
        let same = kept.as_ref().filter(|provider| **provider.settings() == *settings);
        let provider = same.cloned().unwrap_or_else(|| Arc::new(Provider::new(settings.clone())));
        *kept = Some(provider.clone());
        Some(provider)
    }
}

/// A button of our own login page: sends the browser to the provider.
pub(super) async fn begin(State(house): State<Arc<House>>, Extension(Peer(peer)): Extension<Peer>, request: Request) -> Response {
    let Some(provider) = house.provider() else { return nowhere() };
    let (parts, body) = request.into_parts();
    let form = match Form::read(&parts.headers, body).await {
        Ok(form) => form,
        Err(status) => return text(status, "not a login"),
    };
    let to = form.one("to").filter(|to| is_path(to)).unwrap_or("/").to_owned();
    if let Err(wait) = house.attempts.of(COUNTED, peer) {
        let page = html(StatusCode::TOO_MANY_REQUESTS, plain::login(&house, &to, Some("too many tries from elsewhere")));
        return later(page, wait.0.as_secs() + 1);
    }
    let redirect = format!("{}{BACK}", house.url().trim_end_matches('/'));
    let (there, begun) = match provider.begin(redirect).await {
        Ok(begun) => begun,
        Err(why) => return html(StatusCode::BAD_GATEWAY, plain::login(&house, &to, Some(&why))),
    };
    let kept = house.waiting.put(begun, provider.clone(), to);
    let Some(cookie) = kept.ok().and_then(|secret| house.passing.set(Some((secret.as_str(), Some(PATIENCE_S))))) else {
        return text(StatusCode::INTERNAL_SERVER_ERROR, "no login could be begun");
    };
    // Not a redirect: a browser holds those that come of a form against `form-action`.
    let issuer = provider.settings().issuer.as_str();
    let mut response = html(StatusCode::OK, plain::onward(&house, "Log in", there.as_str(), &format!("to {}", visible(issuer))));
    response.headers_mut().insert(SET_COOKIE, cookie);
    response
}

/// What the browser comes back with.
pub(super) async fn back(State(house): State<Arc<House>>, Extension(Peer(peer)): Extension<Peer>, request: Request) -> Response {
    if house.provider().is_none() {
        return nowhere();
    }
    let refused = |why: &str| html(StatusCode::FORBIDDEN, plain::login(&house, "/", Some(why)));
    let answer = match Answer::parse(request.uri().query().unwrap_or_default()) {
        Ok(answer) => answer,
        Err(why) => return refused(&why.replacen("authorization server", "provider", 1)),
    };
    let Some(Back { begun, provider, to }) = house.waiting.take(&house.passing.values(request.headers()), &answer) else {
        return refused(&format!(
            "this browser began no such login, or more than {} minutes ago; begin again at {}",
            PATIENCE_S / 60,
            house.url()
        ));
    };
    let who = match provider.finish(begun, answer).await {
        Ok(who) => who,
        Err(why) => {
            tracing::warn!("a login at the provider is refused: {why}");
            return refused(&why);
        }
    };
    let proof = Proof::Provider { by: provider.settings().clone(), who };
    let Some(operator) = house.meant(&proof) else {
        let Proof::Provider { by, who } = &proof else { return nowhere() };
        let (claim, who) = (visible(&by.claim), visible(who));
        tracing::warn!("a login at the provider is refused: no operator has `oidc = \"{who}\"`");
        return refused(&format!("you are nobody here: the provider says `{claim}` is `{who}`, and no operator's `oidc` is that"));
    };
    house.attempts.succeeded(peer);
    let response = enter(&house, operator, proof, from(peer, request.headers()), |house| {
        // A page of ours leads on: a browser that comes from elsewhere does not send the login's cookie, along redirects neither.
        let there = format!("{}{to}", house.prefix);
        html(StatusCode::OK, plain::onward(house, "Logged in", &there, "to the console"))
    });
    forgotten(&house, response)
}

/// The browser keeps nothing of the way.
fn forgotten(house: &House, mut response: Response) -> Response {
    if let Some(cookie) = house.passing.set(None) {
        response.headers_mut().append(SET_COOKIE, cookie);
    }
    response
}
