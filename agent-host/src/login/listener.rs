//! Where the browser comes back to: a port of this machine that answers one request.
//!
//! Is: `http://127.0.0.1:<port>/callback` (RFC 8252), for as long as one login takes. Any page can send a browser there, so what
//! does not hold this login's `state` ends nothing: it is refused and waited past. Is not: reachable by a page under another name
//! (the `Host` is ours or nothing is read), nor does it say anything of what it was sent. Clause: UP-5 (login).

use super::answer::Answer;
use axum::Router;
use axum::extract::{Request, State};
use axum::http::{Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use parking_lot::Mutex;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use subtle::ConstantTimeEq;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use url::form_urlencoded;

/// How long a person has.
pub(super) const PATIENCE: Duration = Duration::from_secs(300);
/// What the browser shows at the end.
const PAGE: &str =
    "<!doctype html><meta charset=utf-8><title>agent-host</title><p>You can close this page. How it went is told where you began.";

type Taker = oneshot::Sender<Result<Answer, String>>;

/// A port that listens.
pub(super) struct Listener {
    socket: TcpListener,
    port: u16,
}

impl Listener {
    /// Takes a free port.
    pub(super) async fn bind() -> Result<Self, String> {
        let bound = async {
            let socket = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
            let port = socket.local_addr()?.port();
            Ok(Self { socket, port })
        };
        bound.await.map_err(|error: std::io::Error| format!("no port of this machine can be listened on: {error}"))
    }

    /// What the authorization server is told to send the browser to.
    pub(super) fn redirect(&self) -> String {
        format!("http://127.0.0.1:{}/callback", self.port)
    }

    /// The one answer to the login of this `state`. What is asked under another name, path or method, or belongs to another login,
    /// is refused and waited past.
    pub(super) async fn answer(self, state: &str, patience: Duration) -> Result<Answer, String> {
        let (taker, taken) = oneshot::channel();
        let host = Arc::from(format!("127.0.0.1:{}", self.port));
        let taking = Taking { host, state: state.into(), taker: Arc::new(Mutex::new(Some(taker))), strangers: Arc::default() };
        let (routes, strangers) = (Router::new().fallback(take).with_state(taking.clone()), taking.strangers);
        let (ended, end) = oneshot::channel::<()>();
        let serving = tokio::spawn(axum::serve(self.socket, routes).with_graceful_shutdown(async { drop(end.await) }).into_future());
        let answer = tokio::time::timeout(patience, taken).await;
        drop(ended);
        let serving_still = serving.abort_handle();
        if tokio::time::timeout(Duration::from_millis(500), serving).await.is_err() {
            // A browser that holds its connection open has its page by now.
            serving_still.abort();
        }
        match answer {
            Ok(Ok(answer)) => answer,
            Ok(Err(_)) => Err("the port was closed before the browser came back".to_owned()),
            Err(_) => {
                let other = "; what did come belongs to another login (its `state` is not ours), and nothing was taken from it";
                let other = if strangers.load(Ordering::Relaxed) { other } else { "" };
                Err(format!("nobody came back from the authorization server within {} s{other}", patience.as_secs()))
            }
        }
    }
}

#[derive(Clone)]
struct Taking {
    host: Arc<str>,
    state: Arc<str>,
    taker: Arc<Mutex<Option<Taker>>>,
    /// Whether an answer of another login came.
    strangers: Arc<AtomicBool>,
}

/// Whether a query holds this state, and so comes from whom it was told. What else is wrong in it ends the login then.
fn holds(query: &str, state: &str) -> bool {
    let mut said = form_urlencoded::parse(query.as_bytes()).filter(|(name, _)| name == "state");
    said.any(|(_, said)| said.as_bytes().ct_eq(state.as_bytes()).into())
}

async fn take(State(taking): State<Taking>, request: Request) -> Response {
    let mut hosts = request.headers().get_all(header::HOST).iter();
    let ours = hosts.next().is_some_and(|host| host.as_bytes() == taking.host.as_bytes()) && hosts.next().is_none();
    if !ours {
        return StatusCode::FORBIDDEN.into_response();
    }
    if request.uri().path() != "/callback" {
        return StatusCode::NOT_FOUND.into_response();
    }
    if request.method() != Method::GET {
        return StatusCode::METHOD_NOT_ALLOWED.into_response();
    }
    let query = request.uri().query().unwrap_or_default();
    if !holds(query, &taking.state) {
        taking.strangers.store(true, Ordering::Relaxed);
        return StatusCode::BAD_REQUEST.into_response();
    }
    let Some(taker) = taking.taker.lock().take() else { return StatusCode::GONE.into_response() };
    // Where nobody waits any more, it is nobody's.
    let _ = taker.send(Answer::parse(query));
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CONTENT_SECURITY_POLICY, "default-src 'none'; frame-ancestors 'none'"),
        (header::CACHE_CONTROL, "no-store"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::CONNECTION, "close"),
    ];
    (headers, PAGE).into_response()
}
