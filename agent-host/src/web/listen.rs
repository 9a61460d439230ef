//! Connections: taken while there is room, with TLS where there is a certificate, each within time.
//!
//! Each request is told from which address it came. Is not: what is said on them. Clause: SES-4. Source: RFC 9112.

use super::in_place::InPlace;
use super::{NoEndpoint, Reach};
use crate::config::Tls;
use axum::{Extension, Router};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;

/// Connections at a time; further ones wait for room.
const CONNECTIONS: usize = 8192;
/// How long a connection may be silent before a request's head is whole.
const HEAD: Duration = Duration::from_secs(30);
/// Bytes of a request's head.
const HEAD_BYTES: usize = 32 * 1024;
/// How long TLS may take to shake hands.
const HANDSHAKE: Duration = Duration::from_secs(10);
/// Between two tries where a connection can't be taken.
const REST: Duration = Duration::from_millis(100);

/// The address at the other end of a request's connection. Behind a proxy it is the proxy's.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Peer(pub(crate) IpAddr);

/// An address that is listened on.
pub(crate) struct Listening {
    at: SocketAddr,
    listener: TcpListener,
    tls: Option<TlsAcceptor>,
}

impl Listening {
    pub(crate) async fn bind(at: SocketAddr, reach: Reach<'_>) -> Result<Self, NoEndpoint> {
        if !at.ip().is_loopback() && !reach.encrypted() {
            return Err(NoEndpoint::Clear(at));
        }
        let tls = reach.tls.map(acceptor).transpose()?;
        let listen = |error| NoEndpoint::Listen(at, error);
        let listener = TcpListener::bind(at).await.map_err(listen)?;
        Ok(Self { at: listener.local_addr().map_err(listen)?, listener, tls })
    }

    pub(crate) const fn at(&self) -> SocketAddr {
        self.at
    }

    /// Serves whoever connects, until this is dropped.
    pub(crate) async fn accept(self, routes: Router) {
        let places = Arc::new(Semaphore::new(CONNECTIONS));
        let mut served = JoinSet::new();
        while let Ok(place) = places.clone().acquire_owned().await {
            while served.try_join_next().is_some() {}
            let (stream, peer) = self.next().await;
            let (routes, tls) = (routes.clone().layer(Extension(Peer(peer.ip()))), self.tls.clone());
            served.spawn(async move {
                connection(stream, tls, routes).await;
                drop(place);
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

async fn connection(stream: TcpStream, tls: Option<TlsAcceptor>, routes: Router) {
    // Answers are small, and somebody waits for each.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "a connection is served slower than it could be");
    }
    match tls {
        None => serve(stream, routes).await,
        Some(tls) => match timeout(HANDSHAKE, tls.accept(stream)).await {
            Ok(Ok(stream)) => serve(stream, routes).await,
            Ok(Err(error)) => tracing::debug!(%error, "a connection did not get as far as TLS"),
            Err(_) => tracing::debug!("a connection took too long for TLS"),
        },
    }
}

async fn serve(stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static, routes: Router) {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEAD).max_buf_size(HEAD_BYTES);
    if let Err(error) = InPlace::new(http.serve_connection(TokioIo::new(stream), TowerToHyperService::new(routes))).await {
        tracing::debug!(%error, "a connection broke off");
    }
}

fn acceptor(files: &Tls) -> Result<TlsAcceptor, NoEndpoint> {
    let read = |path: &std::path::Path, why: String| NoEndpoint::Tls(format!("{}: {why}", path.display()));
    let certificate = |error: rustls::pki_types::pem::Error| read(&files.certificate, error.to_string());
    let chain: Vec<_> =
        CertificateDer::pem_file_iter(&files.certificate).map_err(certificate)?.collect::<Result<_, _>>().map_err(certificate)?;
    let key = PrivateKeyDer::from_pem_file(&files.key).map_err(|error| read(&files.key, error.to_string()))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let config = config.map_err(|error| NoEndpoint::Tls(error.to_string()))?.with_no_client_auth().with_single_cert(chain, key);
    let mut config = config.map_err(|error| read(&files.certificate, error.to_string()))?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}
