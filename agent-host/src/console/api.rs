//! The operator's API on the console's address: the requests of the socket, for who has a bearer token of a login.
//!
//! A cookie counts for nothing here, so no page can send anything in a person's name; a client's MCP token is no login's. Is not: a
//! handler; `admin::handle` is asked, as at the socket. Clauses: AUTH-4 (login), HOST-3 (login). Attacks 26, 57, 58, 64.
//! Neighbours: `api` says what there is, `house` who may come. Source: RFC 6750, RFC 9110.

use super::headers;
use super::house::House;
use super::logins::{IDLE, Kind, LONGEST, Login, Opening, Proof};
use super::routes::{from, later};
use crate::admin::{Operator, REQUEST_BYTES, Request as Asked, Response as Told, handle};
use crate::api::{Come, Coming, DOCUMENT, Operation, PREFIX};
use crate::web::{Foreign, Peer, bearer, is_type, whole};
use agent_core::safety::echo;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::response::Response;
use axum::routing::any;
use axum::{Extension, Router};
use http::header::{ALLOW, WWW_AUTHENTICATE};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Method, StatusCode};
use serde::Serialize;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

/// Requests that are answered at a time; each further one waits a while for room.
const AT_ONCE: usize = 16;
/// How long a request may wait for room, and how long its body may take.
const PATIENCE: Duration = Duration::from_secs(10);
/// Bytes of a login.
const LOGIN_BYTES: usize = 16 * 1024;
/// What a bearer token begins with, by which it is told from a client's.
const BEARER: &str = "aho_";
/// What the operator's own document is called.
const SPECIFICATION: &str = "openapi.json";

/// What is shared by all requests.
struct Desk {
    house: Arc<House>,
    places: Arc<Semaphore>,
}

pub(super) fn router(house: &Arc<House>) -> Router {
    let desk = Desk { house: house.clone(), places: Arc::new(Semaphore::new(AT_ONCE)) };
    let all = format!("{PREFIX}{{*rest}}");
    Router::new().route(&all, any(answer)).route(PREFIX, any(answer)).with_state(Arc::new(desk))
}

async fn answer(State(desk): State<Arc<Desk>>, Extension(Peer(peer)): Extension<Peer>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    headers::with(match desk.answered(peer, &parts, body).await {
        Ok(response) | Err(response) => response,
    })
}

impl Desk {
    async fn answered(&self, peer: IpAddr, parts: &Parts, body: Body) -> Result<Response, Response> {
        self.house.guard().check(&parts.uri, &parts.headers).map_err(foreign)?;
        let only = |method: Method| if parts.method == method { Ok(()) } else { Err(method) };
        let visitor = || self.visitor(&parts.headers);
        match parts.uri.path().strip_prefix(PREFIX).unwrap_or_default() {
            "login" => {
                only(Method::POST).map_err(another)?;
                self.log_in(peer, parts, body).await
            }
            "logout" => {
                only(Method::POST).map_err(another)?;
                let (_, login) = visitor().ok_or_else(stranger)?;
                let body = read(parts, body, LOGIN_BYTES).await?;
                serde_json::from_slice::<Nothing>(&body).map_err(|error| malformed(&error.to_string()))?;
                self.house.logins.end(&login.operator, &login.id);
                Ok(said(StatusCode::OK, &Come::LoggedOut {}))
            }
            SPECIFICATION => {
                only(Method::GET).map_err(another)?;
                visitor().ok_or_else(stranger)?;
                Ok(json(StatusCode::OK, Body::from(DOCUMENT)))
            }
            name => {
                let operation = Operation::find(name).ok_or_else(|| {
                    let what = format!("there is no operation `{}`", echo(name));
                    refused(StatusCode::NOT_FOUND, what, "`GET /api/v1/openapi.json` lists them")
                })?;
                only(Method::POST).map_err(another)?;
                visitor().ok_or_else(stranger)?;
                let body = read(parts, body, REQUEST_BYTES).await?;
                let _place = self.place().await?;
                // A body can take its time, and a login end meanwhile.
                let (operator, _) = visitor().ok_or_else(stranger)?;
                let request = operation.request(&body).map_err(|error| malformed(&error))?;
                Ok(self.done(&operator, request).await)
            }
        }
    }

    async fn done(&self, operator: &Operator, request: Asked) -> Response {
        let allowed = operator.lacks(&request).is_none();
        let told = handle(&self.house.office, operator, request).await;
        let status = match told {
            Told::Failed { .. } if allowed => StatusCode::CONFLICT,
            Told::Failed { .. } => StatusCode::FORBIDDEN,
            _ => StatusCode::OK,
        };
        said(status, &told)
    }

    /// Whose login it is.
    fn visitor(&self, headers: &HeaderMap) -> Option<(Operator, Login)> {
        let secret = bearer(headers)?.strip_prefix(BEARER)?;
        self.house.visitor(Kind::Program, secret, true)
    }

    /// Room to be answered in, once the request is whole: who is slow to send it takes nobody's.
    async fn place(&self) -> Result<OwnedSemaphorePermit, Response> {
        match timeout(PATIENCE, self.places.clone().acquire_owned()).await {
            Ok(Ok(place)) => Ok(place),
            _ => Err(later(refused(StatusCode::TOO_MANY_REQUESTS, "too many requests at a time".to_owned(), "try again then"), 1)),
        }
    }

    async fn log_in(&self, peer: IpAddr, parts: &Parts, body: Body) -> Result<Response, Response> {
        let body = read(parts, body, LOGIN_BYTES).await?;
        let Coming { operator, passphrase } = serde_json::from_slice(&body).map_err(|error| malformed(&error.to_string()))?;
        let proved = self.house.prove(operator.as_deref().unwrap_or_default(), Some(passphrase), peer).await;
        let (operator, mark) = proved.map_err(|unproved| {
            let status = if unproved.status == StatusCode::TOO_MANY_REQUESTS { unproved.status } else { StatusCode::UNAUTHORIZED };
            let response = match status {
                StatusCode::UNAUTHORIZED => nobody(unproved.why, "try again then"),
                status => refused(status, unproved.why, "try again then"),
            };
            match unproved.after {
                Some(seconds) => later(response, seconds),
                None => response,
            }
        })?;
        let from = format!("{}, by the API", from(peer, &parts.headers));
        let opened = self.house.logins.open(Opening { kind: Kind::Program, operator, proof: Proof::Passphrase(mark), from });
        let secret = opened.map_err(|error| refused(StatusCode::CONFLICT, format!("no login could be opened: {error}"), "try again"))?;
        Ok(said(StatusCode::OK, &Come::LoggedIn { bearer: format!("{BEARER}{secret}"), idle_s: IDLE / 1000, most_s: LONGEST / 1000 }))
    }
}

/// A body that is JSON, whole, within a bound and in time.
async fn read(parts: &Parts, body: Body, most: usize) -> Result<Bytes, Response> {
    if !is_type(&parts.headers, "application/json") {
        return Err(refused(StatusCode::UNSUPPORTED_MEDIA_TYPE, "a request is JSON".to_owned(), "send `content-type: application/json`"));
    }
    whole(body, most, PATIENCE).await.map_err(|status| match status {
        StatusCode::PAYLOAD_TOO_LARGE => refused(status, format!("this request has at most {most} bytes"), "send less"),
        StatusCode::REQUEST_TIMEOUT => refused(status, "the request did not come in time".to_owned(), "send it again"),
        _ => malformed("it broke off"),
    })
}

/// No field at all.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Nothing {}

/// What is answered to another method than the one that there is.
fn another(method: Method) -> Response {
    let mut response = refused(StatusCode::METHOD_NOT_ALLOWED, format!("this takes {method} alone"), "see the document");
    if let Ok(method) = HeaderValue::from_str(method.as_str()) {
        response.headers_mut().insert(ALLOW, method);
    }
    response
}

fn json(status: StatusCode, body: Body) -> Response {
    super::routes::answer(status, "application/json", body)
}

fn said(status: StatusCode, told: &impl Serialize) -> Response {
    match serde_json::to_vec(told) {
        Ok(text) => json(status, Body::from(text)),
        Err(error) => refused(StatusCode::INTERNAL_SERVER_ERROR, format!("it may be done, and can't be told: {error}"), "see the records"),
    }
}

fn refused(status: StatusCode, what: String, hint: &str) -> Response {
    said(status, &Told::Failed { what, hint: hint.to_owned() })
}

fn malformed(why: &str) -> Response {
    refused(StatusCode::BAD_REQUEST, format!("not a request: {}", echo(why)), "send what the document says")
}

fn stranger() -> Response {
    nobody("nobody is logged in by that".to_owned(), "`POST /api/v1/login` gives a bearer token")
}

fn nobody(what: String, hint: &str) -> Response {
    let mut response = refused(StatusCode::UNAUTHORIZED, what, hint);
    response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    response
}

fn foreign(why: Foreign) -> Response {
    let hint = "`[console] hosts` lists the names besides its own address";
    match why {
        Foreign::NoHost => refused(StatusCode::BAD_REQUEST, "a request names one host".to_owned(), hint),
        Foreign::Host => refused(StatusCode::FORBIDDEN, "this host is not reached by that name".to_owned(), hint),
        Foreign::Origin => refused(StatusCode::FORBIDDEN, "no page may call this".to_owned(), "use a program"),
    }
}
