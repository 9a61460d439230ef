//! The client's end of a shared host: what `agent-host serve` is where one host serves every client of a user.
//!
//! Is: frames carried between a client's stdio and the host's socket, and a host that went away found or started again
//! behind the client's back. Is not: a reader of what the frames say; it looks at ids, at which are requests, and at the
//! handshake. Nothing is decided here. Clause: HOST-1 (relay). Neighbours: `door` is the other end, `app` starts the host.

mod frames;
mod hello;
mod link;
mod start;

#[cfg(test)]
mod tests;

pub use hello::{DOOR, Hello, Refused, Welcome};
pub use link::Link;
pub use start::Start;

use crate::lines::{Line, Lines};
use crate::refusal::too_long;
use frames::Frames;
use parking_lot::Mutex;
use std::io;
use std::pin::pin;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};

/// How long a host has to end a session whose client is gone.
const FAREWELL: Duration = Duration::from_secs(2);

/// How long a client that can't be served has to say what it wants.
const FIRST: Duration = Duration::from_secs(1);

/// Why a relay ended before its client did.
#[derive(Debug, thiserror::Error)]
pub enum RelayError {
    /// No host could be reached, nor started.
    #[error("no host could be reached: {0}")]
    NoHost(io::Error),
    /// The host would not serve this client.
    #[error("{}\nhint: {}", .0.refused, .0.hint)]
    Refused(Refused),
    /// The client's output can't be written to.
    #[error("the client can't be written to: {0}")]
    Client(#[from] io::Error),
}

/// Carries a client's frames until its input ends, to one host after the other.
///
/// # Errors
/// [`RelayError`]; the client sees its output end.
pub async fn relay(mut link: Link, input: impl AsyncRead + Unpin, mut output: impl AsyncWrite + Unpin) -> Result<(), RelayError> {
    let mut client = Client { input: Lines::new(input), early: None };
    let frames = Mutex::new(Frames::default());
    while let Some(opened) = client.while_there(link.open()).await {
        let (from, mut to) = match opened {
            Ok(open) => open,
            Err(error) => {
                client.told_why(&frames, &mut output, &error.to_string()).await?;
                return Err(error);
            }
        };
        let mut from = Lines::new(from);
        if carried(&frames, &mut client, &mut to, &mut from, &mut output).await? {
            return Ok(());
        }
        tracing::warn!("the host is gone; looking for it");
        let lost = frames.lock().lost();
        for line in lost {
            write(&mut output, line.into_bytes()).await?;
        }
    }
    Ok(())
}

/// Tells a client that can't be served at all why, as the answer to what it asks first.
///
/// # Errors
/// It can't be written to.
pub async fn excuse(input: impl AsyncRead + Unpin, mut output: impl AsyncWrite + Unpin, why: &str) -> io::Result<()> {
    let mut client = Client { input: Lines::new(input), early: None };
    client.told_why(&Mutex::default(), &mut output, why).await
}

/// Carries frames both ways until one side is gone; whether that was the client.
async fn carried(
    frames: &Mutex<Frames>,
    client: &mut Client<impl AsyncRead + Unpin>,
    to: &mut (impl AsyncWrite + Unpin),
    from: &mut Lines<impl AsyncRead + Unpin>,
    output: &mut (impl AsyncWrite + Unpin),
) -> io::Result<bool> {
    let (refuse, refused) = mpsc::unbounded_channel();
    let mut down = pin!(down(frames, from, refused, output));
    tokio::select! {
        () = up(frames, client, to, &refuse) => {
            to.shutdown().await.unwrap_or_else(|error| tracing::debug!(%error, "the host was gone already"));
            // It has nothing more to say that anybody waits for.
            let _ = tokio::time::timeout(FAREWELL, down).await;
            Ok(true)
        }
        lost = &mut down => lost.map(|()| false),
    }
}

/// The client's input.
struct Client<R> {
    input: Lines<R>,
    /// A line that came while no host was there.
    early: Option<Line>,
}

impl<R: AsyncRead + Unpin> Client<R> {
    async fn next(&mut self) -> Option<Line> {
        match self.early.take() {
            Some(line) => Some(line),
            None => self.input.next().await,
        }
    }

    /// Whoever waits is told why there is no answer: many clients show that, and no standard error.
    async fn told_why(&mut self, frames: &Mutex<Frames>, output: &mut (impl AsyncWrite + Unpin), why: &str) -> io::Result<()> {
        if let Ok(Some(Line::Whole(line))) = tokio::time::timeout(FIRST, self.next()).await {
            frames.lock().client_wrote(&line);
        }
        let unserved = frames.lock().unserved(why);
        for line in unserved {
            write(output, line.into_bytes()).await?;
        }
        Ok(())
    }

    /// Does some work, unless the client ends.
    async fn while_there<T>(&mut self, work: impl Future<Output = T>) -> Option<T> {
        let mut work = pin!(work);
        while self.early.is_none() {
            tokio::select! {
                done = &mut work => return Some(done),
                line = self.input.next() => self.early = Some(line?),
            }
        }
        Some(work.await)
    }
}

/// Client to host, until the client's input ends. Where the host can't be written to, its other direction says so.
async fn up(
    frames: &Mutex<Frames>,
    client: &mut Client<impl AsyncRead + Unpin>,
    to: &mut (impl AsyncWrite + Unpin),
    refuse: &UnboundedSender<String>,
) {
    let again = frames.lock().again();
    let all = async {
        for line in again {
            write(to, line).await?;
        }
        while let Some(line) = client.next().await {
            let line = match line {
                Line::Whole(line) => line,
                Line::TooLong(dropped) => {
                    tracing::warn!("the client wrote a line too long to be a message, which was dropped");
                    // The other direction is there as long as this is.
                    let _ = dropped.request.map(|id| refuse.send(too_long(&id)));
                    continue;
                }
            };
            let passes = frames.lock().client_wrote(&line);
            if passes {
                write(to, line).await?;
            }
        }
        io::Result::Ok(())
    };
    if all.await.is_err() {
        std::future::pending::<()>().await;
    }
}

/// Host to client, and what is refused here, until the host is gone.
async fn down(
    frames: &Mutex<Frames>,
    from: &mut Lines<impl AsyncRead + Unpin>,
    mut refused: UnboundedReceiver<String>,
    output: &mut (impl AsyncWrite + Unpin),
) -> io::Result<()> {
    loop {
        tokio::select! {
            line = from.next() => match line {
                None => return Ok(()),
                Some(Line::TooLong(_)) => {}
                Some(Line::Whole(line)) => {
                    let passes = frames.lock().host_wrote(&line);
                    if passes {
                        write(output, line).await?;
                    }
                }
            },
            Some(line) = refused.recv() => write(output, line.into_bytes()).await?,
        }
    }
}

async fn write(out: &mut (impl AsyncWrite + Unpin), mut line: Vec<u8>) -> io::Result<()> {
    line.push(b'\n');
    out.write_all(&line).await?;
    out.flush().await
}
