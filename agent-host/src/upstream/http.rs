//! The streamable HTTP of one server, below rmcp: each message a POST, its answer JSON or a stream of events.
//!
//! rmcp has such a transport, too. This one is ours for what lies below the types: lists are kept as the bytes that came
//! (`gate`), each failure says what is known of the request (UP-4), a session that was forgotten ends the connection instead
//! of being replaced under calls whose tool was looked at in the old one (I-3), and nothing is sent on by a redirect.
//! Is: order, cancelling, and the end of all of it. Is not: one request (`link`), nor a decision to connect (`server`).
//! Clauses: UP-1 (HTTP), UP-4, UP-5 (HTTP), UP-6 (eras, cancel), CAT-3 (raw listing). Attacks 60, 62.
//!
//! A request is taken at once and runs as a task of its own; all end with the connection. In the legacy era one that is given
//! up is cancelled by a message; in the modern one its stream is closed, which says the same.

mod events;
mod link;
mod outgoing;

pub(super) use link::{Gone, Link};

use super::gate::{Gate, Lists, number};
use super::listeners::Listeners;
use super::stale::Stale;
use super::start_error::StartError;
use super::target::Target;
use agent_core::session::PrincipalId;
use link::Incoming;
use outgoing::Outgoing;
use rmcp::RoleClient;
use rmcp::model::{ClientNotification, ClientRequest, JsonRpcMessage, RequestId, ServerResult};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot};
use tokio::task::{AbortHandle, JoinSet};

/// Messages that wait to be read.
const QUEUE: usize = 16;

/// The transport that rmcp is given.
pub(super) struct Http {
    gate: Gate,
    link: Arc<Link>,
    incoming: mpsc::Receiver<Incoming>,
    tasks: JoinSet<()>,
    /// The requests under way, by id.
    posts: BTreeMap<i64, AbortHandle>,
}

impl Http {
    /// To a server, with its headers as they are now and somebody's login; none is the operator's. Connects to nothing yet.
    ///
    /// # Errors
    /// What of it can't be used, or may not be connected to.
    pub(super) fn new(
        target: &Target,
        login: Option<&PrincipalId>,
        stale: Stale,
        listeners: Listeners,
    ) -> Result<(Self, Lists, Arc<Link>), StartError> {
        let (tell, incoming) = mpsc::channel(QUEUE);
        let link = Arc::new(Link::new(target, login, stale.clone(), tell)?);
        let (gate, lists) = Gate::new(stale, listeners);
        Ok((Self { gate, link: link.clone(), incoming, tasks: JoinSet::new(), posts: BTreeMap::new() }, lists, link))
    }

    /// A request on its way.
    fn ask(&mut self, id: RequestId, message: Outgoing) {
        let link = self.link.clone();
        let key = number(&id);
        let task = self.tasks.spawn(async move { link.ask(id, &message).await });
        self.posts.extend(key.map(|key| (key, task)));
    }

    /// Anything that is not answered, done once the server took it.
    fn tell(&self, message: Outgoing, then: impl FnOnce() + Send + 'static) -> Sending {
        let link = self.link.clone();
        Box::pin(async move {
            // What a lost message of this kind comes to shows in what is asked next.
            if let Err(error) = link.tell(&message).await {
                tracing::debug!(error = %error.message, "a message to a server was not taken");
            }
            then();
            Ok(())
        })
    }
}

impl Transport<RoleClient> for Http {
    type Error = io::Error;

    fn send(&mut self, item: TxJsonRpcMessage<RoleClient>) -> impl Future<Output = io::Result<()>> + Send + 'static {
        self.gate.note(&item);
        while self.tasks.try_join_next().is_some() {}
        let sent = Outgoing::of(&item, &self.link).map(|message| match item {
            JsonRpcMessage::Request(request) => {
                if matches!(request.request, ClientRequest::InitializeRequest(_)) {
                    std::mem::take(&mut self.posts).into_values().for_each(|post| post.abort());
                }
                self.ask(request.id, message);
                None
            }
            JsonRpcMessage::Notification(told) => match told.notification {
                ClientNotification::CancelledNotification(cancelled) => {
                    let post = cancelled.params.request_id.as_ref().and_then(number).and_then(|id| self.posts.remove(&id));
                    let stop = move || post.iter().for_each(AbortHandle::abort);
                    if self.link.is_modern() {
                        stop();
                        return None;
                    }
                    Some(self.tell(message, stop))
                }
                ClientNotification::InitializedNotification(_) => {
                    let (go, told) = oneshot::channel();
                    let link = self.link.clone();
                    self.tasks.spawn(async move {
                        if told.await.is_ok() {
                            link.listen().await;
                        }
                    });
                    let go = || go.send(()).unwrap_or_default();
                    Some(self.tell(message, go))
                }
                _ => Some(self.tell(message, || ())),
            },
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => Some(self.tell(message, || ())),
        });
        async move {
            match sent? {
                Some(sending) => sending.await,
                None => Ok(()),
            }
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        loop {
            let message = match self.incoming.recv().await? {
                Incoming::Text(text, _room) => self.gate.read(text),
                Incoming::End(id, error) => {
                    self.posts.remove(&number(&id)?);
                    self.gate.fail(&id, error)
                }
            };
            if let Some(JsonRpcMessage::Response(answer)) = &message
                && let ServerResult::InitializeResult(greeting) = &answer.result
            {
                self.link.speaks(&greeting.protocol_version);
            }
            if message.is_some() {
                return message;
            }
            // A server that never stops writing must not keep this task from everything else.
            tokio::task::consume_budget().await;
        }
    }

    /// Ends everything under way, and tells the server that its session is over.
    async fn close(&mut self) -> io::Result<()> {
        self.tasks.shutdown().await;
        self.link.forget().await;
        Ok(())
    }
}

type Sending = std::pin::Pin<Box<dyn Future<Output = io::Result<()>> + Send>>;
