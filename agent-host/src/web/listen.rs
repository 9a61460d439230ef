//! Connections: taken while there is room, with TLS where there is a certificate, each within time.
//!
//! Each request is told from which address it came. Is not: what is said on them. Clause: SES-4. Source: RFC 9112.

use super::in_place::InPlace;
use super::lane::{InTurn, Slot};
use super::owner::Owner;
use super::patient::Patient;
use super::places::{CONNECTIONS, Places};
use super::tls::Certificate;
use super::{NoEndpoint, Reach};
use axum::Router;
use axum::body::Body;
use http::{Request, Response};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;

/// How long after it is open a connection may take until its first request's head is whole.
pub(crate) const FIRST: Duration = Duration::from_secs(10);
/// The same for a later request, from the answer before it.
pub(crate) const HEAD: Duration = Duration::from_secs(30);
/// Bytes of a request's head.
const HEAD_BYTES: usize = 32 * 1024;
/// How long TLS may take to shake hands.
const HANDSHAKE: Duration = Duration::from_secs(10);
/// Between two tries where a connection can't be taken.
const REST: Duration = Duration::from_millis(100);

/// The address at the other end of a request's connection. Behind a proxy it is the proxy's.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Peer(pub(crate) IpAddr);

/// Who answers what is requested on a connection.
pub(crate) trait Answers: Clone + Send + Sync + 'static {
    fn answer(&self, request: Request<Body>) -> impl Future<Output = Response<Body>> + Send;
}

impl Answers for Router {
    async fn answer(&self, request: Request<Body>) -> Response<Body> {
        TowerToHyperService::new(self.clone()).call(request).await.unwrap_or_else(|never| match never {})
    }
}

/// An address that is listened on.
pub(crate) struct Listening {
    at: SocketAddr,
    listener: TcpListener,
    tls: Option<Certificate>,
    places: Places,
}

impl Listening {
    pub(crate) async fn bind(at: SocketAddr, reach: Reach<'_>) -> Result<Self, NoEndpoint> {
        if !at.ip().is_loopback() && !reach.encrypted() {
            return Err(NoEndpoint::Clear(at));
        }
        let tls = reach.tls.map(Certificate::read).transpose()?;
        let listen = |error| NoEndpoint::Listen(at, error);
        let listener = TcpListener::bind(at).await.map_err(listen)?;
        Ok(Self { at: listener.local_addr().map_err(listen)?, listener, tls, places: Places::new(reach.proxy) })
    }

    pub(crate) const fn at(&self) -> SocketAddr {
        self.at
    }

    /// Serves whoever connects, until this is dropped.
    pub(crate) async fn accept(self, routes: impl Answers) {
        let places = Arc::new(Semaphore::new(CONNECTIONS));
        let mut served = JoinSet::new();
        while let Ok(place) = places.clone().acquire_owned().await {
            while served.try_join_next().is_some() {}
            let (stream, peer) = self.next().await;
            let Some(own) = self.places.take(peer.ip()) else {
                tracing::debug!(%peer, "as many connections of this address are open as may be");
                continue;
            };
            let (routes, tls) = (routes.clone(), self.tls.as_ref().map(Certificate::now));
            served.spawn(async move {
                connection(stream, Peer(peer.ip()), tls, routes).await;
                drop((own, place));
            });
        }
    }

    async fn next(&self) -> (TcpStream, SocketAddr) {
        loop {
            match self.listener.accept().await {
                Ok(taken) => return taken,
                Err(error) => {
                    // Out of descriptors, most likely: they come back.
                    tracing::warn!(%error, "a connection could not be taken");
                    tokio::time::sleep(REST).await;
                }
            }
        }
    }
}

async fn connection(stream: TcpStream, peer: Peer, tls: Option<TlsAcceptor>, routes: impl Answers) {
    // Answers are small, and somebody waits for each.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "a connection is served slower than it could be");
    }
    let stream = Patient::new(stream);
    match tls {
        None => serve(stream, peer, routes).await,
        Some(tls) => match timeout(HANDSHAKE, tls.accept(stream)).await {
            Ok(Ok(stream)) => serve(stream, peer, routes).await,
            Ok(Err(error)) => tracing::debug!(%error, "a connection did not get as far as TLS"),
            Err(_) => tracing::debug!("a connection took too long for TLS"),
        },
    }
}

async fn serve(stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static, peer: Peer, routes: impl Answers) {
    // Requests say by it whose the connection is.
    let slot = Slot::default();
    let owner = Owner::default();
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEAD).max_buf_size(HEAD_BYTES);
    let came = Arc::new(AtomicBool::new(false));
    let (first, of) = (came.clone(), slot.clone());
    let service = service_fn(move |request: Request<Incoming>| {
        first.store(true, Ordering::Relaxed);
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(peer);
        request.extensions_mut().insert(of.clone());
        request.extensions_mut().insert(owner.clone());
        let routes = routes.clone();
        async move { Ok::<_, Infallible>(routes.answer(request).await) }
    });
    let mut served = InTurn::new(InPlace::new(http.serve_connection(TokioIo::new(stream), service)), slot);
    let ended = tokio::select! {
        biased;
        ended = &mut served => ended,
        () = tokio::time::sleep(FIRST) => match came.load(Ordering::Relaxed) {
            true => served.await,
            false => return tracing::debug!("a connection said nothing whole in time"),
        },
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection broke off");
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::iter::from_fn;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    /// What a request on a new connection gets.
    async fn asks(at: SocketAddr) -> (TcpStream, String) {
        let mut stream = TcpStream::connect(at).await.unwrap();
        // One that is closed already can't be written to.
        let _ = stream.write_all(b"GET / HTTP/1.1\r\nhost: x\r\n\r\n").await;
        let (mut answer, mut buffer) = (Vec::new(), [0; 1024]);
        while !answer.windows(4).any(|end| end == b"\r\n\r\n") {
            match stream.read(&mut buffer).await {
                Ok(0) | Err(_) => break,
                Ok(count) => answer.extend(buffer.iter().take(count)),
            }
        }
        (stream, String::from_utf8(answer).unwrap())
    }

    #[tokio::test]
    async fn attack_64_a_connection_past_the_bound_of_its_address_is_closed_and_others_go_on() {
        let reach = Reach { tls: None, proxy: false, hosts: &[], origins: &[] };
        let listening = Listening::bind("127.0.0.1:0".parse().unwrap(), reach).await.unwrap();
        let (at, places) = (listening.at(), listening.places.clone());
        let here = IpAddr::from([127, 0, 0, 1]);
        let mut others: Vec<_> = from_fn(|| places.take(here)).collect();
        others.pop();
        let serving = tokio::spawn(listening.accept(Router::new()));
        let (first, answer) = asks(at).await;
        assert!(answer.starts_with("HTTP/1.1 404"), "{answer}");
        assert_eq!(asks(at).await.1, "", "one too many is not answered");
        let (mut first, mut buffer) = (first, [0; 1024]);
        first.write_all(b"GET / HTTP/1.1\r\nhost: x\r\n\r\n").await.unwrap();
        assert!(first.read(&mut buffer).await.unwrap() > 0, "what was there goes on");
        others.pop();
        assert!(asks(at).await.1.starts_with("HTTP/1.1 404"), "a place that is given back is there for the next");
        serving.abort();
    }
}
