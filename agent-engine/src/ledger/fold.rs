//! One stream followed in memory: what was committed, in the ledger's order, and what took effect before it was.
//!
//! Is: a pure value, its owner's lock round it. Is not: a cache; nothing is in effect here that the ledger was not asked
//! to keep. Clauses: ACT-2, AUD-1. Invariants: I-7 (a publish never undoes a narrowing), I-8, I-10.

use super::Stored;
use agent_core::state::Kept;
use agent_core::time::Instant;
use agent_core::transition::{Transition, Version};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// Recorded narrowings of which is kept what they met. Who narrowed looks as soon as its commit is acknowledged.
const MET: usize = 16;

/// A narrowing that took effect before it was recorded.
struct Unrecorded {
    token: u64,
    at: Instant,
    what: Transition,
    /// The ledger was asked and could not.
    failed: bool,
    /// It is being asked again.
    retried: bool,
}

/// A reading of the ledger under way.
#[derive(Default)]
struct Reading {
    /// What does not advance and came meanwhile.
    meanwhile: Vec<(Instant, Transition)>,
    /// A commit's outcome became unknown meanwhile; it may have been written after it was read.
    late: bool,
}

/// A stream's state: the fold of what was committed, and over it the narrowings not recorded yet.
pub struct Folded<S> {
    version: Version,
    folded: Arc<S>,
    /// The fold with the unrecorded narrowings over it, where there are any.
    narrowed: Option<Arc<S>>,
    /// With the token of each narrowing.
    early: BTreeMap<Version, (Instant, Transition, Option<u64>)>,
    /// The state that each of the last recorded narrowings met at its place in the ledger's order, less what earlier ones took
    /// that the ledger could not take.
    met: VecDeque<(u64, Arc<S>)>,
    unrecorded: Vec<Unrecorded>,
    tokens: u64,
    flying: usize,
    doubt: bool,
    reading: Option<Reading>,
}

impl<S: Kept> Folded<S> {
    /// A stream as the ledger keeps it; an empty one where it keeps another kind.
    #[must_use]
    pub fn new(stored: Stored) -> Self {
        let folded = Arc::new(S::take(stored.state).unwrap_or_default());
        Self {
            version: stored.version,
            folded,
            narrowed: None,
            early: BTreeMap::new(),
            met: VecDeque::new(),
            unrecorded: Vec::new(),
            tokens: 0,
            flying: 0,
            doubt: false,
            reading: None,
        }
    }

    /// What is in effect.
    #[must_use]
    pub fn state(&self) -> &Arc<S> {
        self.narrowed.as_ref().unwrap_or(&self.folded)
    }

    /// The version that a plan is made against.
    #[must_use]
    pub const fn version(&self) -> Version {
        self.version
    }

    /// Whether the stream is closed to widening and calls: a commit's outcome is unknown, or a narrowing is not recorded.
    #[must_use]
    pub fn closed(&self) -> bool {
        self.doubt || self.unrecorded.iter().any(|narrowing| narrowing.failed)
    }

    /// The narrowings that the ledger could not take, to be offered again: each to one caller at a time, until it is
    /// [`Folded::committed`] or [`Folded::unrecorded`] once more.
    #[must_use]
    pub fn failed(&mut self) -> Vec<(u64, Instant, Transition)> {
        let failed = self.unrecorded.iter_mut().filter(|narrowing| narrowing.failed && !narrowing.retried);
        failed
            .map(|narrowing| {
                narrowing.retried = true;
                (narrowing.token, narrowing.at, narrowing.what.clone())
            })
            .collect()
    }

    /// Folds what was acknowledged, in the ledger's order: what comes early waits for what comes before it.
    /// `token` is that of a narrowing in effect before.
    pub fn committed(&mut self, version: Version, at: Instant, what: Transition, token: Option<u64>) {
        if !what.advances() {
            self.reading.as_mut().into_iter().for_each(|reading| reading.meanwhile.push((at, what.clone())));
            Arc::make_mut(&mut self.folded).apply(at, &what);
        } else if version > self.version {
            self.early.insert(version, (at, what, token));
        }
        self.unrecorded.retain(|narrowing| Some(narrowing.token) != token);
        self.settle();
    }

    /// Lets a narrowing take effect now. The token names it to [`Folded::committed`] and [`Folded::unrecorded`].
    // INVARIANT: I-8 what narrows happens first
    pub fn narrow(&mut self, at: Instant, what: Transition) -> u64 {
        self.tokens += 1;
        self.unrecorded.push(Unrecorded { token: self.tokens, at, what, failed: false, retried: false });
        self.settle();
        self.tokens
    }

    /// What a recorded narrowing met: what was granted before it in the ledger's order may have come here after it took
    /// effect. None where that is not known, or not kept any more.
    pub fn met(&self, token: u64) -> Option<&Arc<S>> {
        self.met.iter().find(|(of, _)| *of == token).map(|(_, state)| state)
    }

    /// A narrowing could not be recorded; it stays in effect and closes the stream.
    pub fn unrecorded(&mut self, token: u64) {
        for narrowing in self.unrecorded.iter_mut().filter(|narrowing| narrowing.token == token) {
            (narrowing.failed, narrowing.retried) = (true, false);
        }
    }

    /// A commit on this stream was sent off.
    pub const fn flies(&mut self) {
        self.flying += 1;
    }

    /// A commit on this stream came back; `unknown` where its outcome is.
    // INVARIANT: I-10 an unknown outcome closes the stream until it was read again
    pub const fn landed(&mut self, unknown: bool) {
        self.flying = self.flying.saturating_sub(1);
        self.doubt |= unknown;
        if let Some(reading) = &mut self.reading {
            reading.late |= unknown;
        }
    }

    /// Whether the ledger can be read anew, to end a doubt; if so [`Folded::reread`] must follow.
    pub fn rereads(&mut self) -> bool {
        let ready = self.doubt && self.flying == 0 && self.reading.is_none();
        if ready {
            self.reading = Some(Reading::default());
        }
        ready
    }

    /// Ends a reading of the ledger: with the stream as it stands there, or still in doubt.
    pub fn reread(&mut self, stored: Option<Stored>) {
        let Reading { meanwhile, late } = self.reading.take().unwrap_or_default();
        let Some((version, state)) = stored.filter(|_| !late).and_then(|stored| Some((stored.version, S::take(stored.state)?))) else {
            return;
        };
        self.doubt = false;
        if version >= self.version {
            self.version = version;
            self.folded = Arc::new(state);
            for (at, what) in meanwhile {
                Arc::make_mut(&mut self.folded).apply(at, &what);
            }
        }
        self.early.retain(|early, _| *early > version);
        self.settle();
    }

    // INVARIANT: I-7 every publish applies again the narrowings that are not folded yet, acknowledged or not
    fn settle(&mut self) {
        while let Some((at, what, token)) = self.early.remove(&self.version.next()) {
            if let Some(token) = token {
                let mut met = self.folded.clone();
                for failed in self.unrecorded.iter().filter(|narrowing| narrowing.failed && narrowing.token < token) {
                    Arc::make_mut(&mut met).apply(failed.at, &failed.what);
                }
                self.met.truncate(MET - 1);
                self.met.push_front((token, met));
            }
            self.version = self.version.next();
            Arc::make_mut(&mut self.folded).apply(at, &what);
        }
        let early = self.early.values().map(|(at, what, _)| (*at, what)).filter(|(_, what)| what.narrows());
        let waiting: Vec<_> = early.chain(self.unrecorded.iter().map(|narrowing| (narrowing.at, &narrowing.what))).collect();
        self.narrowed = (!waiting.is_empty()).then(|| {
            let mut state = S::clone(&self.folded);
            waiting.iter().for_each(|(at, what)| state.apply(*at, what));
            Arc::new(state)
        });
    }
}
