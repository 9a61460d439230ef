//! The steps of a running call, relayed to the client that asked for them.
//!
//! Is: the client's own token, numbers that only grow, nothing after the answer. Is not: part of the call: a client that
//! does not read its notices loses them, and the call goes on. Clause: UP-6 (progress). Source: MCP specification,
//! basic/utilities/progress.

use agent_engine::call::{Progress, Step, Steps};
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::{Peer, RoleServer};
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::time::timeout;

/// How long a client that does not read may hold up an answer.
const NOTICE: Duration = Duration::from_secs(5);

/// Runs a call, and tells the client its steps where it gave a token. Returns once the last of them was told.
pub(super) async fn relayed<F: Future>(heard: Option<(&Peer<RoleServer>, ProgressToken)>, call: impl FnOnce(Progress) -> F) -> F::Output {
    let Some((peer, token)) = heard else { return call(Progress::none()).await };
    let (progress, steps) = Progress::heard();
    let (end, ended) = oneshot::channel::<()>();
    let call = async {
        let output = call(progress).await;
        drop(end);
        output
    };
    tokio::join!(call, Relay { peer, token, last: f64::NEG_INFINITY }.run(steps, ended)).0
}

struct Relay<'a> {
    peer: &'a Peer<RoleServer>,
    token: ProgressToken,
    /// The number told last.
    last: f64,
}

impl Relay<'_> {
    /// Relays until the call ended and what was told by then is relayed, or until the client stopped reading.
    async fn run(mut self, mut steps: Steps, mut ended: oneshot::Receiver<()>) {
        loop {
            let step = tokio::select! {
                biased;
                Some(step) = steps.next() => step,
                _ = &mut ended => break,
            };
            if !self.tell(step).await {
                return;
            }
        }
        while let Some(step) = steps.told() {
            if !self.tell(step).await {
                return;
            }
        }
    }

    /// Tells one step, unless the client was told of one as far: a second start of a call begins anew. False where the client
    /// can't be told any more.
    async fn tell(&mut self, step: Step) -> bool {
        if step.progress <= self.last {
            return true;
        }
        self.last = step.progress;
        let mut notice = ProgressNotificationParam::new(self.token.clone(), step.progress);
        notice.total = step.total;
        notice.message = step.message;
        let told = matches!(timeout(NOTICE, self.peer.notify_progress(notice)).await, Ok(Ok(())));
        if !told {
            tracing::debug!("the client could not be told how far a call is");
        }
        told
    }
}
