//! Lines on their way out, in the order in which they were sent, whoever is slow to take them.
//!
//! A line goes out where it is sent, as far as its reader takes it there and then: nobody else has to wake up for it. What is left
//! is written by a task. Is not: a bound on what waits; who sends looks at [`Out::waiting`], or waits for what was sent.
//! Clauses: UP-1, SES-2 (stdio).

use parking_lot::Mutex;
use std::collections::VecDeque;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker, ready};
use tokio::io::AsyncWrite;
use tokio::sync::{Notify, oneshot};
use tokio::task::JoinHandle;

/// Lines that one system call takes at the most.
const TOGETHER: usize = 64;

/// Where lines are sent. Dropped, it writes no more: who does not read must not keep a connection.
pub(crate) struct Out {
    shared: Arc<Shared>,
    writer: JoinHandle<()>,
}

/// A line that was sent.
pub(crate) struct Sent(Result<(), oneshot::Receiver<io::Result<()>>>);

#[derive(Default)]
struct Shared {
    queue: Mutex<Queue>,
    left: Notify,
}

#[derive(Default)]
struct Queue {
    /// Gone once nothing more can be written.
    write: Option<Box<dyn AsyncWrite + Send + Unpin>>,
    lines: VecDeque<(Vec<u8>, oneshot::Sender<io::Result<()>>)>,
    /// How much of the first line is written.
    begun: usize,
    /// Bytes that are not written.
    bytes: usize,
    /// Whether nothing more is taken.
    closed: bool,
}

impl Out {
    pub(crate) fn new(write: impl AsyncWrite + Send + Unpin + 'static) -> Self {
        let shared = Arc::new(Shared::default());
        shared.queue.lock().write = Some(Box::new(write));
        Self { writer: tokio::spawn(written(shared.clone())), shared }
    }

    /// Bytes that were sent and are not written yet.
    pub(crate) fn waiting(&self) -> usize {
        self.shared.queue.lock().bytes
    }

    /// Sends a line: it is written, or queued at once.
    pub(crate) fn send(&self, mut line: Vec<u8>) -> Sent {
        line.push(b'\n');
        let (told, mut done) = oneshot::channel();
        let mut queue = self.shared.queue.lock();
        if queue.closed {
            // Who is told is dropped, which says it.
            return Sent(Err(done));
        }
        queue.bytes += line.len();
        queue.lines.push_back((line, told));
        if queue.lines.len() > 1 {
            return Sent(Err(done));
        }
        if queue.written(&mut Context::from_waker(Waker::noop())).is_pending() {
            drop(queue);
            self.shared.left.notify_one();
            return Sent(Err(done));
        }
        match done.try_recv() {
            Ok(Ok(())) => Sent(Ok(())),
            _ => Sent(Err(done)),
        }
    }

    /// Takes no more. What was sent is still written.
    pub(crate) fn close(&self) {
        self.shared.queue.lock().closed = true;
        self.shared.left.notify_one();
    }

    /// Writes no more.
    pub(crate) fn end(&self) {
        self.writer.abort();
        self.shared.queue.lock().end();
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
        match &mut self.0 {
            Ok(()) => Ok(()),
            Err(done) => done.await.unwrap_or_else(|_| Err(io::ErrorKind::BrokenPipe.into())),
        }
    }
}

impl Queue {
    /// Writes what is queued, until nothing is or it can't; whoever sent a line is told. Several lines go together.
    fn written(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let done = ready!(self.write_all(context));
        if let Err(error) = done {
            tracing::debug!(%error, "lines could not be written");
            if let Some((_, told)) = self.lines.pop_front() {
                let _ = told.send(Err(error));
            }
            self.end();
        }
        Poll::Ready(())
    }

    fn write_all(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let Some(write) = &mut self.write else { return Poll::Ready(Err(io::ErrorKind::BrokenPipe.into())) };
        while self.bytes > 0 {
            let rests = self.lines.iter().enumerate().map(|(at, (line, _))| line.get(if at == 0 { self.begun } else { 0 }..));
            let slices: Vec<_> = rests.take(TOGETHER).flatten().map(IoSlice::new).collect();
            let mut count = ready!(Pin::new(&mut *write).poll_write_vectored(context, &slices))?;
            if count == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.bytes = self.bytes.saturating_sub(count);
            count += self.begun;
            // The last line stays until it is out of the writer's own hands.
            while self.lines.len() > 1 && self.lines.front().is_some_and(|(line, _)| line.len() <= count) {
                if let Some((line, told)) = self.lines.pop_front() {
                    count -= line.len();
                    // Whoever sent it may be gone.
                    let _ = told.send(Ok(()));
                }
            }
            self.begun = count;
        }
        ready!(Pin::new(&mut *write).poll_flush(context))?;
        self.begun = 0;
        self.lines.drain(..).for_each(|(_, told)| told.send(Ok(())).unwrap_or_default());
        Poll::Ready(Ok(()))
    }

    fn end(&mut self) {
        *self = Self { closed: true, ..Self::default() };
    }
}

/// Writes what was left, whenever something is, until nothing more comes or it can't.
async fn written(shared: Arc<Shared>) {
    loop {
        std::future::poll_fn(|context| {
            let mut queue = shared.queue.lock();
            if queue.lines.is_empty() { Poll::Ready(()) } else { queue.written(context) }
        })
        .await;
        {
            let mut queue = shared.queue.lock();
            if queue.closed && queue.lines.is_empty() {
                return queue.end();
            }
        }
        shared.left.notified().await;
    }
}
