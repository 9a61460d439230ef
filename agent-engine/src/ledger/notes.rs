//! Events that don't drown the chain: the same refusal over and over, or search after search, is one record with a count.
//!
//! Is not: for anything that changes a state. Clause: AUD-1.

use agent_core::refusal::Refusal;
use agent_core::safety::echo;
use agent_core::time::Instant;
use agent_core::transition::{Stream, Transition};
use parking_lot::Mutex;
use std::collections::BTreeMap;

/// How long the same event is counted before its count is recorded, in milliseconds.
const WINDOW_MS: u64 = 10_000;
/// Events told apart at one time; past it refusals of one stream and code are counted as one.
const KINDS: usize = 1024;

type Record<'a> = &'a dyn Fn(Stream, Transition);

/// What is counted as the same.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Refused(&'static str, String),
    Searched,
}

/// What came of one kind since its last record.
struct Window {
    end: Instant,
    count: u64,
    hits: usize,
}

/// The events of the present window.
#[derive(Default)]
pub(super) struct Floods(Mutex<BTreeMap<(Stream, Kind), Window>>);

impl Floods {
    /// A refusal.
    pub(super) fn refused(&self, at: Instant, stream: Stream, refusal: &Refusal, about: &str, record: Record<'_>) {
        let about = if self.0.lock().len() < KINDS { echo(about) } else { "many".to_owned() };
        self.add(at, (stream, Kind::Refused(refusal.record(), about)), 0, record);
    }

    /// A search that found so many.
    pub(super) fn searched(&self, at: Instant, stream: Stream, hits: usize, record: Record<'_>) {
        self.add(at, (stream, Kind::Searched), hits, record);
    }

    /// Records the first of its kind at once; those that follow within the window are counted.
    fn add(&self, at: Instant, kind: (Stream, Kind), hits: usize, record: Record<'_>) {
        self.flush(at, record);
        let mut floods = self.0.lock();
        match floods.get_mut(&kind) {
            Some(window) => (window.count, window.hits) = (window.count + 1, window.hits + hits),
            None => {
                write(&kind, 1, hits, record);
                floods.insert(kind, Window { end: at.after(WINDOW_MS), count: 0, hits: 0 });
            }
        }
    }

    /// Records the counts whose window is over.
    pub(super) fn flush(&self, now: Instant, record: Record<'_>) {
        self.0.lock().retain(|kind, window| {
            let over = now.reached(window.end);
            if over && window.count > 0 {
                write(kind, window.count, window.hits, record);
            }
            !over
        });
    }
}

fn write((stream, kind): &(Stream, Kind), count: u64, hits: usize, record: Record<'_>) {
    let what = match kind {
        Kind::Refused(code, about) => Transition::Refused { code: (*code).to_owned(), about: about.clone(), count },
        Kind::Searched => Transition::Searched { hits, count },
    };
    record(stream.clone(), what);
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

    #[test]
    fn aud_1_a_flood_of_searches_is_two_records() {
        let floods = Floods::default();
        let records = Mutex::new(Vec::new());
        let record = |_: Stream, what: Transition| records.lock().push(what);
        let start = Instant { wall: 0, boot: 0, boot_id: 1 };
        (0..9).for_each(|step| floods.searched(start.after(step), Stream::Host, 3, &record));
        floods.flush(start.after(WINDOW_MS), &record);
        assert_eq!(*records.lock(), [Transition::Searched { hits: 3, count: 1 }, Transition::Searched { hits: 24, count: 8 }]);
    }
}
