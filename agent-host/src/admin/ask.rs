//! The operator's end of the socket.

use super::{LINE, RESPONSE_BYTES, ROOM, Request, Response, socket};
use std::io;
use std::path::Path;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::UnixStream;
use tokio::time::timeout;
use zeroize::Zeroizing;

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum Unanswered {
    /// No host listens in the state folder.
    #[error("no host runs on this state folder")]
    NoHost,
    /// One does, and did not answer as it should. What was asked may have been done.
    #[error("the running host did not answer: {0}")]
    Broken(io::Error),
}

/// Asks the host of a state folder.
///
/// # Errors
/// [`Unanswered`].
pub async fn ask(state: &Path, request: &Request) -> Result<Response, Unanswered> {
    let stream = UnixStream::connect(socket(state)).await.map_err(|error| match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused => Unanswered::NoHost,
        _ => Unanswered::Broken(error),
    })?;
    exchange(stream, request).await.map_err(Unanswered::Broken)
}

async fn exchange(stream: UnixStream, request: &Request) -> io::Result<Response> {
    let (read, mut write) = stream.into_split();
    // It may hold a passphrase, so it is wiped.
    let mut line = Zeroizing::new(Vec::with_capacity(ROOM));
    serde_json::to_writer(&mut *line, request)?;
    line.push(b'\n');
    timeout(LINE, write.write_all(&line)).await??;
    let mut answer = Vec::new();
    timeout(LINE, BufReader::new(read.take(RESPONSE_BYTES as u64)).read_until(b'\n', &mut answer)).await??;
    Ok(serde_json::from_slice(&answer)?)
}
