//! How often a principal's sessions may put a question to a person.
//!
//! Is: a window in memory; a restart empties it. Clauses: AUTH-6, AUTH-8.

use agent_core::limits::{ASKS, ASKS_MS};
use agent_core::session::PrincipalId;
use agent_core::time::Instant;
use parking_lot::Mutex;
use std::collections::{BTreeMap, VecDeque};

/// When each principal's last questions were put.
#[derive(Default)]
pub(crate) struct Rates(Mutex<BTreeMap<PrincipalId, VecDeque<Instant>>>);

impl Rates {
    /// Whether another question would be one too many.
    pub(crate) fn exceeded(&self, principal: &PrincipalId, now: Instant) -> bool {
        let mut asked = self.0.lock();
        asked.retain(|_, times| {
            while times.pop_front_if(|time| now.reached(time.after(ASKS_MS))).is_some() {}
            !times.is_empty()
        });
        asked.get(principal).is_some_and(|times| times.len() >= ASKS)
    }

    /// Counts a question that was put.
    pub(crate) fn count(&self, principal: &PrincipalId, now: Instant) {
        self.0.lock().entry(principal.clone()).or_default().push_back(now);
    }
}
