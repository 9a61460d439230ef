//! Refusals that don't drown the chain: the same one over and over is one record with a count.
//!
//! Is not: for anything that changes a state. Clause: AUD-1.

use agent_core::refusal::Refusal;
use agent_core::safety::echo;
use agent_core::time::Instant;
use agent_core::transition::{Stream, Transition};
use parking_lot::Mutex;
use std::collections::BTreeMap;

/// How long the same refusal is counted before its count is recorded, in milliseconds.
const WINDOW_MS: u64 = 10_000;
/// Refusals told apart at one time; past it those of one stream and code are counted as one.
const KINDS: usize = 1024;

type Kind = (Stream, &'static str, String);
type Record<'a> = &'a dyn Fn(Stream, Transition);

/// The refusals of the present window.
#[derive(Default)]
pub(super) struct Floods(Mutex<BTreeMap<Kind, (Instant, u64)>>);

impl Floods {
    /// Records the first of its kind at once; those that follow within the window are counted.
    pub(super) fn refused(&self, at: Instant, stream: Stream, refusal: &Refusal, about: &str, record: Record<'_>) {
        self.flush(at, record);
        let mut floods = self.0.lock();
        let about = if floods.len() < KINDS { echo(about) } else { "many".to_owned() };
        let kind = (stream, refusal.record(), about);
        match floods.get_mut(&kind) {
            Some((_, count)) => *count += 1,
            None => {
                write(&kind, 1, record);
                floods.insert(kind, (at.after(WINDOW_MS), 0));
            }
        }
    }

    /// Records the counts whose window is over.
    pub(super) fn flush(&self, now: Instant, record: Record<'_>) {
        self.0.lock().retain(|kind, (end, count)| {
            let over = now.reached(*end);
            if over && *count > 0 {
                write(kind, *count, record);
            }
            !over
        });
    }
}

fn write((stream, code, about): &Kind, count: u64, record: Record<'_>) {
    record(stream.clone(), Transition::Refused { code: (*code).to_owned(), about: about.clone(), count });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aud_1_a_flood_of_refusals_is_two_records() {
        let floods = Floods::default();
        let records = Mutex::new(Vec::new());
        let record = |_: Stream, what: Transition| records.lock().push(what);
        let start = Instant { wall: 0, boot: 0, boot_id: 1 };
        for step in 0..50 {
            floods.refused(start.after(step * 100), Stream::Host, &Refusal::Stopped, "x", &record);
        }
        floods.flush(start.after(WINDOW_MS), &record);
        let refused = |count| Transition::Refused { code: "stopped".into(), about: "x".into(), count };
        assert_eq!(*records.lock(), [refused(1), refused(49)]);
    }
}
