//! The way to a user's host, whoever started it, and to the next one once it is gone.
//!
//! Is: the session's key, kept in this process alone. Is not: frames. Clauses: HOST-1 (relay), SES-1 (the key).

use super::RelayError;
use super::hello::{Answer, Hello, Welcome};
use super::start::{Fate, Start, Started};
use std::io;
use std::path::PathBuf;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::time::{Instant, sleep, timeout};

/// How long a host has to come up and to answer.
const PATIENCE: Duration = Duration::from_secs(30);
/// Between two knocks.
const KNOCK: Duration = Duration::from_millis(20);
/// How long a host that is gone has to be brought back by whoever looks after it, before one is started.
const RETURN: Duration = Duration::from_secs(1);
/// A host that is lost sooner than this after it was found is looked for later and later.
const SOON: Duration = Duration::from_secs(10);
/// The longest such rest.
const REST: Duration = Duration::from_secs(16);
/// Bytes of the host's first line.
const LINE_BYTES: u64 = 64 * 1024;

/// One client's way to its host.
pub struct Link {
    socket: PathBuf,
    hello: Hello,
    start: Option<Start>,
    tell: fn(&str),
    found: Option<Instant>,
    rest: Duration,
}

/// A connection to a host, after the first words.
pub(super) type Open = (BufReader<OwnedReadHalf>, OwnedWriteHalf);

impl Link {
    /// To the host that listens at a socket. `start` is how one is started where none runs; `tell` tells whoever started
    /// the client.
    #[must_use]
    pub const fn new(socket: PathBuf, hello: Hello, start: Option<Start>, tell: fn(&str)) -> Self {
        Self { socket, hello, start, tell, found: None, rest: Duration::ZERO }
    }

    /// A connection on which frames can go, to a host that runs or was started now. A call given up halfway does no harm.
    ///
    /// # Errors
    /// [`RelayError`].
    pub(super) async fn open(&mut self) -> Result<Open, RelayError> {
        let start_at = self.rested().await;
        let until = Instant::now() + PATIENCE;
        loop {
            let stream = self.reach(start_at, until).await.map_err(RelayError::NoHost)?;
            let (read, mut write) = stream.into_split();
            let mut read = BufReader::new(read);
            match timeout(PATIENCE, greet(&self.hello, &mut read, &mut write)).await {
                Err(_) => return Err(RelayError::NoHost(io::Error::other(format!("it did not answer within {PATIENCE:?}")))),
                Ok(Ok(Answer::Refused(refused))) => return Err(RelayError::Refused(refused)),
                Ok(Ok(Answer::Welcome(welcome))) => {
                    self.welcomed(welcome);
                    return Ok((read, write));
                }
                // It was just ending.
                Ok(Err(error)) if gone(&error) && Instant::now() < until => sleep(KNOCK).await,
                Ok(Err(error)) => return Err(RelayError::NoHost(error)),
            }
        }
    }

    /// Waits before a host is looked for again; says from when on one may be started.
    async fn rested(&mut self) -> Instant {
        let Some(found) = self.found.take() else { return Instant::now() };
        self.rest = if found.elapsed() < SOON { (self.rest * 2).clamp(KNOCK, REST) } else { Duration::ZERO };
        sleep(self.rest).await;
        Instant::now() + RETURN
    }

    fn welcomed(&mut self, welcome: Welcome) {
        self.found = Some(Instant::now());
        let Welcome { version, pid, session, key, told } = welcome;
        if version != self.hello.version {
            let ours = &self.hello.version;
            (self.tell)(&format!(
                "the host is agent-host {version}, this is {ours}; `kill {pid}` ends it, and its clients start a new one"
            ));
        }
        if let Some(key) = key {
            if self.hello.resume.is_some() {
                (self.tell)("the session that was is gone; what it held has to be activated again");
            }
            self.hello.resume = Some((session, key));
        }
        told.iter().for_each(|line| (self.tell)(line));
    }

    /// The socket of a host, which is started if nobody is there.
    async fn reach(&self, mut start_at: Instant, until: Instant) -> io::Result<UnixStream> {
        let mut started: Option<Started> = None;
        loop {
            let error = match UnixStream::connect(&self.socket).await {
                Ok(stream) => return ours(stream),
                Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused) => error,
                Err(error) => return Err(error),
            };
            let Some(start) = &self.start else { return Err(error) };
            match started.as_mut().map(Started::fate).transpose()? {
                Some(Fate::Runs) => {}
                // The other one may be starting, or ending.
                Some(Fate::Another) => {
                    started = None;
                    start_at = Instant::now() + RETURN;
                }
                None if Instant::now() >= start_at => started = Some(start.now()?),
                None => {}
            }
            if Instant::now() > until {
                return Err(io::Error::other(format!("it was not there after {PATIENCE:?}")));
            }
            sleep(KNOCK).await;
        }
    }
}

/// Whether a host went away before it said anything.
fn gone(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::UnexpectedEof | io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset)
}

/// Nobody else may stand in for this user's host.
fn ours(stream: UnixStream) -> io::Result<UnixStream> {
    let (host, us) = (stream.peer_cred()?.uid(), rustix::process::geteuid().as_raw());
    if host == us { Ok(stream) } else { Err(io::Error::other(format!("the one that listens there is user {host}'s"))) }
}

async fn greet(hello: &Hello, read: &mut BufReader<OwnedReadHalf>, write: &mut OwnedWriteHalf) -> io::Result<Answer> {
    let mut line = serde_json::to_vec(hello)?;
    line.push(b'\n');
    write.write_all(&line).await?;
    let mut answer = Vec::new();
    read.take(LINE_BYTES).read_until(b'\n', &mut answer).await?;
    if answer.is_empty() {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(serde_json::from_slice(&answer)?)
}

#[cfg(test)]
mod tests {
    use super::super::DOOR;
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn host_1_a_host_that_is_lost_again_and_again_is_looked_for_later_and_later() {
        let hello = Hello {
            door: DOOR,
            version: "1".to_owned(),
            config: PathBuf::new(),
            profile: None,
            activation: None,
            principal: None,
            name: None,
            resume: None,
        };
        let mut link = Link::new(PathBuf::from("/nowhere"), hello, None, |_| {});
        let mut rests = Vec::new();
        for lived in [Duration::ZERO; 14].into_iter().chain([SOON]) {
            link.found = Some(Instant::now());
            tokio::time::advance(lived).await;
            let before = Instant::now();
            let start_at = link.rested().await;
            assert_eq!(start_at, Instant::now() + RETURN, "whoever looks after a host may bring it back");
            rests.push(before.elapsed());
        }
        let last = rests.pop();
        assert_eq!(rests.first(), Some(&KNOCK));
        assert!(rests.windows(2).all(|two| matches!(two, [one, next] if next == &(*one * 2).min(REST))), "{rests:?}");
        assert_eq!((rests.last(), last), (Some(&REST), Some(Duration::ZERO)), "one that lived is looked for at once");
    }
}
