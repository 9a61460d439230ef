//! A transport that takes in no more than its client lets out, and tells the streams when its input ended.
//!
//! Is: a transport of rmcp's, passed through. rmcp begins every request as it comes and keeps every answer until it is
//! read, so a client that only writes would fill the memory of a host that serves others too; here its next message is not
//! read before. And rmcp waits for whatever is unanswered when a client goes, while a stream that listens never ends by
//! itself. It also breaks a connection off that does not begin with a request, as one does whose relay found another host
//! and whose client cancels what it asked the last one; such a notice is dropped. Clauses: SES-2 (stdio), HOST-1 (relay).

use super::streams::Streams;
use super::versions;
use rmcp::RoleServer;
use rmcp::model::{ClientRequest, GetExtensions, GetMeta, JsonRpcMessage, ProtocolVersion};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

/// Requests of one client that are worked on at a time; the next message waits for one of them. Every stream that may
/// be open has room in it.
const REQUESTS: usize = 256;
/// Messages to one client that it has not taken, from which on its next one waits. More can come of what is worked on.
const UNTAKEN: usize = 32;

/// A transport, and who is told once nothing more comes in.
pub(super) struct Input<T> {
    inner: T,
    streams: Arc<Streams>,
    places: Arc<Semaphore>,
    untaken: watch::Sender<usize>,
    /// Whether a request came that rmcp begins with.
    begun: bool,
}

/// Whether rmcp goes on from this request to whatever comes.
fn begins(request: &ClientRequest) -> bool {
    match request {
        ClientRequest::InitializeRequest(_) => true,
        ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => false,
        request => {
            let meta = request.get_meta();
            let known = |version| versions().contains(&version);
            meta.protocol_version().is_some_and(known) && meta.missing_required_keys(&ProtocolVersion::V_2026_07_28).is_empty()
        }
    }
}

/// The place of a request that is worked on: it goes with the request, and is free once that is over, however it ends.
#[derive(Clone)]
struct Place(#[expect(dead_code, reason = "held, never read")] Arc<OwnedSemaphorePermit>);

/// One message on its way out.
struct Leaving(watch::Sender<usize>);

impl Leaving {
    fn begin(untaken: &watch::Sender<usize>) -> Self {
        untaken.send_modify(|count| *count += 1);
        Self(untaken.clone())
    }
}

impl Drop for Leaving {
    fn drop(&mut self) {
        self.0.send_modify(|count| *count -= 1);
    }
}

impl<T> Input<T> {
    pub(super) fn new(inner: T, streams: Arc<Streams>) -> Self {
        Self { inner, streams, places: Arc::new(Semaphore::new(REQUESTS)), untaken: watch::Sender::new(0), begun: false }
    }
}

impl<T: Transport<RoleServer>> Transport<RoleServer> for Input<T> {
    type Error = T::Error;

    fn send(&mut self, item: TxJsonRpcMessage<RoleServer>) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let leaving = Leaving::begin(&self.untaken);
        let sent = self.inner.send(item);
        async move {
            let sent = sent.await;
            drop(leaving);
            sent
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            // Neither fails: both ends are held here.
            let place = self.places.clone().acquire_owned().await.ok();
            self.untaken.subscribe().wait_for(|count| *count < UNTAKEN).await.ok();
            let mut message = self.inner.receive().await;
            match &mut message {
                None => self.streams.end(),
                Some(JsonRpcMessage::Request(request)) => {
                    self.begun |= begins(&request.request);
                    place.map(|place| request.request.extensions_mut().insert(Place(Arc::new(place))));
                }
                Some(_) if !self.begun => continue,
                Some(_) => {}
            }
            return message;
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.inner.close().await
    }
}
