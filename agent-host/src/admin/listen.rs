//! The host's end of the socket.
//!
//! Is: a file of mode 0600 in a folder of mode 0700, and the peer's user asked of the kernel besides. Is not: proof of a
//! person; whatever runs as the same user can ask. Clauses: HOST-3 (socket).

use super::operator::Operator;
use super::{LINE, Office, REQUEST_BYTES, ROOM, Request, Response, handle, misshapen};
use crate::socket::{Socket, listen, next};
use agent_core::safety::echo;
use agent_engine::inquiry::Attending;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use zeroize::Zeroizing;

/// Operators served at a time.
const OPERATORS: usize = 16;

/// Where a state folder's host listens.
#[must_use]
pub fn socket(state: &Path) -> PathBuf {
    state.join("operator.sock")
}

/// A socket that answers operators until it is dropped.
pub struct Listener {
    _socket: Socket,
    _attending: Attending,
    task: JoinHandle<()>,
}

impl Listener {
    /// Listens in a state folder. The caller holds the folder's lock, so a socket found there is nobody's.
    ///
    /// # Errors
    /// What the system says, above all where the folder's path is too long for a socket.
    pub fn open(state: &Path, office: Office) -> io::Result<Self> {
        let (listener, socket) = listen(socket(state))?;
        Ok(Self { _socket: socket, _attending: office.attend(), task: tokio::spawn(accept(listener, office)) })
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn accept(listener: UnixListener, office: Office) {
    let places = Arc::new(Semaphore::new(OPERATORS));
    while let Ok(place) = places.clone().acquire_owned().await {
        let (stream, office) = (next(&listener).await, office.clone());
        tokio::spawn(async move {
            if let Err(error) = serve(stream, &office).await {
                tracing::debug!(%error, "an operator's connection broke off");
            }
            drop(place);
        });
    }
}

async fn serve(stream: UnixStream, office: &Office) -> io::Result<()> {
    let uid = stream.peer_cred()?.uid();
    let (read, mut write) = stream.into_split();
    let response = if office.users.admits(uid) {
        match parse(&timeout(LINE, line(read)).await??) {
            Ok(request) => handle(office, &Operator::local(office.users, uid), request).await,
            Err(failed) => failed,
        }
    } else {
        failed(format!("user {uid} is not the operator of this host"), "ask as the user who runs it")
    };
    let mut line = serde_json::to_vec(&response)?;
    line.push(b'\n');
    timeout(LINE, write.write_all(&line)).await??;
    timeout(LINE, write.shutdown()).await?
}

/// One line, or as much as shows that it is too long. It may hold a passphrase: one that does fits into the first room, so
/// it is in one place, and wiped.
async fn line(read: impl AsyncRead + Unpin) -> io::Result<Zeroizing<Vec<u8>>> {
    let mut line = Zeroizing::new(Vec::with_capacity(ROOM));
    let mut read = read.take(REQUEST_BYTES as u64 + 1);
    loop {
        let before = line.len();
        if read.read_buf(&mut *line).await? == 0 {
            return Ok(line);
        }
        if let Some(end) = line.iter().skip(before).position(|byte| *byte == b'\n') {
            line.truncate(before + end + 1);
            return Ok(line);
        }
    }
}

fn parse(line: &[u8]) -> Result<Request, Response> {
    if line.len() > REQUEST_BYTES {
        return Err(failed(format!("a request has at most {REQUEST_BYTES} bytes"), "send one line of JSON"));
    }
    if let Some(why) = misshapen(line) {
        return Err(failed(format!("not a request: {why}"), "send one line of JSON"));
    }
    serde_json::from_slice(line).map_err(|error| failed(format!("not a request: {}", echo(&error.to_string())), "send one line of JSON"))
}

fn failed(what: String, hint: &str) -> Response {
    Response::Failed { what, hint: hint.to_owned() }
}
