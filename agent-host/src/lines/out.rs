//! Lines on their way out, in the order in which they were sent, whoever is slow to take them.
//!
//! Is not: a bound on what waits; who sends looks at [`Out::waiting`], or waits for what was sent. Clauses: UP-1, SES-2 (stdio).

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// Where lines are sent. Dropped, it writes no more: who does not read must not keep a connection.
pub(crate) struct Out {
    /// Gone once nothing more is taken.
    queue: Option<UnboundedSender<Queued>>,
    waiting: Arc<AtomicUsize>,
    writer: JoinHandle<()>,
}

/// A line to be written, and who is told.
type Queued = (Vec<u8>, oneshot::Sender<io::Result<()>>);

/// A line that was sent.
pub(crate) struct Sent(oneshot::Receiver<io::Result<()>>);

impl Out {
    pub(crate) fn new(write: impl AsyncWrite + Send + Unpin + 'static) -> Self {
        let (queue, queued) = mpsc::unbounded_channel();
        let waiting = Arc::<AtomicUsize>::default();
        Self { queue: Some(queue), writer: tokio::spawn(written(write, queued, waiting.clone())), waiting }
    }

    /// Bytes that were sent and are not written yet.
    pub(crate) fn waiting(&self) -> usize {
        self.waiting.load(Ordering::Relaxed)
    }

    /// Queues a line at once.
    pub(crate) fn send(&self, mut line: Vec<u8>) -> Sent {
        line.push(b'\n');
        self.waiting.fetch_add(line.len(), Ordering::Relaxed);
        let (told, done) = oneshot::channel();
        // One that nobody takes any more drops who is told, which says it.
        let _ = self.queue.as_ref().map(|queue| queue.send((line, told)));
        Sent(done)
    }

    /// Takes no more. What was sent is still written.
    pub(crate) fn close(&mut self) {
        self.queue = None;
    }

    /// Writes no more.
    pub(crate) fn end(&self) {
        self.writer.abort();
    }
}

impl Drop for Out {
    fn drop(&mut self) {
        self.end();
    }
}

impl Sent {
    /// Waits until it is written.
    pub(crate) async fn done(&mut self) -> io::Result<()> {
        (&mut self.0).await.unwrap_or_else(|_| Err(io::ErrorKind::BrokenPipe.into()))
    }
}

/// Writes what is queued, line by line, until it can't.
async fn written(mut write: impl AsyncWrite + Unpin, mut queued: UnboundedReceiver<Queued>, waiting: Arc<AtomicUsize>) {
    while let Some((line, told)) = queued.recv().await {
        let done = async {
            write.write_all(&line).await?;
            write.flush().await
        };
        let done = done.await;
        waiting.fetch_sub(line.len(), Ordering::Relaxed);
        let broken = done.is_err();
        // Whoever sent it may be gone.
        let _ = told.send(done);
        if broken {
            return;
        }
    }
}
