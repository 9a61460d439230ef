//! A connection that waits so long, and no longer, for its other end to read.
//!
//! A client that stops reading would keep its answer, and what stands behind it, for ever. Is not: a bound on how long an answer
//! takes to come, nor on a stream on which nothing is said. Clause: SES-4.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

/// How long what is written may lie unread without one byte of it going on.
const UNREAD: Duration = Duration::from_secs(30);

/// A stream whose writes fail once they stood still for so long.
pub(super) struct Patient<S> {
    stream: S,
    /// While a write stands still.
    over: Option<Pin<Box<Sleep>>>,
}

impl<S> Patient<S> {
    pub(super) const fn new(stream: S) -> Self {
        Self { stream, over: None }
    }

    fn within<T>(&mut self, written: Poll<io::Result<T>>, context: &mut Context<'_>) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.over = None;
            return written;
        }
        let over = self.over.get_or_insert_with(|| Box::pin(sleep(UNREAD)));
        match over.as_mut().poll(context) {
            Poll::Pending => Poll::Pending,
            Poll::Ready(()) => Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "its other end does not read"))),
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Patient<S> {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, into)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Patient<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.within(written, context)
    }

    fn poll_write_vectored(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[IoSlice<'_>]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, bytes);
        self.within(written, context)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(context);
        self.within(flushed, context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let shut = Pin::new(&mut self.stream).poll_shutdown(context);
        self.within(shut, context)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};
    use tokio::time::Instant;

    #[tokio::test(start_paused = true)]
    async fn attack_64_what_nobody_reads_is_given_up_and_what_is_read_slowly_is_not() {
        let (ours, mut theirs) = duplex(16);
        let mut patient = Patient::new(ours);
        let reading = async {
            for _ in 0..4 {
                tokio::time::sleep(UNREAD / 2).await;
                theirs.read_exact(&mut [0; 16]).await.unwrap();
            }
        };
        let (written, ()) = tokio::join!(patient.write_all(&[0; 64]), reading);
        written.unwrap();
        patient.write_all(&[0; 16]).await.unwrap();
        let since = Instant::now();
        assert_eq!(patient.write_all(&[0; 1]).await.unwrap_err().kind(), io::ErrorKind::TimedOut);
        assert_eq!(since.elapsed().as_secs(), UNREAD.as_secs());
    }
}
