//! Grants: made from a confirmation alone.
//!
//! Is not: a record; those are plain values in core, without power. Clause: ACT-4. Invariant: I-1.

use crate::authority::{Allowed, Confirmation};
use agent_core::grant::GrantRecord;
use agent_core::limits::GRANT_MS;
use agent_core::session::RequestId;
use agent_core::time::Instant;

/// One grant, not yet in effect. Only a session can put it there, by recording it.
#[derive(Debug)]
pub struct Grant(GrantRecord);

impl Grant {
    /// What will be recorded of it.
    #[must_use]
    pub const fn record(&self) -> &GrantRecord {
        &self.0
    }

    pub(crate) fn into_record(self) -> GrantRecord {
        self.0
    }
}

/// Issues the grants of one confirmed batch, each with the end its rule gives it. Without one a preset ends with its
/// session, any other after 12 h; nothing but a preset lasts longer.
// INVARIANT: I-1
#[must_use]
pub fn issue(confirmation: Confirmation, request: RequestId, preset: bool, now: Instant) -> Vec<Grant> {
    let grant = |Allowed { bound, by, ttl, max_calls }: Allowed| {
        let lasts = ttl.map(|ttl| ttl.ms().min(GRANT_MS)).or((!preset).then_some(GRANT_MS));
        Grant(GrantRecord { bound, request, by, end: lasts.map(|ms| now.after(ms)), max_calls, preset })
    };
    confirmation.into_batch().into_iter().map(grant).collect()
}

/// Whether a grant has come to its end; also where the wall clock stands before the session's last record after a
/// reboot, since then nothing can be known of the time between.
#[must_use]
pub fn expired(grant: &GrantRecord, last: Option<Instant>, now: Instant) -> bool {
    grant.end.is_some_and(|end| now.reached(end) || last.is_some_and(|last| now.went_back(last)))
}
