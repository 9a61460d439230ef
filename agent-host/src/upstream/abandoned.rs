//! What is told to a server when nobody waits for an answer of its any more.
//!
//! Is: a value that tells it once it is dropped, unless an answer came. Is not: the waiting. Clauses: UP-6 (cancel), GATE-6.
//! Source: MCP specification, basic/utilities/cancellation.

use super::calls::Calls;
use rmcp::model::{CancelledNotificationParam, RequestId};
use rmcp::{Peer, RoleClient};
use std::sync::Arc;

/// Tells the server that nobody waits any more, unless an answer came.
pub(super) struct Abandoned {
    asked: Option<Open>,
    pub(super) why: &'static str,
}

/// What may have to be given up.
enum Open {
    Request(Peer<RoleClient>, RequestId),
    Call(Arc<Calls>, i64),
}

impl Abandoned {
    pub(super) const fn new(peer: Peer<RoleClient>, id: RequestId, why: &'static str) -> Self {
        Self { asked: Some(Open::Request(peer, id)), why }
    }

    pub(super) const fn of_call(calls: Arc<Calls>, id: i64) -> Self {
        Self { asked: Some(Open::Call(calls, id)), why: "the caller went away" }
    }

    /// An answer came.
    pub(super) fn answered(&mut self) {
        self.asked = None;
    }
}

impl Drop for Abandoned {
    fn drop(&mut self) {
        match (self.asked.take(), tokio::runtime::Handle::try_current()) {
            (Some(Open::Call(calls, id)), _) => calls.give_up(id, self.why),
            (Some(Open::Request(peer, id)), Ok(runtime)) => {
                let why = self.why.to_owned();
                runtime.spawn(async move { peer.notify_cancelled(CancelledNotificationParam::new(Some(id), Some(why))).await });
            }
            _ => {}
        }
    }
}
