//! Where a user's clients come in: a socket in the state folder, a session for each connection.
//!
//! Is: who connects (asked of the kernel), which session that is, and MCP on the rest of the stream. Is not: a decision
//! about any tool. A client that goes away ends its session; a host that goes away doesn't, so that its relay can take it
//! up again by the key. Clauses: HOST-1 (socket), SES-1, SES-2 (stdio). Neighbours: `relay` is the other end, `client` serves.

mod enter;
mod here;

#[cfg(test)]
mod tests;

use crate::client::{Client, Clients};
use crate::mcp;
use crate::relay::{Refused, Welcome};
use crate::socket::{Socket, listen, next};
use agent_core::session::SessionId;
use enter::enter;
use here::Here;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::timeout;

/// Clients served at a time.
const CLIENTS: usize = 256;
/// How long a client has for its first line.
const HELLO: Duration = Duration::from_secs(10);
/// Bytes of a client's first line.
const HELLO_BYTES: u64 = 64 * 1024;
/// How long a session that was there before this host waits for its client.
const GRACE: Duration = Duration::from_secs(60);

/// Where a state folder's host takes clients.
#[must_use]
pub fn socket(state: &Path) -> PathBuf {
    state.join("client.sock")
}

/// By what a client's configuration and its host's are known to be the same file.
#[must_use]
pub fn identity(config: &Path) -> PathBuf {
    std::fs::canonicalize(config).unwrap_or_else(|_| config.to_owned())
}

/// A socket that takes clients until it is dropped.
pub struct Door {
    _socket: Socket,
    task: JoinHandle<()>,
    clients: watch::Receiver<usize>,
}

impl Door {
    /// Listens in a state folder. The caller holds the folder's lock, so a socket found there is nobody's.
    ///
    /// # Errors
    /// What the system says, above all where the folder's path is too long for a socket.
    pub fn open(state: &Path, clients: Clients) -> io::Result<Self> {
        let (listener, socket) = listen(socket(state))?;
        let here = Here::new();
        let count = here.count();
        Ok(Self { _socket: socket, task: tokio::spawn(accept(listener, clients, here)), clients: count })
    }

    /// How many clients there are, as it changes.
    #[must_use]
    pub fn clients(&self) -> watch::Receiver<usize> {
        self.clients.clone()
    }
}

impl Drop for Door {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn accept(listener: UnixListener, clients: Clients, here: Here) {
    let places = Arc::new(Semaphore::new(CLIENTS));
    // Those who are served end with this task.
    let mut served = JoinSet::new();
    served.spawn(orphans(clients.clone(), here.clone()));
    while let Ok(place) = places.clone().acquire_owned().await {
        while served.try_join_next().is_some() {}
        let stream = next(&listener).await;
        let (clients, here) = (clients.clone(), here.clone());
        served.spawn(async move {
            if let Err(error) = client(stream, &clients, &here).await {
                tracing::debug!(%error, "a client's connection broke off");
            }
            drop(place);
        });
    }
}

/// Ends the sessions whose clients did not come back.
async fn orphans(clients: Clients, here: Here) {
    let mut before = clients.desk.sessions();
    // Those of clients over HTTP are not waited for here.
    before.retain(|session| session.state().credential.is_none());
    tokio::time::sleep(GRACE).await;
    for session in before.iter().filter(|session| !here.holds(session.asker().session)) {
        clients.close(session).await;
    }
}

async fn client(stream: UnixStream, clients: &Clients, here: &Here) -> io::Result<()> {
    let _counted = here.counted();
    let uid = stream.peer_cred()?.uid();
    let (read, mut write) = stream.into_split();
    let mut read = BufReader::new(read);
    let mut line = Vec::new();
    timeout(HELLO, (&mut read).take(HELLO_BYTES).read_until(b'\n', &mut line)).await??;
    match enter(clients, uid, &line).await {
        Err(refused) => say(&mut write, &refused).await,
        Ok(client) => serve(clients, here, client, read, write).await,
    }
}

async fn serve(
    clients: &Clients,
    here: &Here,
    client: Client,
    read: BufReader<OwnedReadHalf>,
    mut write: OwnedWriteHalf,
) -> io::Result<()> {
    let Client { connection, key, told } = client;
    let session = connection.session.clone();
    let id = session.asker().session;
    let Some(_taken) = here.take(id) else {
        return say(&mut write, &refused("another client is in this session", "start without its key")).await;
    };
    let served = async {
        say(&mut write, &welcome(id, key.map(|key| key.reveal()), told)).await?;
        mcp::serve(connection, (read, write)).await.map_err(io::Error::other)
    };
    let served = served.await;
    clients.close(&session).await;
    served
}

fn welcome(session: SessionId, key: Option<String>, told: Vec<String>) -> Welcome {
    Welcome { version: env!("CARGO_PKG_VERSION").to_owned(), pid: std::process::id(), session, key, told }
}

fn refused(what: impl Into<String>, hint: impl Into<String>) -> Refused {
    Refused { refused: what.into(), hint: hint.into() }
}

async fn say(write: &mut OwnedWriteHalf, what: &impl serde::Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(what)?;
    line.push(b'\n');
    timeout(HELLO, write.write_all(&line)).await?
}
