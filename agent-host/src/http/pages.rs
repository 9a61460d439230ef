//! What a browser has to hear so that a web page of the operator's may call (CORS).
//!
//! Is: for origins that the guard knows, and no others: the answer to the question that a browser puts before a page's request, and
//! which answers and headers that page may read. Nobody's cookies are asked for, and a page needs a credential as anybody does. Is
//! not: the check of origins, which `web::Guard` does for every request. Clause: SES-4. Source: Fetch standard, CORS protocol.

use super::answer::refused;
use crate::web::{CameFrom, Guard};
use axum::body::Body;
use axum::extract::Request;
use http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN, ACCESS_CONTROL_EXPOSE_HEADERS,
    ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_HEADERS, ACCESS_CONTROL_REQUEST_METHOD, ORIGIN, VARY,
};
use http::{HeaderMap, HeaderValue, Method, Response, StatusCode};

/// What a page may send with a request, besides the arguments that stand in headers.
const TAKEN: [&str; 8] =
    ["accept", "authorization", "content-type", "last-event-id", "mcp-method", "mcp-name", "mcp-protocol-version", "mcp-session-id"];
const ARGUMENT: &str = "mcp-param-";
/// What a page may read of an answer.
const SHOWN: &str = "Mcp-Session-Id, Retry-After, WWW-Authenticate";
const METHODS: &str = "GET, POST, DELETE";
/// Seconds for which a browser need not ask again.
const KEPT: u64 = 600;

/// A page that may call.
pub(super) struct Page(HeaderValue);

impl Page {
    /// The page that a request comes from, if it comes from one that may call.
    pub(super) fn of(guard: &Guard, headers: &HeaderMap) -> Option<Self> {
        let known = guard.origin(headers) == Ok(CameFrom::Known);
        headers.get(ORIGIN).filter(|_| known).cloned().map(Self)
    }

    /// The answer to a browser that asks what the page may send; none where it asks for something else.
    pub(super) fn asked(&self, request: &Request) -> Option<Response<Body>> {
        let asks = request.method() == Method::OPTIONS && request.headers().contains_key(ACCESS_CONTROL_REQUEST_METHOD);
        asks.then(|| {
            let mut response = Response::new(Body::empty());
            *response.status_mut() = StatusCode::NO_CONTENT;
            let wanted = request.headers().get_all(ACCESS_CONTROL_REQUEST_HEADERS).iter().filter_map(|value| value.to_str().ok());
            let wanted: Vec<_> = wanted.flat_map(|value| value.split(',')).map(|name| name.trim().to_ascii_lowercase()).collect();
            let Ok(allowed) = wanted.iter().filter(|name| is_taken(name)).cloned().collect::<Vec<_>>().join(", ").try_into() else {
                return refused(StatusCode::BAD_REQUEST, "no header has such a name");
            };
            let headers = response.headers_mut();
            headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, allowed);
            headers.insert(ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static(METHODS));
            headers.insert(ACCESS_CONTROL_MAX_AGE, KEPT.into());
            response
        })
    }

    /// An answer as the page may read it.
    pub(super) fn shown(&self, mut response: Response<Body>) -> Response<Body> {
        let headers = response.headers_mut();
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, self.0.clone());
        headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(SHOWN));
        headers.append(VARY, HeaderValue::from_static("Origin"));
        response
    }
}

fn is_taken(name: &str) -> bool {
    TAKEN.contains(&name) || name.strip_prefix(ARGUMENT).is_some_and(|rest| !rest.is_empty())
}
