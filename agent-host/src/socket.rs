//! A socket of this user's alone, there for as long as somebody answers.
//!
//! Is: a file of mode 0600, in place of one that a host left there. Is not: who may come in; whoever listens asks the kernel who
//! it is. Clauses: HOST-1 (socket), HOST-3 (socket). Neighbours: `door` and `admin` listen by it.

use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::time::Duration;
use tokio::net::{UnixListener, UnixStream};

/// Between two tries where a connection can't be taken.
const REST: Duration = Duration::from_millis(100);

/// The file of a socket, which goes when this is dropped.
pub(crate) struct Socket(PathBuf);

/// Listens at a path. The caller holds the folder's lock, so a socket found there is nobody's.
///
/// # Errors
/// What the system says, above all where the path is too long for a socket.
pub(crate) fn listen(path: PathBuf) -> io::Result<(UnixListener, Socket)> {
    match std::fs::remove_file(&path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let listener = UnixListener::bind(&path)?;
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600))?;
    Ok((listener, Socket(path)))
}

/// The next connection.
pub(crate) async fn next(listener: &UnixListener) -> UnixStream {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => return stream,
            Err(error) => {
                // Out of descriptors, most likely: they come back.
                tracing::warn!(%error, "a connection could not be taken");
                tokio::time::sleep(REST).await;
            }
        }
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_file(&self.0) {
            tracing::debug!(%error, "a socket was gone already");
        }
    }
}
