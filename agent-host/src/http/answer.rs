//! What a request is answered that goes no further, and what is carried until an answer was read.
//!
//! Clause: SES-4. Source: RFC 9110 (status codes), RFC 6750 (challenges).

use super::drain::UnderWay;
use super::held::Answering;
use crate::refusal::{INVALID, UNSERVED, refusal};
use crate::web::Foreign;
use axum::body::Body;
use http::header::{CONNECTION, CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderValue, Response, StatusCode};
use http_body::{Frame, SizeHint};
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::sync::OwnedSemaphorePermit;

/// A status with its reason, as JSON-RPC where nobody's id is known.
pub(super) fn refused(status: StatusCode, why: &str) -> Response<Body> {
    let code = if status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS { UNSERVED } else { INVALID };
    json(status, refusal("null", code, why))
}

/// A body of JSON.
pub(super) fn json(status: StatusCode, body: impl Into<Body>) -> Response<Body> {
    let mut response = Response::new(body.into());
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// The same for who may come again soon.
pub(super) fn later(status: StatusCode, why: &str, seconds: u16) -> Response<Body> {
    let mut response = refused(status, why);
    response.headers_mut().insert(RETRY_AFTER, seconds.into());
    response
}

/// The last one on its connection.
pub(super) fn last(mut response: Response<Body>) -> Response<Body> {
    response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    response
}

pub(super) fn foreign(why: Foreign) -> Response<Body> {
    match why {
        Foreign::NoHost => refused(StatusCode::BAD_REQUEST, "a request names one host"),
        Foreign::Host => refused(StatusCode::FORBIDDEN, "this host is not reached by that name"),
        Foreign::Origin => refused(StatusCode::FORBIDDEN, "no page of that origin may call this host"),
    }
}

/// A session that is not there: unknown, ended, and somebody else's are the same bytes.
pub(super) fn no_session() -> Response<Body> {
    refused(StatusCode::NOT_FOUND, "no such session; begin anew with `initialize`")
}

/// An answer that counts as under way until it was read, or its reader went away.
pub(super) struct Counted {
    body: Body,
    counts: Counts,
}

/// In what it is counted.
pub(super) struct Counts {
    pub(super) _under_way: UnderWay,
    pub(super) _request: OwnedSemaphorePermit,
    pub(super) conversation: Option<Answering>,
    /// What ends it before its end, where something may.
    pub(super) over: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
}

impl Counted {
    pub(super) fn answer(response: Response<Body>, counts: Counts) -> Response<Body> {
        response.map(|body| Body::new(Self { body, counts }))
    }
}

impl http_body::Body for Counted {
    type Data = <Body as http_body::Body>::Data;
    type Error = <Body as http_body::Body>::Error;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        if let Some(over) = &mut self.counts.over
            && over.as_mut().poll(context).is_ready()
        {
            return Poll::Ready(None);
        }
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
