//! What there is to be requested, and the checks before it: by which name, from which page, with whose login.
//!
//! A GET changes nothing, but for the one that comes back from a provider. A POST comes from a page of this very origin, with the token of its login. What is not there, and
//! all that lies outside the prefix, is one and the same answer. Clause: AUTH-4 (console, login). Source: Fetch (`Origin`,
//! `Sec-Fetch-Site`).

use super::action;
use super::form::Form;
use super::headers;
use super::house::House;
use super::live;
use super::logins::{Flash, Kind, Login, Opening, Proof};
use super::oidc;
use super::plain;
use super::view;
use crate::admin::Operator;
use crate::admin::passphrase::Secret;
use crate::config::OperatorName;
use crate::web::{CameFrom, Foreign, Peer};
use agent_core::safety::visible;
use axum::body::Body;
use axum::extract::{Path, Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use axum::routing::{get, post};
use axum::{Extension, Router};
use http::header::{CONTENT_TYPE, LOCATION, RETRY_AFTER, SET_COOKIE, USER_AGENT};
use http::{HeaderMap, HeaderValue, Method, StatusCode};
use std::net::IpAddr;
use std::sync::Arc;
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

/// Bytes of what a browser calls itself that are shown.
const AGENT: usize = 120;

type House_ = State<Arc<House>>;

pub(super) fn router(house: &Arc<House>) -> Router {
    let at = |path: &str| format!("{}{path}", house.prefix);
    let mut router = Router::new().route(&at("/"), get(view::page));
    if !house.prefix.is_empty() {
        router = router.route(&house.prefix, get(view::page));
    }
    for path in view::PATHS {
        router = router.route(&at(path), get(view::page));
    }
    router
        .route(&at("/style.css"), get(async || file("text/css; charset=utf-8", include_str!("style.css"))))
        .route(&at("/script.js"), get(async || file("text/javascript; charset=utf-8", include_str!("script.js"))))
        .route(&at("/icon.svg"), get(async || file("image/svg+xml", include_str!("icon.svg"))))
        .route(&at("/login"), get(login_page).post(log_in))
        .route(&at(oidc::BEGIN), post(oidc::begin))
        .route(&at(oidc::BACK), get(oidc::back))
        .route(&at("/logout"), post(log_out))
        .route(&at("/live"), get(live::follow))
        .route(&at("/do/{what}"), post(act))
        .method_not_allowed_fallback(async || nowhere())
        .fallback(async || nowhere())
        .layer(from_fn_with_state(house.clone(), guarded))
        .with_state(house.clone())
}

/// Names and origins first, and what every answer says last.
async fn guarded(State(house): House_, request: Request, next: Next) -> Response {
    let refused = match entry(&house, &request) {
        Ok(()) => None,
        Err(Foreign::NoHost) => Some((StatusCode::BAD_REQUEST, "a request names one host")),
        Err(Foreign::Host) => Some((StatusCode::FORBIDDEN, "the console is not reached by that name")),
        Err(Foreign::Origin) => Some((StatusCode::FORBIDDEN, "only the console's own pages may do this; open it and try there")),
    };
    headers::with(match refused {
        None => next.run(request).await,
        Some((status, why)) => text(status, why),
    })
}

fn entry(house: &House, request: &Request) -> Result<(), Foreign> {
    let guard = house.guard();
    let (headers, reads) = (request.headers(), matches!(*request.method(), Method::GET | Method::HEAD));
    guard.host(request.uri(), headers)?;
    let site = headers.get("sec-fetch-site").map(HeaderValue::as_bytes);
    let same = site == Some(b"same-origin");
    let site_is_foreign = site.is_some_and(|site| site != b"same-origin" && site != b"none");
    match guard.origin(headers)? {
        CameFrom::Known if reads || !site_is_foreign => Ok(()),
        CameFrom::Nobody if reads || same => Ok(()),
        // Our pages tell nobody where they are, so their forms come with `null`; the browser says whose they are all the same.
        CameFrom::Null if !reads && same => Ok(()),
        _ => Err(Foreign::Origin),
    }
}

/// One answer for all that is not there.
pub(super) fn nowhere() -> Response {
    text(StatusCode::NOT_FOUND, "there is nothing here")
}

pub(super) fn text(status: StatusCode, text: &str) -> Response {
    answer(status, "text/plain; charset=utf-8", Body::from(format!("{text}\n")))
}

pub(super) fn html(status: StatusCode, page: maud::Markup) -> Response {
    answer(status, "text/html; charset=utf-8", Body::from(page.into_string()))
}

fn file(kind: &'static str, text: &'static str) -> Response {
    answer(StatusCode::OK, kind, Body::from(text))
}

pub(super) fn answer(status: StatusCode, kind: &'static str, body: Body) -> Response {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}

/// To another page of ours.
pub(super) fn see(house: &House, path: &str) -> Response {
    let mut response = text(StatusCode::SEE_OTHER, "see there");
    // What is no path of ours leads to the front page.
    let path = if is_path(path) { path } else { "/" };
    if let Ok(there) = HeaderValue::from_str(&format!("{}{path}", house.prefix)) {
        response.headers_mut().insert(LOCATION, there);
    }
    response
}

/// Whether it can be nothing but a page of this host, behind the prefix.
pub(super) fn is_path(path: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"/_-.~:?=&%+".contains(&byte);
    path.starts_with('/') && !path.starts_with("//") && path.len() <= 1024 && path.bytes().all(fits)
}

/// Who asks.
pub(super) fn visitor(house: &House, headers: &HeaderMap, method: &Method) -> Option<(Operator, Login)> {
    let using = *method != Method::GET || is_opened(headers);
    house.cookie.values(headers).into_iter().find_map(|secret| house.visitor(Kind::Page, secret, using))
}

/// Whether a person opens a page; a script that looks again is none.
pub(super) fn is_opened(headers: &HeaderMap) -> bool {
    headers.get("sec-fetch-dest").is_none_or(|dest| dest != "empty")
}

async fn login_page(State(house): House_, request: Request) -> Response {
    let to = query(&request, "to").filter(|to| is_path(to)).unwrap_or_else(|| "/".to_owned());
    if visitor(&house, request.headers(), request.method()).is_some() {
        return see(&house, &to);
    }
    html(StatusCode::OK, plain::login(&house, &to, None))
}

pub(super) fn query(request: &Request, name: &str) -> Option<String> {
    let mut pairs = url::form_urlencoded::parse(request.uri().query().unwrap_or_default().as_bytes());
    pairs.find(|(key, _)| key == name).map(|(_, value)| value.into_owned())
}

async fn log_in(State(house): House_, Extension(Peer(peer)): Extension<Peer>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let form = match Form::read(&parts.headers, body).await {
        Ok(form) => form,
        Err(status) => return text(status, "not a login"),
    };
    let to = form.one("to").filter(|to| is_path(to)).unwrap_or("/").to_owned();
    let again = |status, why: &str| html(status, plain::login(&house, &to, Some(why)));
    let secret = form.one("passphrase").and_then(|text| Secret::new(Zeroizing::new(text.to_owned())).ok());
    let (operator, mark) = match house.prove(form.one("name").unwrap_or_default(), secret, peer).await {
        Ok(proved) => proved,
        Err(refusal) => {
            let page = again(refusal.status, &refusal.why);
            return match refusal.after {
                Some(seconds) => later(page, seconds),
                None => page,
            };
        }
    };
    enter(&house, operator, Proof::Passphrase(mark), from(peer, &parts.headers), |house| see(house, &to))
}

/// From where somebody comes, and what they call themselves, for the list of logins.
pub(super) fn from(peer: IpAddr, headers: &HeaderMap) -> String {
    let agent = headers.get(USER_AGENT).and_then(|agent| agent.to_str().ok()).unwrap_or_default();
    let agent: String = visible(agent).chars().take(AGENT).collect();
    format!("{peer} {agent}")
}

/// Opens a login, and leads on.
pub(super) fn enter(house: &House, operator: OperatorName, proof: Proof, from: String, on: impl FnOnce(&House) -> Response) -> Response {
    let opened = house.logins.open(Opening { kind: Kind::Page, operator, proof, from });
    let Some(cookie) = opened.ok().and_then(|secret| house.cookie.set(Some((secret.as_str(), None)))) else {
        return text(StatusCode::INTERNAL_SERVER_ERROR, "no login could be opened");
    };
    let mut response = on(house);
    response.headers_mut().insert(SET_COOKIE, cookie);
    response
}

pub(super) fn later(mut response: Response, seconds: u64) -> Response {
    response.headers_mut().insert(RETRY_AFTER, seconds.into());
    response
}

/// Somebody's form, if it is theirs: of a login, with its token.
async fn sent(house: &House, request: Request) -> Result<(Operator, Login, Form), Response> {
    let (parts, body) = request.into_parts();
    let Some((_, login)) = visitor(house, &parts.headers, &parts.method) else {
        return Err(text(StatusCode::FORBIDDEN, "nobody is logged in; open the console and log in"));
    };
    let form = Form::read(&parts.headers, body).await.map_err(|status| text(status, "not a form of the console"))?;
    // Once more, for a form can take its time, and a login end meanwhile.
    let Some((operator, login)) = visitor(house, &parts.headers, &parts.method).filter(|(_, now)| now.id == login.id) else {
        return Err(text(StatusCode::FORBIDDEN, "this login is over; log in again"));
    };
    let token = form.one("csrf").unwrap_or_default();
    if !bool::from(token.as_bytes().ct_eq(login.csrf.as_bytes())) {
        return Err(text(StatusCode::FORBIDDEN, "this form is not of this login; open the page again"));
    }
    Ok((operator, login, form))
}

async fn act(State(house): House_, Path(what): Path<String>, request: Request) -> Response {
    let (operator, login, form) = match sent(&house, request).await {
        Ok(sent) => sent,
        Err(response) => return response,
    };
    let flash = match action::request(&what, &form) {
        Ok(Some(asked)) => action::done(&house.office, &operator, asked).await,
        Ok(None) => return nowhere(),
        Err(why) => Flash::new(false, why),
    };
    house.logins.tell(&login, flash);
    see(&house, form.one("back").unwrap_or("/"))
}

async fn log_out(State(house): House_, request: Request) -> Response {
    let (_, login, form) = match sent(&house, request).await {
        Ok(sent) => sent,
        Err(response) => return response,
    };
    match form.one("login") {
        Some("others") => {
            let ended = house.logins.end_others(&login);
            house.logins.tell(&login, Flash::new(true, format!("other logins ended: {ended}")));
            see(&house, "/logins")
        }
        Some(id) if id != login.id => {
            let done = house.logins.end(&login.operator, id);
            let text = if done { "the login is ended" } else { "there is no such login any more" };
            house.logins.tell(&login, Flash::new(done, text));
            see(&house, "/logins")
        }
        _ => {
            house.logins.end(&login.operator, &login.id);
            let mut response = see(&house, "/login");
            house.cookie.set(None).map(|cookie| response.headers_mut().insert(SET_COOKIE, cookie));
            response
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn auth_4_nothing_leads_away_from_the_console() {
        for path in ["/", "/approvals/r_12", "/sessions?after=2&x=%20"] {
            assert!(is_path(path), "{path}");
        }
        for path in ["", "approvals", "//evil.example", "https://evil.example", "/\\evil.example", "/a\r\nset-cookie: x", "/a b", "/ä"] {
            assert!(!is_path(path), "{path}");
        }
    }
}
