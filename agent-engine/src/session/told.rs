//! Whether a session's client heard of its last change, as far as whoever serves it knows.
//!
//! Is: what the answer to a revoke says of clients. Is not: a notice, which the adapter sends; nothing that is enforced waits
//! for one. Clause: REV-2.

use super::Cell;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// What became of telling a session's client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Told {
    /// A notice was sent to it. That it was read can't be known.
    Sent,
    /// What it is listed did not change, so there was nothing to tell: its next call is.
    Unlisted,
    /// No connection of it is open: its next call is told.
    Absent,
    /// A notice is on its way, or its connection does not take it. Its next call is told.
    NotYet,
}

/// How many serve the session, and what its client heard of last.
#[derive(Debug, Clone, Copy, Default)]
struct Heard {
    ears: usize,
    set: Option<u64>,
    sent: bool,
}

#[derive(Debug, Default)]
pub(super) struct Hearing(watch::Sender<Heard>);

/// Says that somebody serves the session's client, until it is dropped.
pub struct Ear(Arc<Cell>);

impl Drop for Ear {
    fn drop(&mut self) {
        self.0.hearing.0.send_modify(|heard| heard.ears -= 1);
    }
}

impl Cell {
    /// Says that a connection to its client is served from now on.
    #[must_use]
    pub fn ear(self: &Arc<Self>) -> Ear {
        self.hearing.0.send_modify(|heard| heard.ears += 1);
        Ear(self.clone())
    }

    /// Says that the client knows a version of the set; by a notice, or because nothing that it is listed changed.
    pub fn heard(&self, set: u64, sent: bool) {
        self.hearing.0.send_modify(|heard| {
            let again = heard.set == Some(set);
            if heard.set <= Some(set) {
                (heard.set, heard.sent) = (Some(set), sent || (again && heard.sent));
            }
        });
    }

    /// Whether the client knows of this version of the set; waits for it at most so long, while somebody serves it.
    pub async fn told(&self, set: u64, at_most: Duration) -> Told {
        let mut hearing = self.hearing.0.subscribe();
        let known = hearing.wait_for(|heard| heard.ears == 0 || heard.set >= Some(set));
        match tokio::time::timeout(at_most, known).await {
            Ok(Ok(heard)) if heard.set >= Some(set) => {
                if heard.sent {
                    Told::Sent
                } else {
                    Told::Unlisted
                }
            }
            Ok(_) => Told::Absent,
            Err(_) => Told::NotYet,
        }
    }
}
