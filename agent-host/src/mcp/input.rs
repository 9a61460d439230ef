//! A transport that tells the streams when its input ended.
//!
//! Is: a transport of rmcp's, passed through. rmcp waits for whatever is unanswered when a client goes, and a stream that
//! listens never ends by itself. Clause: SES-2 (stdio).

use super::streams::Streams;
use rmcp::RoleServer;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use std::sync::Arc;

/// A transport, and who is told once nothing more comes in.
pub(super) struct Input<T> {
    pub(super) inner: T,
    pub(super) streams: Arc<Streams>,
}

impl<T: Transport<RoleServer>> Transport<RoleServer> for Input<T> {
    type Error = T::Error;

    fn send(&mut self, item: TxJsonRpcMessage<RoleServer>) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.inner.send(item)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        let message = self.inner.receive().await;
        if message.is_none() {
            self.streams.end();
        }
        message
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.inner.close().await
    }
}
