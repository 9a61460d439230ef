//! Hearing, in the modern era, that a list of a server's changed: a subscription, asked for again wherever it ends.
//!
//! Is not: what is done about it (`line`). Clauses: CAT-6 (notices), UP-6 (eras).

use super::backoff::Rests;
use super::stale::Stale;
use rmcp::model::{ProtocolVersion, SubscriptionFilter};
use rmcp::service::Subscription;
use rmcp::{Peer, RoleClient};
use std::time::Duration;
use tokio::task::JoinHandle;
use tokio::time::Instant;

/// How long a server has to take a subscription; without one its list is read once.
const LISTEN: Duration = Duration::from_secs(5);
/// The first rest before a subscription that ended is asked for again.
const REST: Duration = Duration::from_secs(5);

/// In the modern era a server says that a list changed only to whom it was asked by: asked before the list is read, so
/// that no change falls in between.
pub(super) async fn follow(peer: &Peer<RoleClient>, stale: &Stale) -> Option<Following> {
    let info = peer.peer_info().filter(|info| info.protocol_version >= ProtocolVersion::V_2026_07_28)?;
    let filter = stale.news.filter(&info.capabilities)?;
    let told = subscribe(peer, &filter).await?;
    Some(Following(tokio::spawn(keep_following(peer.clone(), stale.clone(), filter, told))))
}

async fn subscribe(peer: &Peer<RoleClient>, filter: &SubscriptionFilter) -> Option<Subscription> {
    tokio::time::timeout(LISTEN, peer.listen(filter.clone())).await.ok()?.ok()
}

/// What is told is heard at the wire. Where it ends, whatever would have been told is read before the next call, and it is
/// asked for again: a proxy on the way ends what is silent for long.
async fn keep_following(peer: Peer<RoleClient>, stale: Stale, filter: SubscriptionFilter, first: Subscription) {
    let (mut told, mut rests) = (Some(first), Rests::from(REST));
    loop {
        let since = Instant::now();
        if let Some(mut told) = told {
            while let Ok(Some(_)) = told.next().await {}
            stale.mark();
        }
        tokio::time::sleep(rests.after(since.elapsed())).await;
        told = subscribe(&peer, &filter).await;
        if told.is_some() {
            stale.mark();
            stale.news.missed();
        }
    }
}

/// A task that ends with its connection.
pub(super) struct Following(JoinHandle<()>);

impl Drop for Following {
    fn drop(&mut self) {
        self.0.abort();
    }
}
