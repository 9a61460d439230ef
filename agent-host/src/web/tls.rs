//! The certificate by which TLS is spoken: read at the start, and again once its files are others.
//!
//! Files that can't be used in the middle of a change, or at all, leave the last certificate in use, and are told of. A connection
//! keeps the one that it began with. Is not: the host's word for who asks. Clause: SES-4.

use super::NoEndpoint;
use crate::config::Tls;
use parking_lot::Mutex;
use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};
use tokio_rustls::TlsAcceptor;

/// Between two looks at the files; only a connection that comes has one taken.
const LOOK: Duration = Duration::from_secs(1);

/// A certificate as its files have it.
pub(super) struct Certificate {
    files: Tls,
    held: Mutex<Held>,
}

struct Held {
    acceptor: TlsAcceptor,
    /// What the files were like when they were last read.
    seen: Seen,
    looked: Instant,
}

/// When each file was changed, and how long it is.
type Seen = [Option<(SystemTime, u64)>; 2];

impl Certificate {
    /// Reads it.
    ///
    /// # Errors
    /// [`NoEndpoint::Tls`].
    pub(super) fn read(files: &Tls) -> Result<Self, NoEndpoint> {
        let seen = seen(files);
        let held = Held { acceptor: acceptor(files)?, seen, looked: Instant::now() };
        Ok(Self { files: files.clone(), held: Mutex::new(held) })
    }

    /// It, as its files have it now.
    pub(super) fn now(&self) -> TlsAcceptor {
        let mut held = self.held.lock();
        if held.looked.elapsed() >= LOOK {
            held.looked = Instant::now();
            let seen = seen(&self.files);
            if seen != held.seen {
                held.seen = seen;
                match acceptor(&self.files) {
                    Ok(acceptor) => {
                        tracing::info!(certificate = %self.files.certificate.display(), "a renewed certificate is in use");
                        held.acceptor = acceptor;
                    }
                    Err(error) => tracing::warn!(%error, "the last certificate stays in use"),
                }
            }
        }
        held.acceptor.clone()
    }
}

fn seen(files: &Tls) -> Seen {
    [&files.certificate, &files.key].map(|path: &std::path::PathBuf| like(path))
}

fn like(path: &Path) -> Option<(SystemTime, u64)> {
    let known = std::fs::metadata(path).ok()?;
    Some((known.modified().ok()?, known.len()))
}

fn acceptor(files: &Tls) -> Result<TlsAcceptor, NoEndpoint> {
    let read = |path: &Path, why: String| NoEndpoint::Tls(format!("{}: {why}", path.display()));
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
