//! Notes that don't drown the chain: the same refusal over and over is one record with a count.
//!
//! Is: a window over the ledger's `note`. Is not: for anything that changes a state but the end of a call. Clause: AUD-1.

use super::{Ledger, Note};
use agent_core::refusal::Refusal;
use agent_core::safety::echo;
use agent_core::time::Instant;
use agent_core::transition::{Stream, Transition};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;

/// How long the same refusal is counted before its count is recorded, in milliseconds.
const WINDOW_MS: u64 = 10_000;
/// Refusals told apart at one time; past it all are counted as one per stream.
const KINDS: usize = 1024;

type Kind = (Stream, &'static str, String);

/// The host's notes.
pub struct Notes {
    ledger: Arc<dyn Ledger>,
    floods: Mutex<BTreeMap<Kind, (Instant, u64)>>,
}

impl Notes {
    /// Notes on a ledger.
    #[must_use]
    pub fn new(ledger: Arc<dyn Ledger>) -> Self {
        Self { ledger, floods: Mutex::default() }
    }

    /// Records an event at once.
    pub fn note(&self, at: Instant, stream: Stream, what: Transition) {
        self.ledger.note(Note { at, stream, what });
    }

    /// Records a refusal: the first of its kind at once, those that follow within the window as one count.
    pub fn refused(&self, at: Instant, stream: Stream, refusal: &Refusal, about: &str) {
        self.flush(at);
        let mut floods = self.floods.lock();
        let about = if floods.len() < KINDS { echo(about) } else { "many".to_owned() };
        let kind = (stream, refusal.code(), about);
        match floods.get_mut(&kind) {
            Some((_, count)) => *count += 1,
            None => {
                self.record(at, &kind, 1);
                floods.insert(kind, (at.after(WINDOW_MS), 0));
            }
        }
    }

    /// Records the counts whose window is over.
    pub fn flush(&self, now: Instant) {
        self.floods.lock().retain(|kind, (end, count)| {
            let over = now.reached(*end);
            if over && *count > 0 {
                self.record(now, kind, *count);
            }
            !over
        });
    }

    fn record(&self, at: Instant, (stream, code, about): &Kind, count: u64) {
        let what = Transition::Refused { code: (*code).to_owned(), about: about.clone(), count };
        self.note(at, stream.clone(), what);
    }
}
