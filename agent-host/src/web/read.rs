//! What is read of a request before anybody looks at what it says: its one bearer token, its type, its body within bounds.
//!
//! Is not: words for what is wrong, which each listener has of its own. Clause: SES-4. Source: RFC 9110, 8.3 and 11.6.2; RFC 6750, 2.1.

use axum::body::{Body, Bytes};
use http::header::{AUTHORIZATION, CONTENT_TYPE};
use http::{HeaderMap, StatusCode};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use std::time::Duration;
use tokio::time::timeout;

/// The one bearer token of a request.
pub(crate) fn bearer(headers: &HeaderMap) -> Option<&str> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let (Some(value), None) = (values.next(), values.next()) else { return None };
    let (scheme, bearer) = value.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| bearer.trim())
}

/// Whether a body is said to be of a type, whatever its parameters.
pub(crate) fn is_type(headers: &HeaderMap, kind: &str) -> bool {
    let said = headers.get(CONTENT_TYPE).and_then(|said| said.to_str().ok()).and_then(|said| said.split(';').next());
    said.is_some_and(|said| said.trim().eq_ignore_ascii_case(kind))
}

/// The whole of a body, of so many bytes at the most and in so long.
///
/// # Errors
/// 413, 408, or 400 where it broke off.
pub(crate) async fn whole(body: Body, most: usize, patience: Duration) -> Result<Bytes, StatusCode> {
    match timeout(patience, Limited::new(body, most).collect()).await {
        Ok(Ok(body)) => Ok(body.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(StatusCode::PAYLOAD_TOO_LARGE),
        Ok(Err(_)) => Err(StatusCode::BAD_REQUEST),
        Err(_) => Err(StatusCode::REQUEST_TIMEOUT),
    }
}
