//! Who listens to the progress of one connection's calls, by the token that each call was sent with.
//!
//! Is not: a clock; no step of a server's keeps a call alive (UP-4). A step without a listener is dropped, and so is one
//! that comes after its call ended. Clause: UP-6 (progress).

use agent_engine::call::Progress;
use parking_lot::Mutex;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use std::collections::HashMap;
use std::sync::Arc;

/// The listeners of one connection.
#[derive(Clone, Default)]
pub(super) struct Listeners(Arc<Mutex<HashMap<ProgressToken, Progress>>>);

/// One call that is listened to, as long as this is held.
pub(super) struct Listening {
    listeners: Listeners,
    token: ProgressToken,
}

impl Listeners {
    /// Lets `progress` hear the call of this token, if anybody listens at its other end.
    pub(super) fn listen(&self, token: &ProgressToken, progress: Progress) -> Option<Listening> {
        progress.is_heard().then(|| {
            self.0.lock().insert(token.clone(), progress);
            Listening { listeners: self.clone(), token: token.clone() }
        })
    }

    /// Tells a server's step to exactly the call that it names.
    pub(super) fn tell(&self, step: &ProgressNotificationParam) {
        let progress = self.0.lock().get(&step.progress_token).cloned();
        if let Some(progress) = progress {
            progress.tell(step.progress, step.total, step.message.as_deref());
        }
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.listeners.0.lock().remove(&self.token);
    }
}
