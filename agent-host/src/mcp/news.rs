//! Telling a client that what servers have besides tools is another by now.
//!
//! Is: one notice for each kind, to a client that shook hands as it is, to others on each stream that wants it; of one kind once in
//! a second at the most, whatever servers say. Is not: the list of tools (`list`). Clause: UP-6 (prompts, resources). Source: MCP,
//! server/prompts and server/resources, and 2026-07-28, subscriptions/listen.

use super::era::shook_hands;
use super::relayed::Relayed;
use super::streams::Streams;
use crate::upstream::Kind;
use agent_core::id::Alias;
use rmcp::service::SubscriptionSink;
use rmcp::{Peer, RoleServer};
use std::collections::BTreeSet;
use std::time::Duration;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::{RecvError, TryRecvError};
use tokio::time::{sleep, timeout};

/// Between two notices of one client.
const REST: Duration = Duration::from_secs(1);
/// How long a client that does not read may hold up a notice.
const NOTICE: Duration = Duration::from_secs(5);

/// A list that clients are told of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Changed {
    Prompts,
    Resources,
}

/// What servers say that changed, as far as one client may use it.
struct News {
    relayed: Relayed,
    heard: Receiver<(Alias, Kind)>,
}

impl News {
    /// The next that changed. It never comes where nothing is relayed, or everything ends.
    async fn next(&mut self) -> BTreeSet<Changed> {
        loop {
            let mut changed = BTreeSet::new();
            match self.heard.recv().await {
                Ok((alias, kind)) => self.add(&mut changed, &alias, kind),
                Err(RecvError::Lagged(_)) => self.add_all(&mut changed),
                Err(RecvError::Closed) => std::future::pending().await,
            }
            loop {
                match self.heard.try_recv() {
                    Ok((alias, kind)) => self.add(&mut changed, &alias, kind),
                    Err(TryRecvError::Lagged(_)) => self.add_all(&mut changed),
                    Err(_) => break,
                }
            }
            if !changed.is_empty() {
                return changed;
            }
        }
    }

    fn add(&self, changed: &mut BTreeSet<Changed>, alias: &Alias, kind: Kind) {
        if self.relayed.concerns(alias, kind) {
            changed.insert(if kind == Kind::Prompts { Changed::Prompts } else { Changed::Resources });
        }
    }

    /// So much was said that some of it was missed.
    fn add_all(&self, changed: &mut BTreeSet<Changed>) {
        let relays = self.relayed.relays();
        changed.extend(relays.prompts.then_some(Changed::Prompts));
        changed.extend(relays.resources.then_some(Changed::Resources));
    }
}

impl Relayed {
    fn news(&self) -> Option<News> {
        let heard = self.upstreams().as_ref()?.news();
        Some(News { relayed: self.clone(), heard })
    }

    /// Tells a client and its streams of what changes, until it is dropped.
    pub(super) async fn tell(self, peer: Option<&Peer<RoleServer>>, streams: &Streams) {
        let Some(mut news) = self.news() else { return std::future::pending().await };
        loop {
            for changed in news.next().await {
                if let Some(peer) = peer.filter(|peer| shook_hands(peer)) {
                    let told = async {
                        match changed {
                            Changed::Prompts => peer.notify_prompt_list_changed().await,
                            Changed::Resources => peer.notify_resource_list_changed().await,
                        }
                    };
                    if !matches!(timeout(NOTICE, told).await, Ok(Ok(()))) {
                        tracing::debug!("the client could not be told that a list changed");
                    }
                }
                if timeout(NOTICE, streams.tell_of(changed)).await.is_err() {
                    tracing::debug!("a stream could not be told that a list changed");
                }
            }
            sleep(REST).await;
        }
    }

    /// The same for one stream of a client without a session.
    pub(crate) async fn tell_stream(self, stream: &SubscriptionSink) {
        let Some(mut news) = self.news() else { return std::future::pending().await };
        loop {
            for changed in news.next().await {
                changed.tell(stream).await;
            }
            sleep(REST).await;
        }
    }
}

impl Changed {
    /// Tells a stream, if it wants to hear of it.
    pub(super) async fn tell(self, stream: &SubscriptionSink) {
        let (wanted, told) = match self {
            Self::Prompts => (stream.accepted().prompts_list_changed, stream.notify_prompt_list_changed().await),
            Self::Resources => (stream.accepted().resources_list_changed, stream.notify_resource_list_changed().await),
        };
        if let (Some(true), Err(error)) = (wanted, told) {
            tracing::debug!(%error, "a stream could not be told that a list changed");
        }
    }
}
