//! What there is to be requested, and the layers before it: whose name it is for, who asks, and how much of it at a time.
//!
//! Every route is behind the check of names. Every route but `/health` and what clients of OAuth read first needs a credential,
//! from loopback too. Is not: MCP, which rmcp's service and `visit` speak. Clauses: SES-1, SES-2 (HTTP), SES-3, SES-4. Source: MCP
//! specification, basic/transports and basic/authorization; RFC 9728.

use super::answer::{Counted, Counts, foreign, last, later, no_session, refused};
use super::bound::Bound;
use super::credentials::Credentials;
use super::direct::{Call, serves};
use super::drain::Drain;
use super::held::Answering;
use super::pages::Page;
use super::sessions::Sessions;
use super::visit::{Arrival, Found, Visit};
use crate::caller::Caller;
use crate::config::{Config, Http};
use crate::web::{Answers, Guard, Owner, Slot, is_type, whole};
use agent_core::digest::Digest;
use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use http::header::{ALLOW, CONTENT_ENCODING, CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderMap, HeaderValue, Method, StatusCode, Uri};
use parking_lot::Mutex;
use rmcp::transport::streamable_http_server::session::SessionManager;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use tokio::sync::oneshot;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

const SESSION_ID: &str = "mcp-session-id";
/// What clients of an authorization server read first (RFC 9728, section 3.1).
const METADATA: &str = "/.well-known/oauth-protected-resource";
const METADATA_OF_MCP: &str = "/.well-known/oauth-protected-resource/mcp";
/// How long a request's body may take.
const BODY: Duration = Duration::from_secs(30);
/// How long the connection of a session that ended may take to close.
const CLOSE: Duration = Duration::from_secs(5);
/// Ids that a URL may name.
const NAMED: usize = agent_core::limits::IDS_PER_REQUEST;

type Service = StreamableHttpService<Visit, LocalSessionManager>;

/// The routes, and what they share.
pub(super) struct Routes {
    at: SocketAddr,
    /// By the configuration that it was made of: names and origins hold as they are now (HOST-2).
    guard: Mutex<(Arc<Config>, Arc<Guard>)>,
    credentials: Credentials,
    pub(super) sessions: Arc<Sessions>,
    drain: Drain,
    body: usize,
    bound: Bound,
    pub(super) shaken: Arc<LocalSessionManager>,
    service: Service,
    /// Ends what is open still.
    cut: CancellationToken,
}

impl Routes {
    pub(super) fn new(at: SocketAddr, credentials: Credentials, sessions: Arc<Sessions>, drain: Drain, http: &Http) -> Self {
        let cut = CancellationToken::new();
        let mut shaken = LocalSessionManager::default();
        // Sessions end as their profiles say, and what rmcp knows of them then.
        shaken.session_config.keep_alive = None;
        let shaken = Arc::new(shaken);
        // Names and origins were checked before, for every route.
        let config = StreamableHttpServerConfig::default()
            .disable_allowed_hosts()
            .with_json_response(true)
            .with_max_request_body_bytes(http.body)
            .with_cancellation_token(cut.clone());
        let (visited, ending) = (sessions.clone(), drain.ending());
        let service = Service::new(move || Ok(Visit::new(visited.clone(), ending.clone())), shaken.clone(), config);
        let config = sessions.clients.config();
        let guard = Mutex::new((config.clone(), Arc::new(Guard::new(at, (&config.http).into()))));
        Self { at, guard, credentials, sessions, drain, body: http.body, bound: Bound::default(), shaken, service, cut }
    }

    fn guard(&self) -> Arc<Guard> {
        let (config, mut kept) = (self.sessions.clients.config(), self.guard.lock());
        if !Arc::ptr_eq(&kept.0, &config) {
            *kept = (config.clone(), Arc::new(Guard::new(self.at, (&config.http).into())));
        }
        kept.1.clone()
    }

    /// Takes no more requests; what listens gets its result, what runs some time, and what is left its end.
    pub(super) async fn drain(&self) {
        self.drain.end();
        self.sessions.end_streams();
        self.drain.done().await;
        self.cut.cancel();
        self.drain.read().await;
    }

    /// Closes the connections of sessions that ended.
    pub(super) fn sweep(&self) {
        self.close(self.bound.ended());
    }

    fn close(&self, ids: Vec<String>) {
        for id in ids {
            let shaken = self.shaken.clone();
            // A client that does not read holds nobody else up.
            tokio::spawn(async move { timeout(CLOSE, shaken.close_session(&id.into())).await.is_ok() });
        }
    }
}

impl Answers for Arc<Routes> {
    async fn answer(&self, request: Request) -> Response {
        let (guard, owner) = (self.guard(), request.extensions().get::<Owner>().cloned());
        let page = Page::of(&guard, request.headers());
        let response = match guard.check(request.uri(), request.headers()) {
            Err(why) => foreign(why),
            Ok(()) => match page.as_ref().and_then(|page| page.asked(&request)) {
                Some(answer) => answer,
                None => self.routed(request).await,
            },
        };
        let response = match page {
            Some(page) => page.shown(response),
            None => response,
        };
        if owner.is_some_and(|owner| owner.known()) { response } else { last(response) }
    }
}

impl Routes {
    async fn routed(self: &Arc<Self>, request: Request) -> Response {
        let reads = matches!(*request.method(), Method::GET | Method::HEAD);
        match request.uri().path() {
            "/mcp" => match self.credentials.of_header(request.headers()).await {
                Ok(caller) => self.served(caller, request).await,
                Err(why) => self.credentials.challenge(&why),
            },
            "/health" if reads => "ok\n".into_response(),
            METADATA | METADATA_OF_MCP if reads => self.credentials.metadata(),
            "/health" | METADATA | METADATA_OF_MCP => only_read(),
            // For clients that can be told nothing but a URL.
            path => match path.strip_prefix("/s/").and_then(|path| path.strip_suffix("/mcp")).map(|token| self.credentials.of_url(token)) {
                Some(Ok(caller)) => self.served(caller, request).await,
                Some(Err(why)) => self.credentials.challenge(&why),
                None => refused(StatusCode::NOT_FOUND, "MCP is at /mcp"),
            },
        }
    }

    pub(super) async fn served(self: &Arc<Self>, caller: Caller, request: Request) -> Response {
        let Some(under_way) = self.drain.begin() else {
            return later(StatusCode::SERVICE_UNAVAILABLE, "this host is ending; come again", 5);
        };
        let account = self.sessions.account(&caller);
        if request.extensions().get::<Owner>().is_some_and(|owner| !owner.is(account.connections())) {
            return last(later(StatusCode::TOO_MANY_REQUESTS, "as many of your connections are open as may be", 1));
        }
        let Some(place) = account.request() else {
            return later(StatusCode::TOO_MANY_REQUESTS, "as many of your requests are under way as may be", 1);
        };
        let (credential, until, reads) = (caller.credential, caller.until, request.method() == Method::GET);
        let mut counts = Counts { _under_way: under_way, _request: place, conversation: None, over: None };
        let response = match self.whole(request).await {
            Ok((request, body)) => self.visited(caller, request, &body, &mut counts).await,
            Err(response) => response,
        };
        if is_stream(&response) {
            counts.over = Some(Box::pin(self.over(credential, until, reads)));
        }
        Counted::answer(response, counts)
    }

    /// Returns once a stream must end: its credential is over or was taken back, or it only listens and the host ends.
    fn over(&self, credential: Digest, until: Option<SystemTime>, reads: bool) -> impl Future<Output = ()> + Send + 'static {
        let (mut revoked, mut ending) = (self.sessions.revoked(), self.drain.ending());
        let left = until.map(|until| until.duration_since(SystemTime::now()).unwrap_or_default());
        async move {
            let over = async {
                match left {
                    Some(left) => tokio::time::sleep(left).await,
                    None => std::future::pending().await,
                }
            };
            let ending = async {
                if !reads || ending.wait_for(|ending| *ending).await.is_err() {
                    std::future::pending::<()>().await;
                }
            };
            tokio::select! {
                () = over => {}
                () = ending => {}
                _ = revoked.wait_for(|revoked| revoked.contains(&credential)) => {}
            }
        }
    }

    /// A request with all of its body, if that is what can be read.
    async fn whole(&self, request: Request) -> Result<(http::Request<Body>, Bytes), Response> {
        let (parts, body) = request.into_parts();
        if parts.method != Method::POST {
            return Ok((http::Request::from_parts(parts, Body::empty()), Bytes::new()));
        }
        if !readable(&parts.headers) {
            return Err(refused(StatusCode::UNSUPPORTED_MEDIA_TYPE, "a message is plain `application/json`"));
        }
        let body = whole(body, self.body, BODY).await.map_err(|status| match status {
            StatusCode::PAYLOAD_TOO_LARGE => refused(status, &format!("a request has at most {} bytes", self.body)),
            StatusCode::REQUEST_TIMEOUT => refused(status, "the body took too long"),
            _ => refused(status, "the body broke off"),
        })?;
        if is_batch(&body) {
            return Err(refused(StatusCode::BAD_REQUEST, "one message at a time: batches are not taken"));
        }
        Ok((http::Request::from_parts(parts, Body::from(body.clone())), body))
    }

    async fn visited(self: &Arc<Self>, caller: Caller, mut request: http::Request<Body>, body: &Bytes, counts: &mut Counts) -> Response {
        let tools = match named(request.uri()) {
            Ok(tools) => tools,
            Err(why) => return refused(StatusCode::BAD_REQUEST, &why),
        };
        let ids = request.headers().get_all(SESSION_ID);
        let id = ids.iter().next().and_then(|id| id.to_str().ok()).map(str::to_owned);
        let held = match &id {
            None if ids.iter().next().is_none() => None,
            Some(id) if ids.iter().count() == 1 => match self.bound.find(id).filter(|held| self.sessions.is_of(held.cell(), &caller)) {
                Some(held) => Some(held),
                None => return no_session(),
            },
            _ => return no_session(),
        };
        if let Some(held) = &held {
            counts.conversation = Answering::named(held.clone(), asked(body));
            if counts.conversation.is_none() {
                return refused(StatusCode::BAD_REQUEST, "another request of this id is answered still");
            }
        }
        let ends = request.method() == Method::DELETE;
        let found = Arc::new(Found::default());
        let slot = request.extensions().get::<Slot>().cloned();
        let arrival = Arrival { caller, tools, found: found.clone(), slot };
        if id.is_none()
            && request.method() == Method::POST
            && serves(&self.sessions, &arrival.caller)
            && let Some(call) = Call::read(request.headers(), body)
        {
            let answer = call.answer(&self.sessions, &arrival, request.headers(), &self.cut).await;
            return in_time(answer, &found);
        }
        request.extensions_mut().insert(arrival);
        if id.is_none() && shakes_hands(body) {
            return self.shaking(request, found).await;
        }
        let mut response = self.service.handle(request).await.map(Body::new);
        if let (Some(held), Some(id), true) = (held, &id, ends && response.status().is_success()) {
            self.bound.unbind(id);
            self.sessions.end(&held).await;
        }
        // Whatever was read as a handshake and does not say so.
        if id.is_none() {
            self.close(given(&mut response).into_iter().collect());
        }
        in_time(response, &found)
    }

    /// A handshake, to its end though its client goes meanwhile: then its connection is closed again, and what it opened is nobody's.
    async fn shaking(self: &Arc<Self>, request: http::Request<Body>, found: Arc<Found>) -> Response {
        let (routes, (answer, answered)) = (self.clone(), oneshot::channel());
        tokio::spawn(async move {
            let mut response = routes.service.handle(request).await.map(Body::new);
            if let Some(id) = given(&mut response) {
                match found.session.get() {
                    Some(held) if !answer.is_closed() => {
                        if let Ok(id) = HeaderValue::from_str(&id) {
                            response.headers_mut().insert(SESSION_ID, id);
                        }
                        routes.close(routes.bound.bind(&id, held.clone()));
                    }
                    // It was refused, or nobody hears of it: there is no session of that id.
                    _ => routes.close(vec![id]),
                }
            }
            answer.send(in_time(response, &found)).is_ok()
        });
        answered.await.unwrap_or_else(|_| refused(StatusCode::INTERNAL_SERVER_ERROR, "the handshake broke off"))
    }
}

/// The id that rmcp gave out with an answer, taken out of it.
fn given(response: &mut Response) -> Option<String> {
    response.headers_mut().remove(SESSION_ID).and_then(|id| id.to_str().map(str::to_owned).ok())
}

/// An answer, or when to come again where there was no room for a session. It keeps the id of its request where it is no stream.
fn in_time(mut response: Response, found: &Found) -> Response {
    let Some((why, seconds)) = found.full.get() else { return response };
    if is_stream(&response) {
        return later(StatusCode::TOO_MANY_REQUESTS, why, *seconds);
    }
    *response.status_mut() = StatusCode::TOO_MANY_REQUESTS;
    response.headers_mut().insert(RETRY_AFTER, (*seconds).into());
    response
}

fn only_read() -> Response {
    let mut response = refused(StatusCode::METHOD_NOT_ALLOWED, "this is only read");
    response.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
    response
}

/// Whether a body can be read as it says it is. Nothing is unpacked here, so a small body stays small.
fn readable(headers: &HeaderMap) -> bool {
    is_type(headers, "application/json")
        && headers.get_all(CONTENT_ENCODING).iter().all(|coding| coding.as_bytes().eq_ignore_ascii_case(b"identity"))
}

fn is_stream(response: &Response) -> bool {
    response.headers().get(CONTENT_TYPE).is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream"))
}

/// The id of a request, as it is written; an answer's is none.
fn asked(body: &Bytes) -> Option<String> {
    #[derive(Deserialize)]
    struct Envelope<'a> {
        #[serde(borrow)]
        id: &'a RawValue,
        #[serde(borrow, rename = "method")]
        _method: &'a RawValue,
    }
    serde_json::from_slice::<Envelope<'_>>(body).ok().map(|envelope| envelope.id.get().to_owned())
}

fn shakes_hands(body: &Bytes) -> bool {
    #[derive(Deserialize)]
    struct Envelope<'a> {
        method: Cow<'a, str>,
    }
    serde_json::from_slice::<Envelope<'_>>(body).is_ok_and(|envelope| envelope.method == "initialize")
}

fn is_batch(body: &Bytes) -> bool {
    body.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'[')
}

/// The exact ids that a URL asks for (`?tools=ID,ID`).
fn named(uri: &Uri) -> Result<Vec<String>, String> {
    let pairs = url::form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes());
    let mut tools = Vec::new();
    for (key, value) in pairs {
        match key.as_ref() {
            "tools" => tools.extend(value.split(',').map(|id| id.trim().to_owned()).filter(|id| !id.is_empty())),
            _ => return Err(format!("`{}` is not a parameter of this URL; `tools` is", agent_core::safety::echo(&key))),
        }
    }
    if tools.len() > NAMED {
        return Err(format!("`tools` names at most {NAMED} exact ids"));
    }
    Ok(tools)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn ses_2_a_url_names_exact_ids() {
        let named = |query: &str| named(&format!("/mcp?{query}").parse().unwrap());
        assert_eq!(named("tools=mcp:a/b,%20mcp%3Aa%2Fc&tools=mcp:d/e").unwrap(), ["mcp:a/b", "mcp:a/c", "mcp:d/e"]);
        assert!(named("").unwrap().is_empty());
        assert!(named("tool=x").is_err() && named(&format!("tools={}", ["x"; 17].join(","))).is_err());
    }

    #[test]
    fn attack_15_a_batch_is_told_by_its_first_byte() {
        assert!(is_batch(&Bytes::from_static(b" \n[{}]")) && !is_batch(&Bytes::from_static(b"{\"a\":[]}")));
    }
}
